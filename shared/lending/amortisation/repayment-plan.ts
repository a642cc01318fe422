/** What the rows of a schedule are worked out from, and what is known between two of them. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { CompiledScheduleType } from '../schedule-types/compiled-schedule-type.ts';
import type { DayCountName } from '../dates/day-count.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { RateFrom, RateTerms } from '../terms/rate-terms.ts';
import type { Fault, FaultCode } from '../request/refusal.ts';
import type { RepaymentTerms } from '../terms/repayment-terms.ts';
import type { RowFormulas } from './row-formulas.ts';
import type { RowInterest } from '../interest/row-interest.ts';
import type { RowNotes } from './row-notes.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

/** Interest in force from a row (index from 0) until the next one's. */
export interface InterestFrom {
  readonly fromIndex: number;
  readonly interest: RowInterest;
  /** The rate, for formulas and explanations; undefined with bands. */
  readonly rate: RateFrom | undefined;
}

/** Everything that the rows follow from. */
export interface RepaymentPlan {
  /** Financed amount in minor units. */
  readonly amount: number;
  readonly compiled: CompiledScheduleType;
  readonly terms: RepaymentTerms;
  readonly rates: RateTerms;
  readonly dates: ScheduleDates;
  readonly dayCount: DayCountName;
  /** Day-count numerators of the planned rows, later ones than are shown included (B6). */
  readonly counts: readonly number[];
  /** That of the last row that is paid: its due date is the termination date (C1), wherever the plan's own last one is. */
  readonly lastCount: number;
  /** By rising row; the first from row 0. */
  readonly interest: readonly InterestFrom[];
  /** Where the schedule type has formulas: what calculates them. */
  readonly formulas: RowFormulas | undefined;
  /** Where the request asks for explanations: what notes how figures came about. */
  readonly notes: RowNotes | undefined;
}

/** What early repayments leave of a row's period. */
export interface PeriodLeft {
  readonly from: CalendarDate;
  /** Day-count numerator. */
  readonly count: number;
  /** Numerator that they took of a regular 30/360 or 30/365 period (C2, X3). */
  readonly usedCount: number;
}

/** Why the payment in force does not change: locked by the request, or kept through an early repayment. */
export type Hold = 'none' | 'locked' | 'kept';

/** Whether the payment is to be solved again at the next paying row: for a change of the rate, or of what is owed. */
export type SolveDue = 'no' | 'rate' | 'balance';

/** Interest kept back that is collected in equal parts over a number of rows (G2). Minor units. */
export interface SpreadInterest {
  readonly part: number;
  readonly total: number;
  readonly rows: number;
}

/** What is known between two rows. Amounts are minor units. */
export interface LoanState {
  balance: number;
  residual: number;
  /** Index into `interest` of the plan. */
  segment: number;
  /** Level payment or equal part in force. */
  payment: number | undefined;
  hold: Hold;
  solveDue: SolveDue;
  /**
   * Repaid early before the payment was ever solved, though the payment is to be as if it were owed: the amount, and
   * the row in whose period that began with what was left of the period then (X3).
   */
  keptBack: number;
  keptFrom: { readonly index: number; readonly count: number } | undefined;
  /** Payment that prepayments keep from the first row after capitalising grace on; undefined: none does (X3). */
  keptPayment: number | undefined;
  /** The plan without interest grace, while capitalising grace parts it from the real loan (G2). */
  planned: RepaidBalance | undefined;
  /** Interest that grace kept back so far, the first row that it is of, and how it is spread (G2). */
  pool: number;
  poolFrom: number;
  spread: SpreadInterest | undefined;
  /** Amounts that join the first row (X2). */
  block: number;
  blockInterest: number;
}

/** The state before the first row. */
export function stateAtStart({ amount, terms, dates }: RepaymentPlan): LoanState {
  const { gracePrincipal, graceInterest, graceType, lock } = terms;
  const partsFromPlan =
    graceType === 'Capitalised' && graceInterest > gracePrincipal && graceInterest > dates.settledRows;
  return {
    balance: amount,
    residual: terms.residual,
    segment: 0,
    payment: lock,
    hold: lock === undefined ? 'none' : 'locked',
    solveDue: lock === undefined ? 'balance' : 'no',
    keptBack: 0,
    keptFrom: undefined,
    keptPayment: undefined,
    planned: partsFromPlan ? { balance: amount, residual: terms.residual } : undefined,
    pool: 0,
    poolFrom: 0,
    spread: undefined,
    block: terms.blockAmount,
    blockInterest: terms.blockInterest,
  };
}

/** A row, or why there is none. */
export type RowFault = Fault & { readonly kind: 'fault' };

/** A fault found in a row: the request is readable but cannot be computed (E1). */
export function rowFault(path: string, code: FaultCode, message: string): RowFault {
  return { kind: 'fault', path, code, message, status: 422 };
}

/** True of a fault in place of a figure or a row. */
export function isRowFault(result: number | object): result is RowFault {
  return typeof result === 'object' && 'kind' in result && result.kind === 'fault';
}

/** A balance that no band gives a rate for (R2). */
export function outsideBands(): RowFault {
  return rowFault(
    'BandedInterestRates',
    'outside-bands',
    'must give a rate for every balance of the schedule',
  );
}
