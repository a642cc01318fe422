/** A portfolio that is recalculated: what is done, in the tally of `npm run recalculate`, and what is not yet. */
import { EngineError } from '../engine-error.ts';
import { currencyDigits, DEFAULT_CURRENCY_DIGITS } from '../../../../../shared/lending/numbers/money.ts';
import { compareSchedules, readFormerSchedule } from '../../../../../shared/portfolio/comparison.ts';
import type { DuplicateIds } from '../../../../../shared/portfolio/duplicate-ids.ts';
import type { ScheduleSums } from '../../../../../shared/portfolio/schedule-sums.ts';
import {
  type CountedFailure,
  type CountedSchedule,
  countFailure,
  countSchedule,
  emptyTally,
  type Tally,
} from '../../../../../shared/portfolio/tally.ts';
import type { Contract, PortfolioFile } from './read-contracts.ts';
import { runContracts, type Outcome, type RunEnd, type Verdict } from './run-contracts.ts';

/** A schedule as the engine returns it, and the fields of the request that it ignored. */
export interface CalculatedSchedule {
  readonly rows: unknown;
  readonly warnings: CountedSchedule['warnings'];
}

/** A calculated contract, without the instalments that only its counting needs; amounts in minor units. */
export interface FinishedContract extends Pick<
  CountedSchedule,
  'line' | 'id' | 'currency' | 'digits' | 'rows' | 'sums'
> {
  /** Undefined without a previous schedule that can be read. */
  readonly former: ScheduleSums | undefined;
}

export interface PortfolioRun {
  readonly all: number;
  readonly tally: Tally;
  readonly duplicates: DuplicateIds;
  /** In the order in which they were calculated. */
  readonly results: readonly FinishedContract[];
  readonly failures: readonly CountedFailure[];
  /** Calculates what is not done yet. */
  continue(ports: RunPorts): Promise<RunEnd>;
}

export interface RunPorts {
  readonly calculate: (contract: Contract, signal: AbortSignal) => Promise<CalculatedSchedule>;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called before a call is repeated. */
  readonly onRepeat: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** An engine that starts, stops or is overloaded answers again within this many seconds, or the run is interrupted. */
const MAX_ATTEMPTS = 15;
const REPEAT_MS = 1_000;
const BUSY: ReadonlySet<number | undefined> = new Set([429, 502, 503]);
/** The token is missing, no longer valid, or has no permission for calculations. */
const NOT_ALLOWED: ReadonlySet<number | undefined> = new Set([401, 403]);

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
  const finish = (outcome: Outcome<CalculatedSchedule>): void => {
    const { contract } = outcome;
    pending.delete(contract);
    const counted = outcome.kind === 'calculated' ? countedSchedule(contract, outcome.reply) : undefined;
    if (counted !== undefined) {
      const { comparison, warnings: _, ...finished } = counted;
      results.push({ ...finished, former: typeof comparison === 'string' ? undefined : comparison.before });
      countSchedule(tally, counted);
      return;
    }
    const { line, id } = contract;
    fail({ line, id, problem: outcome.kind === 'failed' ? problemOf(outcome.error) : NO_SCHEDULE });
  };
  return {
    all: file.contracts.length + file.unreadable.length,
    tally,
    duplicates: file.duplicates,
    results,
    failures,
    continue: ({ calculate, wait, onRepeat, signal }) =>
      runContracts<CalculatedSchedule>({
        contracts: [...pending],
        calculate,
        wait,
        signal,
        judge: (error, attempt) => {
          const verdict = judgeError(error, attempt);
          if (verdict.kind === 'repeat') onRepeat(error);
          return verdict;
        },
        onOutcome: finish,
      }),
  };
}

/** Whether another attempt, another contract, or neither can succeed. */
export function judgeError(error: unknown, attempt: number): Verdict {
  if (!(error instanceof EngineError)) return { kind: 'failed' };
  if (NOT_ALLOWED.has(error.status)) return { kind: 'interrupted' };
  // No status: no connection, or no answer in time.
  if (error.status !== undefined && !BUSY.has(error.status)) return { kind: 'failed' };
  if (attempt >= MAX_ATTEMPTS) return { kind: 'interrupted' };
  return { kind: 'repeat', afterMs: Math.max(REPEAT_MS, error.retryAfterMs ?? 0) };
}

const NO_SCHEDULE: CountedFailure['problem'] = {
  code: 'unexpected',
  title: 'The reply contains no instalments or invalid figures.',
};

function problemOf(error: unknown): CountedFailure['problem'] {
  if (error instanceof EngineError) return error.problem ?? { code: error.code, title: error.message };
  return { code: 'unexpected', title: error instanceof Error ? error.message : String(error) };
}

/** Undefined if the reply has no instalments with amounts. */
function countedSchedule(
  { line, id, jsonParam, schedule, ignored }: Contract,
  { rows: replied, warnings }: CalculatedSchedule,
): CountedSchedule | undefined {
  const digits = digitsOf(jsonParam);
  const replySchedule = readFormerSchedule(replied, digits);
  if (replySchedule === undefined) return undefined;
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

/** The decimals of a request's amounts: those of Precision, or of the currency (M2). */
function digitsOf(jsonParam: Contract['jsonParam']): number {
  const precision = fieldOf(jsonParam, 'Precision');
  if (typeof precision === 'number') return precision;
  const currency = fieldOf(jsonParam, 'Currency');
  return (typeof currency === 'string' ? currencyDigits(currency) : undefined) ?? DEFAULT_CURRENCY_DIGITS;
}

/** A field in either spelling. */
function fieldOf(jsonParam: Contract['jsonParam'], name: string): unknown {
  return jsonParam[name] ?? jsonParam[`${name.charAt(0).toLowerCase()}${name.slice(1)}`];
}
