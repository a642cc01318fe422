import {
  faultsOf,
  flag,
  oneOf,
  optionalText,
  type OptionValues,
  parseCommandLine,
  parsed,
  refuseFaults,
  textList,
  unexpectedArguments,
  wholeNumber,
} from '../command-line/parse-command-line.ts';
import { type CsvOptions, INPUT_FORMATS, type InputFormat } from './input-records.ts';
import { STANDARD_STREAM } from './open-source.ts';
import { formatCalendarDate, parseCalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import type { DecimalMark } from '../../shared/portfolio/csv-notation.ts';

export const HELP = `Usage: npm run recalculate -- --input FILE|- --output FILE [OPTIONS]
       npm run recalculate -- --input FILE|- --summary [OPTIONS]

Recalculates the schedule of every contract of a portfolio, in the order of the input. Each line of the input gives one
line of results or one line of failures, never both.

Input:
  --input FILE       .ndjson, .jsonl or .csv, optionally .gz; - is the standard input (compressed or not)
  --input-format F   ndjson or csv, if the file name does not determine it
                     NDJSON: {"id": "c-1", "jsonParam": {...}}, and "schedule": [...] for the previous schedule
                     CSV: a column id, and columns named like the fields of jsonParam (case-insensitive); or a column
                     jsonParam with all of them. Lists (Commission, Insurance, ...), jsonParam and schedule are written as JSON;
                     an empty cell is an absent field. The delimiter is a comma, semicolon or tab, as in the first line.
                     Numbers and dates may be written as 1.234,50, 1,234.50 or 24.06.2026. A value with two readings
                     ends the run, unless --decimal or --dates decides between them
  --ignore NAME      leaves out a column of CSV; may be repeated
  --decimal MARK     point or comma: the decimal mark, if values such as 1.000 leave it open
  --dates ORDER      day-first or month-first, if dates such as 03/04/2026 leave it open

Output:
  --output FILE      .ndjson, .jsonl or .csv, optionally .gz
  --output-format F  ndjson: {"id": ..., "schedule": [...]}; csv: one line of figures per contract
  --failures FILE    {"line": ..., "id": ..., "problem": {...}} for each contract that fails (OUTPUT.failures.ndjson)
  --summary          no results, only the report
  --compare          each contract's previous and new installments, and the contracts that changed most
  --overwrite        replaces the files of an earlier run
  --json             the report as JSON on standard output, instead of text on standard error
  --html FILE        the report also as one HTML file: totals, distribution of changes, largest movers, failures. It needs
                     no network and no script, and is replaced as a whole when the run ends, complete or not

Run:
  --resume           continues an interrupted run: same input, same options. Works after kill -9 too
  --as-of DAY        calculates as of that day (yyyy-mm-dd) instead of today; a resumed run keeps its day
  --batch N          contracts in one message, 1 to 500 (100)
  --window N         messages in flight, 1 to 256 (16)
  --patience TIME    gives up when no reply has arrived for this time: 90s, 10m, 2h (10m)
  --max-failures N   gives up when more contracts than this have failed
  --help             this text

Examples:
  npm run recalculate -- --input portfolio.ndjson --output schedules.ndjson
  npm run --silent recalculate -- --input portfolio.csv.gz --output schedules.ndjson.gz --json > report.json
  zcat portfolio.ndjson.gz | npm run recalculate -- --input - --output schedules.ndjson.gz
  KAFKA_BROKERS=kafka-1:9092,kafka-2:9092 npm run recalculate -- --input portfolio.ndjson --output schedules.ndjson
  npm run recalculate -- --input portfolio.ndjson --output schedules.ndjson --resume
  npm run recalculate -- --input with-previous-schedules.ndjson --output changes.ndjson --compare --as-of 2026-05-01
  npm run recalculate -- --input with-previous-schedules.ndjson --summary --html report.html

Environment: KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, SCHEMA_REGISTRY_URL and the other settings of docs/settings.md. If
KAFKA_BROKERS is set, the workers on that Kafka calculate the schedules; otherwise this process does.
Exit codes: 0 all contracts calculated, 1 some failed, 2 wrong usage, configuration or input file, 3 aborted (--resume continues).
`;

export type RecalculateArguments = NonNullable<ReturnType<typeof readRecalculateArguments>>;

/** --html replaces its file, and a name with another ending is probably a mistake. */
const HTML_ENDING = /\.html?$/i;
const GZIP_ENDING = /\.gz$/i;
const FORMAT_ENDINGS: readonly (readonly [RegExp, InputFormat])[] = [
  [/\.(ndjson|jsonl)(\.gz)?$/i, 'ndjson'],
  [/\.csv(\.gz)?$/i, 'csv'],
];
const DURATION = /^([1-9]\d{0,5})(s|m|h)$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** A larger value probably has the wrong unit. */
const MAX_PATIENCE_MS = 86_400_000;
const DECIMAL_MARKS: Readonly<Record<string, DecimalMark>> = { point: '.', comma: ',' };

const OPTIONS = {
  input: optionalText(),
  output: optionalText(),
  'input-format': oneOf(INPUT_FORMATS),
  'output-format': oneOf(INPUT_FORMATS),
  ignore: textList(),
  decimal: parsed((sent) => DECIMAL_MARKS[sent], 'point or comma'),
  dates: oneOf(['day-first', 'month-first']),
  failures: optionalText(),
  html: optionalText(),
  summary: flag(),
  compare: flag(),
  resume: flag(),
  overwrite: flag(),
  'as-of': parsed(midnightMs, 'a day such as 2026-05-01'),
  batch: wholeNumber(1, 500),
  window: wholeNumber(1, 256),
  patience: parsed(durationMs, 'a time such as 90s, 10m or 2h, at most 24h'),
  'max-failures': wholeNumber(0, 1_000_000_000),
  json: flag(),
};

type Values = OptionValues<typeof OPTIONS>;

/** Returns undefined for --help. Throws UsageError: first for an unknown option, then with all other faults. */
export function readRecalculateArguments(args: readonly string[]) {
  const line = parseCommandLine(args, OPTIONS);
  if (line === undefined) return undefined;
  const { values, given } = line;
  const { input = '', output = '' } = values;
  refuseFaults([
    ...unexpectedArguments(line.positionals),
    ...repeatedOptions(given),
    ...contradictions(values),
    ...line.faults,
    ...unknownFormats(values, given),
  ]);
  return {
    input,
    inputFormat: values['input-format'] ?? formatByName(input) ?? 'ndjson',
    csv: { ignore: values.ignore, decimal: values.decimal, dates: values.dates } satisfies CsvOptions,
    output:
      output === ''
        ? undefined
        : {
            file: output,
            format: values['output-format'] ?? formatByName(output) ?? 'ndjson',
            gzip: GZIP_ENDING.test(output),
          },
    failures: failuresFile(values),
    html: values.html,
    compare: values.compare,
    resume: values.resume,
    overwrite: values.overwrite,
    /** Midnight UTC in epoch milliseconds. */
    asOfMs: values['as-of'],
    batch: values.batch ?? 100,
    window: values.window ?? 16,
    patienceMs: values.patience ?? 600_000,
    maxFailures: values['max-failures'],
    json: values.json,
  };
}

/** The command line that resumes the run, quoted for a shell. */
export function resumeCommand(args: readonly string[]): string {
  const kept = args.filter((argument) => argument !== '--overwrite' && argument !== '--resume');
  return ['npm run recalculate --', ...kept.map(quoted), '--resume'].join(' ');
}

function failuresFile({ output = '', failures = '' }: Values): string | undefined {
  if (failures !== '') return failures;
  return output === '' ? undefined : `${output}.failures.ndjson`;
}

function formatByName(file: string): InputFormat | undefined {
  return FORMAT_ENDINGS.find(([ending]) => ending.test(file))?.[1];
}

/** Only the last value of a repeated option would count: the first --input would be ignored silently. */
function repeatedOptions(given: readonly string[]): readonly string[] {
  const repeated = given.filter((name, index) => name !== 'ignore' && given.indexOf(name) !== index);
  return [...new Set(repeated)].map((name) => `--${name} is given more than once`);
}

function unknownFormats(values: Values, given: readonly string[]): readonly string[] {
  return (['input', 'output'] as const).flatMap((side) => {
    const file = values[side] ?? '';
    const isKnown = file === '' || file === STANDARD_STREAM || given.includes(`${side}-format`);
    if (isKnown || formatByName(file) !== undefined) return [];
    return [
      `the name of --${side} must end in .ndjson, .jsonl or .csv, optionally followed by .gz; otherwise set --${side}-format`,
    ];
  });
}

function contradictions(values: Values): readonly string[] {
  const { input = '', output = '', summary, resume, overwrite, failures, html } = values;
  return faultsOf([
    [input === '', '--input is missing: name a file, or - for the standard input'],
    [output === '' && !summary, '--output is missing: name a file, or use --summary'],
    [summary && output !== '', '--summary does not write results: omit --output'],
    [
      summary && values['output-format'] !== undefined,
      '--summary does not write results: omit --output-format',
    ],
    [summary && resume, '--resume requires --output: a run with --summary cannot be resumed'],
    [output === STANDARD_STREAM, '--output must be a file: a run to standard output cannot be resumed'],
    [failures === STANDARD_STREAM || failures === '', '--failures must be a file'],
    [GZIP_ENDING.test(failures ?? ''), '--failures is not compressed: its name must not end in .gz'],
    [html !== undefined && !HTML_ENDING.test(html), '--html must be a file whose name ends in .html'],
    [resume && overwrite, '--resume continues the run that --overwrite would discard: choose one'],
  ]);
}

function midnightMs(day: string): number | undefined {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(day) ? parseCalendarDate(day) : undefined;
  return date === undefined ? undefined : Date.parse(`${formatCalendarDate(date)}T00:00:00Z`);
}

function durationMs(sent: string): number | undefined {
  const [, count, unit = ''] = DURATION.exec(sent) ?? [];
  const duration = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  return duration <= MAX_PATIENCE_MS ? duration : undefined;
}

function quoted(argument: string): string {
  return /^[\w./:=,@%+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}
