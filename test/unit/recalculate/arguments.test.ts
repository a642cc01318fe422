import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../scripts/command-line/parse-command-line.ts';
import { HELP, readRecalculateArguments } from '../../../scripts/recalculate/recalculate-arguments.ts';

const read = (...args: string[]) => readRecalculateArguments(args);
const FILES = ['--input', 'in.ndjson', '--output', 'out.ndjson'] as const;

function faultsOf(...args: string[]): readonly string[] {
  try {
    read(...args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const lines = error.message.split('\n');
    return lines.at(-1) === '(see --help)' ? lines.slice(0, -1) : ['does not mention the help'];
  }
  return [];
}

const formats = (input: string, output: string, ...more: string[]) => {
  const args = read('--input', input, '--output', output, ...more);
  return [args?.inputFormat, args?.output?.format, args?.output?.gzip];
};

describe('readArguments', () => {
  it('requires only input and output', () => {
    expect(read(...FILES)).toEqual({
      input: 'in.ndjson',
      inputFormat: 'ndjson',
      csv: { ignore: [], decimal: undefined, dates: undefined },
      output: { file: 'out.ndjson', format: 'ndjson', gzip: false },
      failures: 'out.ndjson.failures.ndjson',
      compare: false,
      resume: false,
      overwrite: false,
      asOfMs: undefined,
      batch: 100,
      window: 16,
      patienceMs: 600_000,
      maxFailures: undefined,
      json: false,
    });
  });

  it('refuses repeated options', () => {
    expect(faultsOf(...FILES, '--input', 'other.ndjson', '--batch', '5', '--batch=6')).toEqual([
      '--input is given more than once',
      '--batch is given more than once',
    ]);
  });

  it('reads every option', () => {
    const flags = '--compare --resume --json --as-of 2026-02-28 --batch 500 --window 256';
    const limits = '--patience 90s --max-failures 0 --failures bad.ndjson';
    expect(read(...FILES, ...`${flags} ${limits}`.split(' '))).toMatchObject({
      failures: 'bad.ndjson',
      compare: true,
      resume: true,
      json: true,
      asOfMs: Date.UTC(2026, 1, 28),
      batch: 500,
      window: 256,
      patienceMs: 90_000,
      maxFailures: 0,
    });
    const overwriting = { overwrite: true, patienceMs: 7_200_000 };
    expect(read(...FILES, '--overwrite', '--patience', '2h')).toMatchObject(overwriting);
    expect(read('--help')).toBeUndefined();
    expect(read('--batch', 'wrong', '-h')).toBeUndefined();
  });

  it('derives formats and compression from the file names by default', () => {
    expect(formats('a.CSV.GZ', 'b.csv')).toEqual(['csv', 'csv', false]);
    expect(formats('a.jsonl', 'b.ndjson.gz')).toEqual(['ndjson', 'ndjson', true]);
    expect(formats('-', 'b.jsonl.gz')).toEqual(['ndjson', 'ndjson', true]);
    const reported = ['--input-format', 'csv', '--output-format', 'csv'];
    expect(formats('a.txt', 'b.gz', ...reported)).toEqual(['csv', 'csv', true]);
    expect(formats('a.ndjson', 'b', ...reported)).toEqual(['csv', 'csv', false]);
  });

  it('writes only the report with --summary, and failures if a file is given', () => {
    expect(read('--input', '-', '--summary')).toMatchObject({ output: undefined, failures: undefined });
    expect(read('--input', '-', '--summary', '--failures', 'f')).toMatchObject({ failures: 'f' });
  });

  it('reports all faults together', () => {
    const wrong = '--batch 501 --window 0 --patience 10 --as-of 2026-02-30 --max-failures -'.split(' ');
    expect(faultsOf(...wrong, '--input-format', 'xml')).toEqual([
      '--input is missing: name a file, or - for the standard input',
      '--output is missing: name a file, or use --summary',
      '--input-format must be one of ndjson, csv',
      '--as-of must be a day such as 2026-05-01',
      '--batch must be a whole number from 1 to 500',
      '--window must be a whole number from 1 to 256',
      '--patience must be a time such as 90s, 10m or 2h, at most 24h',
      '--max-failures must be a whole number from 0 to 1000000000',
    ]);
  });

  it('requires a format if the file name does not show it', () => {
    const ends = 'must end in .ndjson, .jsonl or .csv, optionally followed by .gz; otherwise set';
    const faults = ['--input', '--output'].map((name) => `the name of ${name} ${ends} ${name}-format`);
    expect(faultsOf('--input', 'a.txt', '--output', 'b')).toEqual(faults);
  });

  it('refuses contradictory options', () => {
    expect(faultsOf(...FILES, '--summary', '--resume', '--overwrite')).toHaveLength(3);
    const output = '--output must be a file: a run to standard output cannot be resumed';
    expect(faultsOf('--input', 'a.csv', '--output', '-')).toEqual([output]);
    for (const [options, fault] of [
      [['--failures', '-'], '--failures must be a file'],
      [['--failures', 'f.ndjson.gz'], '--failures is not compressed: its name must not end in .gz'],
      [['--html', 'portfolio.csv'], '--html must be a file whose name ends in .html'],
    ] as const)
      expect(faultsOf(...FILES, ...options)).toEqual([fault]);
    for (const options of [['--html', '-'], ['--colour'], ['stray']])
      expect(faultsOf(...FILES, ...options)).toHaveLength(1);
    expect(faultsOf('--input', 'x.csv', '--patience', '25h', '--summary')).toHaveLength(1);
  });

  it('documents every option in the help text', () => {
    const options =
      'input input-format output output-format failures summary html compare overwrite json resume as-of batch window patience max-failures ignore decimal dates help';
    for (const name of options.split(' ')) expect(HELP).toMatch(new RegExp(`^  --${name} `, 'm'));
  });
});
