/** The command line of `npm run recalculate`. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatCalendarDate, parseCalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { STANDARD_STREAM } from './input/input-bytes.ts';
import { INPUT_FORMATS, type InputFormat } from './input/input-records.ts';

export type OutputFormat = InputFormat;

/** A file that is written, or the standard output. */
export interface OutputTarget {
  /** `-` is the standard output. */
  readonly file: string;
  readonly format: OutputFormat;
  readonly gzip: boolean;
}

/** What a recalculation is asked to do. */
export interface RecalculateArguments {
  /** Path, or `-` for the standard input. */
  readonly input: string;
  readonly inputFormat: InputFormat;
  /** Undefined with --summary: the report is all there is. */
  readonly output: OutputTarget | undefined;
  /** File of the failures; undefined only with --summary, where they are counted. */
  readonly failures: string | undefined;
  readonly compare: boolean;
  readonly resume: boolean;
  readonly overwrite: boolean;
  /** Midnight UTC of --as-of in epoch milliseconds; undefined: the time of the run. */
  readonly asOfMs: number | undefined;
  /** Most contracts of a batch, 1 to 500. */
  readonly batch: number;
  /** Batches in flight, 1 to 256. */
  readonly window: number;
  /** So long no reply at all may come before the run is given up. */
  readonly patienceMs: number;
  /** More failed lines than this abort the run; undefined: any number. */
  readonly maxFailures: number | undefined;
  /** The report as JSON on the standard output. */
  readonly json: boolean;
}

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const DEFAULT_BATCH = 100;
/** A batch of requests has no more items. */
const MAX_BATCH = 500;
const DEFAULT_WINDOW = 16;
const MAX_WINDOW = 256;
const DEFAULT_PATIENCE_MS = 600_000;
const MAX_FAILURES = 1_000_000_000;
const FAILURES_ENDING = '.failures.ndjson';

/** What a run keeps beside its output, drafts included. */
const BESIDE_OUTPUT = /^\.(checkpoint\.json|lock)(\..*)?$/;

const GZIP_ENDING = /\.gz$/i;
const FORMAT_ENDINGS: readonly (readonly [RegExp, InputFormat])[] = [
  [/\.(ndjson|jsonl)(\.gz)?$/i, 'ndjson'],
  [/\.csv(\.gz)?$/i, 'csv'],
];
const DURATION = /^([1-9]\d{0,5})(s|m|h)$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** Longer than any run takes; beyond it a mistyped unit is likelier. */
const MAX_PATIENCE_MS = 86_400_000;
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the command line; undefined when help was asked for. Throws UsageError, which names all that is wrong. */
export function readRecalculateArguments(args: readonly string[]): RecalculateArguments | undefined {
  const values = parse(args);
  if (values.help === true) return undefined;
  const faults: string[] = [];
  const input = values.input ?? '';
  if (input === '') faults.push('--input is missing: a file, or - for the standard input');
  const read = {
    input,
    inputFormat: formatOf('input', input, values['input-format'], faults),
    output: outputOf(values, faults),
    failures: failuresOf(values),
    compare: values.compare === true,
    resume: values.resume === true,
    overwrite: values.overwrite === true,
    asOfMs: dayOf(values['as-of'], faults),
    batch: wholeNumber('--batch', values.batch, { min: 1, max: MAX_BATCH }, faults) ?? DEFAULT_BATCH,
    window: wholeNumber('--window', values.window, { min: 1, max: MAX_WINDOW }, faults) ?? DEFAULT_WINDOW,
    patienceMs: durationOf(values.patience, faults) ?? DEFAULT_PATIENCE_MS,
    maxFailures: wholeNumber('--max-failures', values['max-failures'], { min: 0, max: MAX_FAILURES }, faults),
    json: values.json === true,
  };
  faults.push(...contradictions(values), ...sameFiles(read));
  if (faults.length > 0) throw new UsageError(`${faults.join('\n')}\n(see --help)`);
  return read;
}

type Values = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  try {
    const { values, tokens } = parseArgs({
      args: [...args],
      tokens: true,
      options: {
        input: text,
        output: text,
        'input-format': text,
        'output-format': text,
        failures: text,
        summary: flag,
        compare: flag,
        resume: flag,
        overwrite: flag,
        'as-of': text,
        batch: text,
        window: text,
        patience: text,
        'max-failures': text,
        json: flag,
        help: { ...flag, short: 'h' },
      },
    });
    refuseRepeated(tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])));
    return values;
  } catch (error) {
    throw new UsageError(`${errorText(error)}\n(see --help)`);
  }
}

