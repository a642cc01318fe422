/**
 * Prepayments that keep the payment (X3, DecreaseInstallment false), so that the loan ends earlier. A payment in force
 * stays. A payment not yet calculated is calculated as if the prepaid amount were outstanding. The payment after
 * capitalising grace is that of the same loan without these prepayments.
 */

import type { LoanState, RowPeriod } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';

/** `before` is the row, with the numerator left in it just before the prepayment; undefined if on a due date. */
export function keepPayment(state: LoanState, amount: number, before: LoanState['prepaidIn']): void {
  if (state.payment === undefined || state.solveDue === 'balance') {
    if (state.prepaid === 0) state.prepaidIn = before;
    state.prepaid += amount;
  } else if (state.hold === 'none') {
    state.hold = 'kept';
    state.solveDue = 'no';
  }
}

/** Lets the next row calculate the payment again, after a prepayment that decreases it (X3). */
export function releasePayment(state: LoanState): void {
  state.hold = 'none';
  state.solveDue = 'balance';
  forgetPrepaid(state);
}

/** Day-count numerator of a payment's first row; prepayments that keep the payment do not shorten the row's period. */
export function countBeforePrepayment(state: LoanState, row: RowPeriod): number {
  return state.prepaidIn?.index === row.index ? state.prepaidIn.count : row.count;
}

/** Keeps the payment just calculated, if it counted prepaid amounts as outstanding. */
export function holdSolvedPayment(state: LoanState): void {
  if (state.prepaid === 0) return;
  state.hold = 'kept';
  forgetPrepaid(state);
}

/** Puts into force the payment kept through capitalising grace, if there is one. */
export function startKeptPayment(state: LoanState): void {
  if (state.keptPayment === undefined) return;
  state.payment = state.keptPayment;
  state.keptPayment = undefined;
  state.hold = 'kept';
  state.solveDue = 'no';
  forgetPrepaid(state);
}

/**
 * The plan without the prepayments that keep the first payment after capitalising grace, and the number of rows up to
 * and including the first with that payment; undefined if there are no such prepayments or the payment is fixed. Rows
 * of the grace period have no payment to keep: they follow the plan, which excludes capitalised interest (G2, X3).
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
  // A fixed payment that no prepayment releases is already in force, so it is not calculated.
  const isFixed = terms.fixedPayment !== undefined && others.length === 0;
  if (isFixed || others.length === before.length) return undefined;
  const without = { ...plan, terms: { ...terms, prepayments: others }, explanations: undefined };
  return { plan: without, rowCount: index + 1 };
}

function forgetPrepaid(state: LoanState): void {
  state.prepaid = 0;
  state.prepaidIn = undefined;
}
