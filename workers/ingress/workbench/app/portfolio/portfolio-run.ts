/** Recalculates a portfolio and counts its contracts as `npm run recalculate` does. */
import { asProblem, EngineError } from '../engine-error.ts';
import {
  compareSchedules,
  readFormerSchedule,
  type ScheduleSums,
  bySum,
  SUM_NAMES,
} from '../../../../../shared/portfolio/comparison.ts';
import type { DuplicateIds } from '../../../../../shared/portfolio/input-faults.ts';
import {
  currencyDigits,
  DEFAULT_CURRENCY_DIGITS,
  formatMinorUnits,
} from '../../../../../shared/lending/numbers/money.ts';
import {
  type CountedFailure,
  type CountedSchedule,
  countFailure,
  countSchedule,
  emptyTally,
  type Tally,
  reasonOf,
} from '../../../../../shared/portfolio/tally.ts';
import type { Contract, PortfolioFile } from './read-contracts.ts';
import { withoutFormula } from '../../../../../shared/portfolio/csv-notation.ts';

interface CalculatedSchedule {
  readonly rows: unknown;
  readonly warnings: CountedSchedule['warnings'];
}

/** A calculated contract, with sums in minor units. Its instalments are not kept: only the comparison needs them. */
interface FinishedContract extends Pick<
  CountedSchedule,
  'line' | 'id' | 'currency' | 'digits' | 'rows' | 'sums'
> {
  readonly former: ScheduleSums | undefined;
}

export interface PortfolioRun {
  /** The number of contracts, including the unreadable ones. */
  readonly all: number;
  readonly tally: Tally;
  readonly duplicates: DuplicateIds;
  readonly results: readonly FinishedContract[];
  readonly failures: readonly CountedFailure[];
  /** Calls `calculate`, which must repeat failed calls, once for each contract that is not done. Never rejects. */
  continue(ports: RunPorts): Promise<RunEnd>;
}

/** How a run ended. After `stopped` or `interrupted`, `continue` calculates the remaining contracts. */
export type RunEnd =
  | { readonly kind: 'finished' | 'stopped' }
  | { readonly kind: 'interrupted'; readonly error: unknown };

interface RunPorts {
  readonly calculate: (contract: Contract, signal: AbortSignal) => Promise<CalculatedSchedule>;
  readonly signal: AbortSignal;
}

/** The most concurrent calls: too few to delay other callers, but enough to reach the rate limit of a caller. */
export const WINDOW = 6;
/** Statuses of calls whose token is missing, invalid or not allowed to calculate: no other contract would succeed. */
const NOT_ALLOWED: ReadonlySet<number | undefined> = new Set([401, 403]);

/** Creates the run of a file. Its unreadable contracts are failures from the start. */
export function createPortfolioRun(file: PortfolioFile): PortfolioRun {
  const tally = emptyTally();
  const results: FinishedContract[] = [];
  const failures: CountedFailure[] = [];
  const pending = new Set(file.contracts);
  const fail = (failure: CountedFailure): void => {
    failures.push(failure);
    countFailure(tally, failure);
  };
  for (const failure of file.unreadable) fail(failure);
  const finish = (contract: Contract, reply: CalculatedSchedule | CountedFailure['problem']): void => {
    const { line, id } = contract;
    pending.delete(contract);
    if (!('rows' in reply)) return fail({ line, id, problem: reply });
    const counted = countedSchedule(contract, reply);
    if ('problem' in counted) return fail(counted);
    const { comparison, warnings: _, ...finished } = counted;
    results.push({ ...finished, former: typeof comparison === 'string' ? undefined : comparison.before });
    countSchedule(tally, counted);
  };
  return {
    all: file.contracts.length + file.unreadable.length,
    tally,
    duplicates: file.duplicates,
    results,
    failures,
    continue: (ports) => runAll([...pending], ports, finish),
  };
}