/** The last one would count without a word about the others: a second --input is a portfolio left out. */
function refuseRepeated(names: readonly string[]): void {
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  if (repeated.size === 0) return;
  throw new UsageError([...repeated].map((name) => `--${name} is given more than once`).join('\n'));
}

/** By the option, else by the file's name, else NDJSON for the standard streams. */
function formatOf(
  side: 'input' | 'output',
  file: string,
  sent: string | undefined,
  faults: string[],
): InputFormat {
  const given = INPUT_FORMATS.find((known) => known === sent);
  if (given !== undefined) return given;
  const named = FORMAT_ENDINGS.find(([ending]) => ending.test(file))?.[1];
  if (sent !== undefined) faults.push(`--${side}-format is one of ${INPUT_FORMATS.join(', ')}`);
  else if (named === undefined && file !== STANDARD_STREAM && file !== '') {
    faults.push(`--${side} ends in none of .ndjson, .jsonl and .csv, each also .gz: say --${side}-format`);
  }
  return named ?? 'ndjson';
}

function outputOf(values: Values, faults: string[]): OutputTarget | undefined {
  const file = values.output ?? '';
  if (file === '') {
    if (values.summary !== true)
      faults.push('--output is missing: a file, - for the standard output, or --summary');
    return undefined;
  }
  const format = formatOf('output', file, values['output-format'], faults);
  return { file, format, gzip: GZIP_ENDING.test(file) };
}

function failuresOf({ output, failures }: Values): string | undefined {
  if (failures !== undefined && failures !== '') return failures;
  return output === undefined || output === '' || output === STANDARD_STREAM
    ? undefined
    : output + FAILURES_ENDING;
}

function contradictions(values: Values): readonly string[] {
  const { output, summary = false, resume = false, overwrite = false, failures, json = false } = values;
  const isStream = output === STANDARD_STREAM;
  const faults: readonly (readonly [boolean, string])[] = [
    [summary && output !== undefined, '--summary writes no results: leave out --output'],
    [
      summary && values['output-format'] !== undefined,
      '--summary writes no results: leave out --output-format',
    ],
    [summary && resume, '--resume needs --output: nothing of a run with --summary is kept'],
    [
      isStream && resume,
      '--resume needs a file as --output: what was written to a stream cannot be taken up again',
    ],
    [isStream && failures === undefined, '--output - needs --failures FILE for the contracts that fail'],
    [isStream && json, '--json writes its report to the standard output, where the results go'],
    [failures === STANDARD_STREAM || failures === '', '--failures is a file'],
    [resume && overwrite, '--resume goes on with what --overwrite would throw away: choose one'],
  ];
  return faults.flatMap(([isAtFault, fault]) => (isAtFault ? [fault] : []));
}

function sameFiles({ input, output, failures }: Pick<RecalculateArguments, 'input' | 'output' | 'failures'>) {
  const named = [input, output?.file ?? '', failures ?? ''].filter(
    (file) => file !== '' && file !== STANDARD_STREAM,
  );
  const distinct = new Set(named.map((file) => resolve(file)));
  const faults =
    distinct.size === named.length ? [] : ['--input, --output and --failures must be different files'];
  if (output === undefined || output.file === STANDARD_STREAM) return faults;
  const own = resolve(output.file);
  const isOwn = (file: string | undefined): boolean =>
    file !== undefined &&
    resolve(file).startsWith(own) &&
    BESIDE_OUTPUT.test(resolve(file).slice(own.length));
  if (isOwn(input) || isOwn(failures)) {
    faults.push(
      '--input and --failures must not be OUTPUT.checkpoint.json or OUTPUT.lock: the run writes these',
    );
  }
  return faults;
}

function dayOf(text: string | undefined, faults: string[]): number | undefined {
  if (text === undefined) return undefined;
  const day = ISO_DAY.test(text) ? parseCalendarDate(text) : undefined;
  if (day !== undefined) return Date.parse(`${formatCalendarDate(day)}T00:00:00Z`);
  faults.push('--as-of is a day such as 2026-05-01');
  return undefined;
}

function durationOf(text: string | undefined, faults: string[]): number | undefined {
  if (text === undefined) return undefined;
  const found = DURATION.exec(text);
  const durationMs = found === null ? Infinity : Number(found[1]) * (UNIT_MS[found[2] ?? ''] ?? Infinity);
  if (durationMs <= MAX_PATIENCE_MS) return durationMs;
  faults.push('--patience is a time such as 90s, 10m or 2h, at most 24h');
  return undefined;
}

function wholeNumber(
  option: string,
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
  faults: string[],
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  if (number >= min && number <= max) return number;
  faults.push(`${option} is a whole number from ${min} to ${max}`);
  return undefined;
}
