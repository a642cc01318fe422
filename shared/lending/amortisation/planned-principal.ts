/**
 * The principal that a due row pays by its schedule type, before the last row repays the rest (S2, S5, G1, B2, B3, X2).
 */

import { isRowFault, rowFault, type RowFault } from './amortised-row.ts';
import { joiningInterest } from './collected-interest.ts';
import { countBeforePrepayment, holdSolvedPayment, startKeptPayment } from './kept-payment.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { LoanState, RowPeriod } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';
import { divideRounded, divideRoundedSafe } from '../numbers/rounding.ts';

/**
 * The principal of a row other than the last, in minor units, or a fault. Recalculates the payment where that is due,
 * and updates the plan's own balance where capitalising grace makes it differ from the actual one.
 */
export function plannedPrincipal(plan: RepaymentPlan, state: LoanState, row: RowPeriod): number | RowFault {
  const { terms } = plan;
  if (state.planned !== undefined && row.no > terms.graceInterest) {
    state.planned = undefined;
    if (state.hold === 'none') state.solveDue = 'balance';
  }
  if (row.no > Math.max(terms.graceInterest, terms.gracePrincipal)) startKeptPayment(state);
  const { block } = state;
  const outstanding = state.planned ?? state;
  const rest = { balance: outstanding.balance - block, residual: outstanding.residual };
  state.block = 0;
  const principal =
    row.no <= terms.gracePrincipal ? principalInGrace(plan) : principalByType(plan, state, row, rest);
  if (isRowFault(principal)) return principal;
  const joining = joiningInterest(plan, row.no, row.accrued);
  const isFree = state.planned === undefined && joining >= 0;
  if (state.planned !== undefined) {
    state.planned = { balance: rest.balance - principal, residual: rest.residual };
  }
  const total = principal + block;
  // The plan and the blocked amount may exceed the outstanding balance, which capitalised negative interest lowers (R3,
  // G2, B4, X2).
  const lost = Math.min(0, joining);
  const residual = Math.min(state.residual, state.balance + lost);
  const outstandingHere = { balance: state.balance, residual, ...(lost < 0 && { joining: lost }) };
  const repaid = isFree ? total : capped(plan, total, outstandingHere);
  if (block > 0 && repaid === total) plan.notes?.block({ principal: block });
  return repaid;
}

function principalInGrace({ notes }: RepaymentPlan): number {
  notes?.principal({ rule: 'none', why: 'grace' });
  return 0;
}

function principalByType(
  plan: RepaymentPlan,
  state: LoanState,
  row: RowPeriod,
  rest: RepaidBalance,
): number | RowFault {
  const { principal: method } = plan.compiled;
  switch (method.kind) {
    case 'AtMaturity':
      plan.notes?.principal({ rule: 'none', why: 'before-maturity' });
      return 0;
    case 'CapitalPercent': {
      const share = plan.terms.capitalShare ?? { numerator: 0n, denominator: 1n };
      const rounding = plan.compiled.type.rounding;
      const part = Number(divideRounded(BigInt(rest.balance) * share.numerator, share.denominator, rounding));
      plan.notes?.principal({ rule: 'percent', percent: plan.terms.capitalPercent, base: rest.balance });
      return capped(plan, part, rest);
    }
    case 'EqualParts':
      if (state.solveDue !== 'no') solve(plan, state, row, rest);
      plan.notes?.principal({ rule: 'part' });
      return capped(plan, state.payment ?? 0, rest);
    case 'Balance':
      return principalOfPayment(plan, state, row, rest);
    case 'Formula': {
      const part = plan.formulas?.principal(method.formula) ?? 0;
      return isRowFault(part) ? part : capped(plan, part, rest);
    }
    default:
      return method satisfies never;
  }
}

/** Limits the principal to the balance above the residual, less negative interest. */
function capped(
  { notes }: RepaymentPlan,
  part: number,
  rest: RepaidBalance & { readonly joining?: number },
): number {
  const most = rest.balance + (rest.joining ?? 0) - rest.residual;
  if (part <= most) return part;
  notes?.principal({ rule: 'rest', ...rest });
  return most;
}

/** The payment less the interest of the plan (S2, Balance). */
function principalOfPayment(
  plan: RepaymentPlan,
  state: LoanState,
  row: RowPeriod,
  rest: RepaidBalance,
): number | RowFault {
  const { terms, compiled } = plan;
  const isPlain = rest.balance === state.balance;
  const interest = isPlain ? row.accrued : row.segment.interest.accrue(rest.balance, row.count);
  const payment = paymentInForce(plan, state, row, rest);
  if (isRowFault(payment)) return payment;
  plan.notes?.principal(isPlain ? { rule: 'payment' } : { rule: 'payment', planInterest: interest });
  const principal = payment - interest;
  if (principal >= 0) return capped(plan, principal, rest);
  if (state.hold === 'locked') {
    if (terms.allowsNegativeAmortisation) return principal;
    const message = `must cover the interest of row ${row.no}, or AllowNegativeAmortisation must be sent`;
    return rowFault('installmentValue', 'payment-below-interest', message);
  }
  // The row pays interest only, and the payment is recalculated over the remaining rows (S5).
  plan.notes?.principal({ rule: 'none', why: 'interest-exceeds-payment' });
  if (compiled.payment.kind === 'Level') {
    state.hold = 'none';
    state.solveDue = 'balance';
  }
  return 0;
}

function paymentInForce(
  plan: RepaymentPlan,
  state: LoanState,
  row: RowPeriod,
  rest: RepaidBalance,
): number | RowFault {
  const { payment } = plan.compiled;
  if (payment.kind === 'Formula' && state.hold !== 'locked') {
    return plan.formulas?.payment(payment.formula) ?? 0;
  }
  if (state.solveDue !== 'no') solve(plan, state, row, rest);
  return state.payment ?? 0;
}

/** Calculates the level payment, or the equal part, over the planned rows from this one on (S5, B6). */
function solve(plan: RepaymentPlan, state: LoanState, row: RowPeriod, rest: RepaidBalance): void {
  const repaid = { balance: rest.balance + state.prepaid, residual: rest.residual };
  if (plan.compiled.principal.kind === 'EqualParts') {
    const rows = plan.dates.dueDates.length - row.index;
    state.payment = divideRoundedSafe(repaid.balance - repaid.residual, rows, plan.compiled.type.rounding);
    plan.notes?.equalPart(state.payment, repaid, rows);
  } else {
    const firstCount = countBeforePrepayment(state, row);
    state.payment = row.segment.interest.solveLevelPayment(repaid, { first: row.index, firstCount });
    plan.notes?.levelPayment(state.payment, repaid, row, firstCount);
  }
  state.solveDue = 'no';
  holdSolvedPayment(state);
}
