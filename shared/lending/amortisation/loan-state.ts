/** The state of a loan between two rows, and of the row that is being calculated. Amounts are minor units. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { InterestSegment } from './interest-segments.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { RepaymentTerms } from '../terms/repayment-terms.ts';

/** Why the payment in force does not change: it is fixed by the request, or kept after a prepayment. */
type PaymentHold = 'none' | 'fixed' | 'kept';

/** Deferred interest that is collected in equal parts over a number of rows (G2). */
export interface SpreadInterest {
  readonly part: number;
  readonly total: number;
  readonly rows: number;
}

/** The state between two rows. */
export interface LoanState {
  balance: number;
  residual: number;
  /** Index of the interest segment in force. */
  segment: number;
  /** Level payment or equal part in force; undefined only while it is still to be calculated. */
  payment: number | undefined;
  hold: PaymentHold;
  /** Whether the next row with a payment recalculates that payment, because the rate or the balance has changed. */
  solveDue: 'no' | 'rate' | 'balance';
  /**
   * Prepaid amount that the next payment calculation treats as still outstanding, with the row of the first such
   * prepayment and the remainder of its period (X3).
   */
  prepaid: number;
  prepaidIn: { readonly index: number; readonly count: number } | undefined;
  /**
   * Payment that prepayments keep, starting with the first row after a capitalising grace period; undefined if no
   * prepayment keeps one (X3).
   */
  keptPayment: number | undefined;
  /**
   * The planned balance and residual, which exclude capitalised interest; set while they differ from the actual ones
   * because of a capitalising grace period (G2).
   */
  planned: RepaidBalance | undefined;
  /** Interest deferred by a grace period so far, the first row in which it accrued, and how it is spread (G2). */
  deferred: number;
  deferredFrom: number;
  spread: SpreadInterest | undefined;
  /** Blocked amounts that are collected with the first row (X2). */
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
  /** False for the part before a prepayment: the due row collects the charges, once (X3). */
  readonly collectsCharges: boolean;
  /** Interest accrued in the row; calculated before the principal. */
  accrued: number;
}

/** The state before the first row; `settledRows` are the rows before it (X1). */
export function createLoanState(amount: number, terms: RepaymentTerms, settledRows: number): LoanState {
  const { gracePrincipal, graceInterest, graceType, fixedPayment, residual } = terms;
  const partsFromPlan =
    graceType === 'Capitalised' && graceInterest > gracePrincipal && graceInterest > settledRows;
  return {
    balance: amount,
    residual,
    segment: 0,
    payment: fixedPayment,
    hold: fixedPayment === undefined ? 'none' : 'fixed',
    solveDue: fixedPayment === undefined ? 'balance' : 'no',
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
