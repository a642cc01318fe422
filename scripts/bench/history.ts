/** Records the ratios of a run, and compares two records. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Ratio } from './rounds.ts';
import { table } from './tables.ts';

/** A ratio in a record. */
interface RecordedRatio extends Pick<Ratio, 'value' | 'aim'> {
  /** The number of rounds; absent if the figure was not measured in rounds. */
  readonly rounds?: number;
  /** Those of the lowest and the highest round. */
  readonly lowest?: number;
  readonly highest?: number;
}

/** The ratios of one run by their names. */
export interface BenchRecord {
  readonly node: string;
  /** Busy processes beside the measurement, and the load average of the machine at the end. */
  readonly busyProcesses: number;
  readonly loadAverage: number;
  readonly ratios: Readonly<Record<string, RecordedRatio>>;
}

export type Verdict = 'worse' | 'better' | 'changed' | 'within the noise' | 'not judged';

/** A ratio of two records. */
export interface Change {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly verdict: Verdict;
}

/** A smaller change of the median is within what other code of the process causes by its place in memory. */
const SMALLEST_CHANGE = 0.05;
/** The range of fewer rounds says little about the noise. */
const FEWEST_ROUNDS = 3;
const DIGITS = 5;

/** A record of the run; ratios that could not be measured are left out. */
export function recordOf(ratios: readonly Ratio[], run: Omit<BenchRecord, 'ratios'>): BenchRecord {
  const entries = ratios
    .filter(({ value }) => Number.isFinite(value))
    .map(({ name, value, aim, rounds }) => {
      return [name, { value: rounded(value), aim, ...rangeOf(rounds) }] as const;
    });
  return { ...run, ratios: Object.fromEntries(entries) };
}

/** Writes a record, with its folder. */
export function writeRecord(file: string, record: BenchRecord): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`);
}

/** Throws an error with the name of the file if it cannot be read or is not a record. */
export function readRecord(file: string): BenchRecord {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as Partial<BenchRecord>;
    if (typeof record.ratios !== 'object') {
      throw new TypeError('it has no ratios');
    }
    return record as BenchRecord;
  } catch (cause) {
    throw new Error(`${file} is not a record of the benchmark`, { cause });
  }
}

/** The record in the folder with the last name, which begins with its time. Throws if there is none. */
export function newestRecord(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^\d.*\.json$/.test(name));
  const newest = files.toSorted().at(-1);
  if (newest === undefined) throw new Error(`there is no record in ${folder}`);
  return path.join(folder, newest);
}

/**
 * Compares the ratios that both records have. A ratio has changed if the medians differ by more than 5 % and no round of one
 * run lies within the range of the other: what the rounds of a run differ by is noise. The direction of its aim tells whether
 * a change is for the worse.
 */
export function compareRecords(before: BenchRecord, after: BenchRecord): readonly Change[] {
  return Object.entries(after.ratios).flatMap(([name, now]) => {
    const then = before.ratios[name];
    if (then === undefined) return [];
    return [{ name, before: then.value, after: now.value, verdict: judge(then, now) }];
  });
}

/** All changes as a table, then one line with the number of regressions. */
export function comparisonText(before: BenchRecord, after: BenchRecord): string {
  const changes = compareRecords(before, after);
  const rows = changes.map(({ name, before: then, after: now, verdict }) => [
    name,
    then.toFixed(2),
    now.toFixed(2),
    `${((now / then - 1) * 100).toFixed(0)} %`,
    verdict,
  ]);
  const worse = changes.filter(({ verdict }) => verdict === 'worse').length;
  const unknown = changes.filter(({ verdict }) => verdict === 'not judged').length;
  const conditions = (record: BenchRecord): string =>
    `${record.busyProcesses} busy processes beside, load average ${record.loadAverage}, Node ${record.node}`;
  return (
    `before: ${conditions(before)}\nafter: ${conditions(after)}\n\n` +
    table(['ratio', 'before', 'after', 'change', 'verdict'], rows) +
    `\n${changes.length} ratios compared, ${worse} worse, ${unknown} not judged\n`
  );
}

function judge(then: RecordedRatio, now: RecordedRatio): Verdict {
  if (Math.min(then.rounds ?? 0, now.rounds ?? 0) < FEWEST_ROUNDS) return 'not judged';
  const isSmall = Math.abs(now.value - then.value) <= SMALLEST_CHANGE * Math.abs(then.value);
  const isLower = (now.highest ?? now.value) < (then.lowest ?? then.value);
  const isHigher = (now.lowest ?? now.value) > (then.highest ?? then.value);
  if (isSmall || (!isLower && !isHigher)) return 'within the noise';
  if (/^(?:>=|more)/.test(now.aim)) return isLower ? 'worse' : 'better';
  if (/^(?:<=|less)/.test(now.aim)) return isHigher ? 'worse' : 'better';
  return 'changed';
}

function rangeOf(rounds: readonly number[] | undefined): Omit<RecordedRatio, 'value' | 'aim'> {
  if (rounds === undefined) return {};
  const [lowest, highest] = [rounded(Math.min(...rounds)), rounded(Math.max(...rounds))];
  return { rounds: rounds.length, lowest, highest };
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
