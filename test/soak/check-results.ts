import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expectedSchedule } from './expected-schedule.ts';
import { linesOf } from './file-lines.ts';
import { contractId, contractOf } from './portfolio-contract.ts';
import { formerSchedule, originTimestampMs, type Portfolio } from './portfolio-file.ts';

/** Compares a file of results with the portfolio it was calculated from. */
export interface ResultFigures {
  readonly lines: number;
  /** Contracts without a result line. */
  readonly missing: number;
  /** Repeated lines of contracts that already have one. */
  readonly repeatedIds: number;
  /** Lines whose contract is not in the portfolio. */
  readonly unknown: number;
  /** Lines out of the portfolio's order. */
  readonly outOfOrder: number;
  /** Lines compared with a schedule calculated in this process. */
  readonly compared: number;
  /** Ids of the compared lines that differ. */
  readonly wrong: readonly string[];
  /** Lines in the file of failures. */
  readonly failures: number;
}

const ID = /^\{"id":("(?:[^"\\]|\\.)*"|\d+),/;
const ID_BYTES = 64;
const MINOR_PER_UNIT = 100;
/** Maximum number of differences listed. */
const MAX_NAMED = 20;

interface ResultLine {
  readonly schedule: unknown;
  readonly comparison?: { readonly before: Sums; readonly after: Sums; readonly difference: Sums };
}
interface Sums {
  readonly total: number;
}
type Row = Readonly<Record<string, number>>;

/** Reads every line and recalculates each `sampleEvery`th contract in this process. */
export async function checkResults(
  files: { readonly output: string; readonly failures: string },
  portfolio: Portfolio,
  sampleEvery: number,
): Promise<ResultFigures> {
  const indexOfId = new Map<string, number>();
  for (let index = 0; index < portfolio.contracts; index += 1) {
    indexOfId.set(JSON.stringify(contractId(index)), index);
  }
  const seen = new Uint8Array(portfolio.contracts);
  const figures = { lines: 0, repeatedIds: 0, unknown: 0, outOfOrder: 0, compared: 0 };
  const wrong: string[] = [];
  for await (const line of linesOf(files.output)) {
    const place = figures.lines;
    figures.lines += 1;
    const id = ID.exec(line.toString('utf8', 0, ID_BYTES))?.[1] ?? '';
    const index = indexOfId.get(id);
    if (index === undefined) {
      figures.unknown += 1;
      continue;
    }
    if (index !== place) figures.outOfOrder += 1;
    if (seen[index] === 1) figures.repeatedIds += 1;
    seen[index] = 1;
    if (index % sampleEvery !== 0) continue;
    figures.compared += 1;
    const difference = differenceOf(line.toString('utf8'), portfolio, index);
    if (difference !== undefined && wrong.length < MAX_NAMED) wrong.push(`${id}: ${difference}`);
  }
  const missing = seen.reduce((count, times) => count + (times === 0 ? 1 : 0), 0);
  return { ...figures, missing, wrong, failures: await countLines(files.failures) };
}

function differenceOf(text: string, portfolio: Portfolio, index: number): string | undefined {
  const contract = contractOf(portfolio.seed, index);
  const line = JSON.parse(text) as ResultLine;
  const schedule = JSON.parse(expectedSchedule(contract.jsonParam, originTimestampMs(portfolio))) as Row[];
  if (!isDeepStrictEqual(line.schedule, schedule)) return 'differs from the schedule of the engine';
  const former = formerSchedule(portfolio, index, contract);
  if (former === undefined) return undefined;
  const before = totalMinor(JSON.parse(former) as Row[]);
  const after = totalMinor(schedule);
  const { comparison } = line;
  const reported = [comparison?.before.total, comparison?.after.total, comparison?.difference.total].map(
    (total) => Math.round((total ?? Number.NaN) * MINOR_PER_UNIT),
  );
  return isDeepStrictEqual(reported, [before, after, after - before]) ? undefined : 'another comparison';
}

function totalMinor(rows: readonly Row[]): number {
  return rows.reduce(
    (sum, row) =>
      sum + Math.round((row['TotalInstallment'] ?? row['totalInstallment'] ?? Number.NaN) * MINOR_PER_UNIT),
    0,
  );
}

async function countLines(file: string): Promise<number> {
  if (!existsSync(file)) return 0;
  let lines = 0;
  for await (const line of linesOf(file)) lines += line.length > 0 ? 1 : 0;
  return lines;
}