async function runAll(
  waiting: Contract[],
  { calculate, signal }: RunPorts,
  finish: (contract: Contract, reply: CalculatedSchedule | CountedFailure['problem']) => void,
): Promise<RunEnd> {
  const interruption = new AbortController();
  const ended = AbortSignal.any([signal, interruption.signal]);
  let interrupted: RunEnd | undefined;
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !ended.aborted; next = waiting.shift()) {
      try {
        finish(next, await calculate(next, ended));
      } catch (error) {
        if (ended.aborted) return;
        if (!concernsAll(error)) finish(next, asProblem(error));
        else {
          interrupted = { kind: 'interrupted', error };
          interruption.abort();
        }
      }
    }
  };
  await Promise.all(Array.from({ length: WINDOW }, work));
  return signal.aborted ? { kind: 'stopped' } : (interrupted ?? { kind: 'finished' });
}

function concernsAll(error: unknown): boolean {
  return error instanceof EngineError && (error.isTemporary || NOT_ALLOWED.has(error.problem.status));
}

function countedSchedule(
  { line, id, jsonParam, schedule, ignored }: Contract,
  { rows: replied, warnings }: CalculatedSchedule,
): CountedSchedule | CountedFailure {
  const digits = digitsOf(jsonParam);
  const replySchedule = readFormerSchedule(replied, digits);
  if (replySchedule === undefined) {
    const title = 'The reply contains no instalments or invalid figures.';
    return { line, id, problem: { code: 'unexpected', title } };
  }
  const { rows, sums } = replySchedule;
  const former = schedule === undefined ? undefined : readFormerSchedule(schedule, digits);
  const missing = schedule === undefined ? 'none' : 'unreadable';
  const currency = fieldOf(jsonParam, 'Currency');
  return {
    line,
    id,
    digits,
    sums,
    currency: typeof currency === 'string' ? currency.toUpperCase() : null,
    rows: rows.length,
    warnings: [...warnings, ...ignored.map((path) => ({ code: 'unknown-member', path }))],
    comparison: former === undefined ? missing : compareSchedules(former, rows, sums),
  };
}

/** The number of decimals of amounts: the Precision of the request, or else that of its currency (M2). */
function digitsOf(jsonParam: Contract['jsonParam']): number {
  const precision = fieldOf(jsonParam, 'Precision');
  if (typeof precision === 'number') return precision;
  const currency = fieldOf(jsonParam, 'Currency');
  return (typeof currency === 'string' ? currencyDigits(currency) : undefined) ?? DEFAULT_CURRENCY_DIGITS;
}

function fieldOf(jsonParam: Contract['jsonParam'], name: string): unknown {
  return jsonParam[name] ?? jsonParam[`${name.charAt(0).toLowerCase()}${name.slice(1)}`];
}

/** Lists results in the order of the file, and compares the totals if there is a readable previous schedule. */
export function resultsToCsv(results: readonly FinishedContract[]): string {
  const columns = ['id', 'line', 'currency', 'installments', ...SUM_NAMES, 'totalBefore', 'totalDifference'];
  return toCsv(columns, results, ({ id, line, currency, rows, digits, sums, former }) => {
    const money = (minor: bigint): string => formatMinorUnits(minor, digits);
    const compared =
      former === undefined ? ['', ''] : [money(former.total), money(sums.total - former.total)];
    const amounts = Object.values(bySum((name) => money(sums[name])));
    return [quoted(id), String(line), currency ?? '', String(rows), ...amounts, ...compared];
  });
}

export function failuresToCsv(failures: readonly CountedFailure[]): string {
  return toCsv(['id', 'line', 'code', 'reason'], failures, ({ id, line, problem }) => [
    id === undefined ? '' : quoted(id),
    String(line),
    problem.code,
    quoted(reasonOf(problem)),
  ]);
}

function toCsv<Item extends { readonly line: number }>(
  columns: readonly string[],
  items: readonly Item[],
  cellsOf: (item: Item) => readonly string[],
): string {
  const rows = items.toSorted((one, other) => one.line - other.line).map(cellsOf);
  return [columns, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function quoted(text: string | number): string {
  return `"${withoutFormula(text).replaceAll('"', '""')}"`;
}
