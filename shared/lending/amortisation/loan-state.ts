/** What is known of a loan between two of its rows, and of the row that is being calculated. Amounts are minor units. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { InterestSegment } from './interest-segments.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { RepaymentTerms } from '../terms/repayment-terms.ts';

/** Why the payment in force does not change: locked by the request, or kept through a prepayment. */
export type PaymentHold = 'none' | 'locked' | 'kept';

/** Deferred interest that is collected in equal parts over a number of rows (G2). */
export interface SpreadInterest {
  readonly part: number;
  readonly total: number;
  readonly rows: number;
}

/** What is known between two rows. */
export interface LoanState {
  balance: number;
  residual: number;
  /** Index of the interest segment in force. */
  segment: number;
  /** Level payment or equal part in force. */
  payment: number | undefined;
  hold: PaymentHold;
  /** Whether the next paying row solves the payment again: for a change of the rate, or of the balance. */
  solveDue: 'no' | 'rate' | 'balance';
  /**
   * Prepaid before the payment was solved, which is to be as if that were still outstanding: the amount, and the row in
   * whose period that began with what was left of the period then (X3).
   */
  prepaid: number;
  prepaidIn: { readonly index: number; readonly count: number } | undefined;
  /** Payment that prepayments keep from the first row after capitalising grace on; undefined: none does (X3). */
  keptPayment: number | undefined;
  /** The plan without interest grace, while capitalising grace parts it from the real loan (G2). */
  planned: RepaidBalance | undefined;
  /** Interest that grace deferred so far, the first row that it is of, and how it is spread (G2). */
  deferred: number;
  deferredFrom: number;
  spread: SpreadInterest | undefined;
  /** Blocked amounts that join the first row (X2). */
  block: number;
  blockInterest: number;
}

/** A due row, or the part of one before a prepayment, while its figures are calculated. */
export interface RowPeriod {
  /** Index (from 0) into the dates. */
  readonly index: number;
  /** Original row number. */
  readonly no: number;
  /** Day-count numerator. */
  readonly count: number;
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  readonly segment: InterestSegment;
  /** False of a part before a prepayment: the due row collects the charges, once (X3). */
  readonly collectsCharges: boolean;
  /** Interest that the balance earned in it; known before any principal is. */
  accrued: number;
}

/** The state before the first row; `settledRows` are the rows before it (X1). */
export function stateAtStart(amount: number, terms: RepaymentTerms, settledRows: number): LoanState {
  const { gracePrincipal, graceInterest, graceType, lock, residual } = terms;
  const partsFromPlan =
    graceType === 'Capitalised' && graceInterest > gracePrincipal && graceInterest > settledRows;
  return {
    balance: amount,
    residual,
    segment: 0,
    payment: lock,
    hold: lock === undefined ? 'none' : 'locked',
    solveDue: lock === undefined ? 'balance' : 'no',
    prepaid: 0,
    prepaidIn: undefined,
    keptPayment: undefined,
    planned: partsFromPlan ? { balance: amount, residual } : undefined,
    deferred: 0,
    deferredFrom: 0,
    spread: undefined,
    block: terms.blockAmount,
    blockInterest: terms.blockInterest,
  };
}
