/** The state of a loan between two rows, and of the row that is being calculated. Amounts are minor units. */

import type { CalendarDate } from '../dates/calendar-date.ts';
import type { InterestSegment } from './interest-segments.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { RepaymentTerms } from '../terms/repayment-terms.ts';

export interface LoanState {
  balance: number;
  residual: number;
  /** Index of the interest segment in force. */
  segment: number;
  /** Level payment or equal part in force; undefined before the first is calculated, and in types without either. */
  payment: number | undefined;
  /** Why the payment stays: fixed by the request (B2), or kept by a prepayment (X3). */
  hold: 'none' | 'fixed' | 'kept';
  /** Why the next row with a payment calculates it again: a changed rate or balance, or `no` if it does not. */
  solveDue: 'no' | 'rate' | 'balance';
  /** Prepaid amount that the next payment to be calculated counts as owed (X3). */
  prepaid: number;
  /** Row of the first prepayment in `prepaid`, with the numerator left before it; undefined if on a due date. */
  prepaidIn: { readonly index: number; readonly count: number } | undefined;
  /** Payment kept by prepayments, to begin after capitalising grace; undefined if none is kept or it has begun (X3). */
  keptPayment: number | undefined;
  /** Planned balance and residual, while they differ from the actual ones because of capitalising grace (G2). */
  planned: RepaidBalance | undefined;
  /** Interest that a grace period has deferred and no row has collected yet (G2). */
  deferred: number;
  /** Number of the first row whose interest was deferred; 0 if there is none yet. */
  deferredFrom: number;
  /** Blocked principal that the first due row is still to collect; `blockInterest` is the blocked interest (X2). */
  block: number;
  blockInterest: number;
}

/** A due row, or the part of its period before a prepayment, while its figures are calculated. */
export interface RowPeriod {
  readonly index: number;
  readonly no: number;
  readonly count: number;
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  readonly segment: InterestSegment;
  /** False for the part before a prepayment: the due row collects the charges, once (X3). */
  readonly collectsCharges: boolean;
  accrued: number;
}

export function createLoanState(amount: number, terms: RepaymentTerms, settledRows: number): LoanState {
  const { gracePrincipal, graceInterest, graceType, fixedPayment, residual } = terms;
  const partsFromPlan =
    graceType === 'Capitalised' && graceInterest > gracePrincipal && graceInterest > settledRows;
  const held = heldInterest(terms, settledRows);
  const isDeferred = graceType === 'Deferred' || graceType === 'Spread';
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
    planned: partsFromPlan ? { balance: amount - held, residual } : undefined,
    deferred: isDeferred ? held : 0,
    deferredFrom: isDeferred && held !== 0 ? 1 : 0,
    block: terms.blockAmount,
    blockInterest: terms.blockInterest - held,
  };
}

/** The blocked interest that the grace period of settled rows has held back: its GraceType decides what becomes of it (X2). */
export function heldInterest(
  { graceType, graceInterest, blockInterest }: RepaymentTerms,
  settledRows: number,
): number {
  const isSpread = graceType === 'Spread' && graceInterest > 0;
  return isSpread || graceInterest > settledRows ? blockInterest : 0;
}

/** True if no row shows the held interest: it was forgiven, or capitalised without a plan of the principal beside it (G2). */
export function losesHeldInterest(terms: RepaymentTerms, settledRows: number): boolean {
  const { graceType, gracePrincipal, graceInterest } = terms;
  const isLost = graceType === 'Forgiven' || (graceType === 'Capitalised' && graceInterest <= gracePrincipal);
  return isLost && heldInterest(terms, settledRows) > 0;
}
