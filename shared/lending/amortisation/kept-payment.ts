/**
 * A prepayment that keeps the payment (X3, DecreaseInstallment false): the rows after it pay what they would pay without
 * it, so that the loan ends earlier. Which payment is kept depends on the time of the prepayment:
 *
 * - a payment is in force: it stays and is not recalculated;
 * - no payment has been calculated yet: the next one is calculated as if the prepaid amount were still outstanding;
 * - in capitalising grace: the payment after the grace is that of the same loan without these prepayments.
 */

import type { LoanState, RowPeriod } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';

/**
 * Keeps the payment through a prepayment; `before` is the remainder of the row's period before it, undefined on a due
 * date.
 */
export function keepPayment(state: LoanState, amount: number, before: LoanState['prepaidIn']): void {
  if (state.payment === undefined || state.solveDue === 'balance') {
    if (state.prepaid === 0) state.prepaidIn = before;
    state.prepaid += amount;
  } else if (state.hold === 'none') {
    state.hold = 'kept';
    state.solveDue = 'no';
  }
}

/** Releases a fixed or kept payment: it is recalculated for the lower balance. */
export function releasePayment(state: LoanState): void {
  state.hold = 'none';
  state.solveDue = 'balance';
  forgetPrepaid(state);
}

/**
 * Day-count numerator of the first row in the calculation of a payment: that of its period before any prepayment that
 * keeps the payment.
 */
export function countBeforePrepayment(state: LoanState, row: RowPeriod): number {
  return state.prepaidIn?.index === row.index ? state.prepaidIn.count : row.count;
}

/** Keeps a payment that was just calculated as if prepaid amounts were outstanding. */
export function holdSolvedPayment(state: LoanState): void {
  if (state.prepaid === 0) return;
  state.hold = 'kept';
  forgetPrepaid(state);
}

/** Sets the payment that was kept by prepayments in capitalising grace, once that grace has ended. */
export function startKeptPayment(state: LoanState): void {
  if (state.keptPayment === undefined) return;
  state.payment = state.keptPayment;
  state.keptPayment = undefined;
  state.hold = 'kept';
  state.solveDue = 'no';
  forgetPrepaid(state);
}

/**
 * The plan without the prepayments that keep the payment and lie before the first instalment after capitalising grace,
 * and the rows up to that instalment, whose payment they keep. Before it there is no payment to keep: that of the plan
 * excludes the capitalised interest (G2). Undefined where there are none.
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
  // A fixed payment that no prepayment releases is already in force: there is nothing to calculate.
  const isFixed = terms.fixedPayment !== undefined && others.length === 0;
  if (isFixed || others.length === before.length) return undefined;
  const without = { ...plan, terms: { ...terms, prepayments: others }, notes: undefined };
  return { plan: without, rowCount: index + 1 };
}

function forgetPrepaid(state: LoanState): void {
  state.prepaid = 0;
  state.prepaidIn = undefined;
}
