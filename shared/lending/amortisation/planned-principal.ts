/** The principal of a due row by the schedule type; the last row repays the rest (S2, S5, G1, B2, B3, X2). */

import { isRowFault, createRowFault, type RowFault } from './amortised-row.ts';
import { findCapitalisedInterest } from './collected-interest.ts';
import { countBeforePrepayment, holdSolvedPayment, startKeptPayment } from './kept-payment.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { LoanState, RowPeriod } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';
import { divideRounded } from '../numbers/rounding.ts';

/** Returns the principal in minor units, or a fault. Updates the payment and the planned balance of `state`. */
export function calculatePrincipal(
  plan: RepaymentPlan,
  state: LoanState,
  row: RowPeriod,
  isLast: boolean,
): number | RowFault {
  if (isLast) return payRest(plan, state);
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
    row.no <= terms.gracePrincipal ? skipPrincipal(plan) : calculateByType(plan, state, row, rest);
  if (isRowFault(principal)) return principal;
  const capitalised = findCapitalisedInterest(plan, row.no, row.accrued);
  const isWithinBalance = state.planned === undefined && capitalised >= 0;
  if (state.planned !== undefined) {
    state.planned = { balance: rest.balance - principal, residual: rest.residual };
  }
  const total = principal + block;
  const repaid = isWithinBalance ? total : capByBalance(plan, state, total, capitalised);
  if (block > 0 && repaid === total) plan.explanations?.block({ principal: block });
  return repaid;
}

/** The last row repays the whole balance, except a residual that has a row of its own (M3, B1). */
function payRest({ terms, explanations }: RepaymentPlan, state: LoanState): number {
  const left = terms.residualInInstallment ? 0 : Math.min(state.residual, state.balance);
  explanations?.principal({ rule: 'rest', balance: state.balance, residual: left });
  state.block = 0;
  return state.balance - left;
}

/** Capitalised negative interest lowers the most that a row can repay, including a blocked amount (R3, X2). */
function capByBalance(plan: RepaymentPlan, state: LoanState, total: number, capitalised: number): number {
  const { balance } = state;
  const reduction = Math.min(0, capitalised);
  const residual = Math.min(state.residual, balance + reduction);
  return capPrincipal(plan, total, { balance, residual, ...(reduction < 0 && { capitalised: reduction }) });
}

function skipPrincipal({ explanations }: RepaymentPlan): number {
  explanations?.principal({ rule: 'none', why: 'grace' });
  return 0;
}

function calculateByType(
  plan: RepaymentPlan,
  state: LoanState,
  row: RowPeriod,
  rest: RepaidBalance,
): number | RowFault {
  const { principal: method } = plan.compiled;
  switch (method.kind) {
    case 'AtMaturity':
      plan.explanations?.principal({ rule: 'none', why: 'before-maturity' });
      return 0;
    case 'CapitalPercent': {
      const share = plan.terms.capitalShare ?? { numerator: 0n, denominator: 1n };
      const rounding = plan.compiled.type.rounding;
      const part = Number(divideRounded(BigInt(rest.balance) * share.numerator, share.denominator, rounding));
      plan.explanations?.principal({
        rule: 'percent',
        percent: plan.terms.capitalPercent,
        base: rest.balance,
      });
      return capPrincipal(plan, part, rest);
    }
    case 'EqualParts':
      if (state.solveDue !== 'no') calculatePayment(plan, state, row, rest);
      plan.explanations?.principal({ rule: 'part' });
      return capPrincipal(plan, state.payment ?? 0, rest);
    case 'Balance':
      return subtractInterest(plan, state, row, rest);
    case 'Formula': {
      const part = plan.formulas?.principal(method.formula) ?? 0;
      return isRowFault(part) ? part : capPrincipal(plan, part, rest);
    }
    default:
      return method satisfies never;
  }
}

function capPrincipal(
  { explanations }: RepaymentPlan,
  part: number,
  rest: RepaidBalance & { readonly capitalised?: number },
): number {
  const most = rest.balance + (rest.capitalised ?? 0) - rest.residual;
  if (part <= most) return part;
  explanations?.principal({ rule: 'rest', ...rest });
  return most;
}

function subtractInterest(
  plan: RepaymentPlan,
  state: LoanState,
  row: RowPeriod,
  rest: RepaidBalance,
): number | RowFault {
  const { terms, compiled } = plan;
  const isPlain = rest.balance === state.balance;
  const interest = isPlain ? row.accrued : row.segment.interest.accrue(rest.balance, row.count);
  const payment = findPayment(plan, state, row, rest);
  if (isRowFault(payment)) return payment;
  plan.explanations?.principal(isPlain ? { rule: 'payment' } : { rule: 'payment', planInterest: interest });
  const principal = payment - interest;
  if (principal >= 0) return capPrincipal(plan, principal, rest);
  if (state.hold === 'fixed') {
    if (terms.allowsNegativeAmortisation) return principal;
    const message = `must cover the interest of row ${row.no}, or AllowNegativeAmortisation must be true`;
    return createRowFault('installmentValue', 'payment-below-interest', message);
  }
  // The row consists of interest only, and a level payment is calculated again over the remaining rows (S5).
  plan.explanations?.principal({ rule: 'none', why: 'interest-exceeds-payment' });
  if (compiled.payment.kind === 'Level') {
    state.hold = 'none';
    state.solveDue = 'balance';
  }
  return 0;
}

function findPayment(
  plan: RepaymentPlan,
  state: LoanState,
  row: RowPeriod,
  rest: RepaidBalance,
): number | RowFault {
  const { payment } = plan.compiled;
  if (payment.kind === 'Formula' && state.hold !== 'fixed') {
    return plan.formulas?.payment(payment.formula) ?? 0;
  }
  if (state.solveDue !== 'no') calculatePayment(plan, state, row, rest);
  return state.payment ?? 0;
}

/** Calculates the level payment, or the equal part, over all planned rows from this one on (S5, B6). */
function calculatePayment(plan: RepaymentPlan, state: LoanState, row: RowPeriod, rest: RepaidBalance): void {
  const repaid = { balance: rest.balance + state.prepaid, residual: rest.residual };
  if (plan.compiled.principal.kind === 'EqualParts') {
    const rows = plan.dates.dueDates.length - row.index;
    const dividend = BigInt(repaid.balance - repaid.residual);
    state.payment = Number(divideRounded(dividend, BigInt(rows), plan.compiled.type.rounding));
    plan.explanations?.equalPart(state.payment, repaid, rows);
  } else {
    const firstCount = countBeforePrepayment(state, row);
    state.payment = row.segment.interest.solveLevelPayment(repaid, { first: row.index, firstCount });
    plan.explanations?.levelPayment(state.payment, repaid, row, firstCount);
  }
  state.solveDue = 'no';
  holdSolvedPayment(state);
}
