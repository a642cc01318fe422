/**
 * A prepayment that keeps the payment (X3, DecreaseInstallment false): the rows after it pay what they would pay without
 * it, so that the loan ends earlier. What is held depends on when the prepayment falls:
 *
 * - a payment is in force: it stays, and is not solved again;
 * - none has been solved yet: the next one is solved as if the prepaid amount were still outstanding;
 * - in capitalising grace: the payment after the grace is that of the same loan without these prepayments.
 */

import type { LoanState, RowPeriod } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';

/** Keeps the payment through a prepayment; `before` is what was left of the row's period before it, undefined on a due date. */
export function keepPayment(state: LoanState, amount: number, before: LoanState['prepaidIn']): void {
  if (state.payment === undefined || state.solveDue === 'balance') {
    if (state.prepaid === 0) state.prepaidIn = before;
    state.prepaid += amount;
  } else if (state.hold === 'none') {
    state.hold = 'kept';
    state.solveDue = 'no';
  }
}

/** Ends what locks or prepayments hold: the payment is solved again for the lower balance. */
export function releasePayment(state: LoanState): void {
  state.hold = 'none';
  state.solveDue = 'balance';
  forgetPrepaid(state);
}

/** Day-count numerator of the first row that a payment is solved over: that of the period before any kept prepayment. */
export function countBeforePrepayment(state: LoanState, row: RowPeriod): number {
  return state.prepaidIn?.index === row.index ? state.prepaidIn.count : row.count;
}

/** Holds a payment that was just solved as if prepaid amounts were outstanding. */
export function holdSolvedPayment(state: LoanState): void {
  if (state.prepaid === 0) return;
  state.hold = 'kept';
  forgetPrepaid(state);
}

/** Puts the payment that prepayments in capitalising grace keep in force, once that grace has ended. */
export function startKeptPayment(state: LoanState): void {
  if (state.keptPayment === undefined || state.hold === 'locked') return;
  state.payment = state.keptPayment;
  state.keptPayment = undefined;
  state.hold = 'kept';
  state.solveDue = 'no';
  forgetPrepaid(state);
}

/**
 * The plan without the prepayments that keep the payment and lie before the first instalment after capitalising grace,
 * and the rows up to that instalment, whose payment they keep. Until then no payment is in force that they could keep:
 * that of the plan leaves out the capitalised interest (G2). Undefined where there are none.
 */
export function planWithoutKeeping(
  plan: RepaymentPlan,
): { readonly plan: RepaymentPlan; readonly rowCount: number } | undefined {
  const { dates, terms } = plan;
  const { prepayments, graceInterest, gracePrincipal, graceType } = terms;
  if (graceType !== 'Capitalised' || graceInterest <= dates.settledRows) return undefined;
  const index = Math.max(graceInterest, gracePrincipal) - dates.settledRows;
  const dueDate = dates.accrualDates[index] ?? dates.accrualStart;
  const before = prepayments.filter(({ date }) => date < dueDate);
  const others = before.slice(0, before.findLastIndex(({ decreasesPayment }) => decreasesPayment) + 1);
  // A lock that no prepayment ends is in force already; a loan that it does not carry need not be calculated.
  const isLocked = terms.lock !== undefined && others.length === 0;
  if (isLocked || others.length === before.length) return undefined;
  const without = { ...plan, terms: { ...terms, prepayments: others }, notes: undefined };
  return { plan: without, rowCount: index + 1 };
}

function forgetPrepaid(state: LoanState): void {
  state.prepaid = 0;
  state.prepaidIn = undefined;
}
