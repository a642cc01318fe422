/** Records the ratios of a run, and compares two records. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { median, type Ratio, table } from './rounds.ts';

/** A ratio in a record: its median, and its lowest and highest round. */
interface RecordedRatio {
  readonly value: number;
  readonly aim: string;
  readonly rounds: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The ratios of one run by their names, and the machine's load average at its end. */
interface BenchRecord {
  readonly node: string;
  readonly loadAverage: number;
  readonly ratios: Readonly<Record<string, RecordedRatio>>;
}

/** A smaller change of the median is within what other code of the process causes by its place in memory. */
const SMALLEST_CHANGE = 0.05;
/** The range of fewer rounds says little about the noise. */
const FEWEST_ROUNDS = 3;
const DIGITS = 5;

export function writeRecord(
  file: string,
  ratios: readonly Ratio[],
  run: Pick<BenchRecord, 'node' | 'loadAverage'>,
): void {
  const entries = ratios.map(({ name, aim, rounds }) => {
    const [value, lowest, highest] = [median(rounds), Math.min(...rounds), Math.max(...rounds)].map(
      (figure) => Number(figure.toPrecision(DIGITS)),
    );
    return [name, { value, aim, rounds: rounds.length, lowest, highest }] as const;
  });
  const record = { ...run, ratios: Object.fromEntries(entries) };
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`);
}

/**
 * Compares the ratios that both files have, as a table with one line below it. A ratio has changed if the medians differ by more
 * than 5 % and no round of one run lies within the range of the other: what the rounds of a run differ by is noise. Throws an
 * error with the name of a file that is not a record.
 */
export function compareRecords(beforeFile: string, afterFile: string): string {
  const before = readRecord(beforeFile);
  const after = readRecord(afterFile);
  const rows = Object.entries(after.ratios).flatMap(([name, now]) => {
    const then = before.ratios[name];
    if (then === undefined) return [];
    const change = `${((now.value / then.value - 1) * 100).toFixed(0)} %`;
    return [[name, then.value.toFixed(2), now.value.toFixed(2), change, judge(then, now)]];
  });
  const worse = rows.filter((cells) => cells.at(-1) === 'worse').length;
  return (
    `before: ${conditions(before)}\nafter: ${conditions(after)}\n\n` +
    table(['ratio', 'before', 'after', 'change', 'verdict'], rows) +
    `\n${rows.length} ratios compared, ${worse} worse\n`
  );
}

function readRecord(file: string): BenchRecord {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<BenchRecord>;
    if (typeof record.ratios !== 'object') throw new TypeError('it has no ratios');
    return record as BenchRecord;
  } catch (cause) {
    throw new Error(`${file} is not a record of the benchmark`, { cause });
  }
}

function conditions({ loadAverage, node }: BenchRecord): string {
  return `load average ${loadAverage}, Node ${node}`;
}

/** The aim of a ratio tells whether a change is for the worse. */
function judge(then: RecordedRatio, now: RecordedRatio): string {
  if (Math.min(then.rounds, now.rounds) < FEWEST_ROUNDS) return 'not judged';
  const isSmall = Math.abs(now.value - then.value) <= SMALLEST_CHANGE * Math.abs(then.value);
  const isLower = now.highest < then.lowest;
  const isHigher = now.lowest > then.highest;
  if (isSmall || (!isLower && !isHigher)) return 'within the noise';
  return isLower === now.aim.startsWith('>=') ? 'worse' : 'better';
}
