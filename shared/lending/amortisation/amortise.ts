/** Calculates rows (S2, S5, G, B, X): rounded figures reduce the balance, and the last row repays the rest (M3). */

import {
  isRowFault,
  createBandFault,
  createRowFault,
  type AmortisedRow,
  type RowFault,
} from './amortised-row.ts';
import { collectInterest, findCapitalisedInterest } from './collected-interest.ts';
import type { CalendarDate } from '../dates/calendar-date.ts';
import { endsAtZero, refuseLatePrepayment } from './early-end.ts';
import { planWithoutKeeping } from './kept-payment.ts';
import { createLoanState, type LoanState, type RowPeriod } from './loan-state.ts';
import { MAX_AMOUNT_MINOR } from '../numbers/money.ts';
import { calculatePrincipal } from './planned-principal.ts';
import { prepay, type PeriodLeft } from './prepayment-row.ts';
import { findSegment, type RepaymentPlan } from './repayment-plan.ts';

type Amortisation = { readonly kind: 'rows'; readonly rows: readonly AmortisedRow[] } | RowFault;

/** Returns all rows, or the first fault. Call it only once for a plan: it fills the explanations of the plan. */
export function amortise(plan: RepaymentPlan): Amortisation {
  const { amount, dates } = plan;
  const state = createLoanState(amount, plan.terms, dates.settledRows);
  const before = planWithoutKeeping(plan);
  if (before !== undefined) {
    const stateBefore = createLoanState(amount, before.plan.terms, dates.settledRows);
    const outcome = amortiseRows(before.plan, stateBefore, before.rowCount);
    if (outcome.kind === 'fault') return outcome;
    state.keptPayment = stateBefore.payment;
  }
  return amortiseRows(plan, state, dates.rowCount);
}

function amortiseRows(plan: RepaymentPlan, state: LoanState, rowCount: number): Amortisation {
  const { dates, counts, terms } = plan;
  const rows: AmortisedRow[] = [];
  const { prepayments } = terms;
  let next = 0;
  let from = dates.accrualStart;
  for (let index = 0; index < rowCount; index += 1) {
    enterRates(plan, state, index);
    const to = dates.accrualDates[index] as CalendarDate;
    const count = index === dates.rowCount - 1 ? plan.lastCount : (counts[index] as number);
    let period: PeriodLeft = { from, to, count, usedCount: 0 };
    from = to;
    for (
      let early = prepayments[next];
      early !== undefined && early.date < to && state.balance > 0;
      early = prepayments[++next]
    ) {
      const prepaid = prepay(plan, state, { prepayment: early, index, period });
      if (isRowFault(prepaid)) return prepaid;
      rows.push(prepaid.row);
      if (prepaid.ends) return refuseLatePrepayment(plan, next + 1, rows) ?? { kind: 'rows', rows };
      period = prepaid.period;
    }
    const due = calculateDueRow(plan, state, index, period);
    if (due.kind === 'fault') return due;
    rows.push(due);
    for (let same = prepayments[next]; same?.date === to && state.balance > 0; same = prepayments[++next]) {
      const prepaid = prepay(plan, state, { prepayment: same, index, period: undefined });
      if (isRowFault(prepaid)) return prepaid;
      rows.push(prepaid.row);
      if (prepaid.ends) return refuseLatePrepayment(plan, next + 1, rows) ?? { kind: 'rows', rows };
    }
    const isRepaid = state.balance === 0 && endsAtZero(plan, state);
    if (isRepaid && index < dates.rowCount - 1)
      return refuseLatePrepayment(plan, next, rows) ?? { kind: 'rows', rows };
  }
  if (state.balance > 0) {
    const residual = createResidualRow(plan, state);
    if (residual.kind === 'fault') return residual;
    rows.push(residual);
  }
  return refuseLatePrepayment(plan, next, rows) ?? { kind: 'rows', rows };
}

/** A new rate requires a new level payment, unless the payment is fixed or kept (R1, B2). */
function enterRates(plan: RepaymentPlan, state: LoanState, index: number): void {
  while (plan.segments[state.segment + 1]?.fromIndex === index) {
    state.segment += 1;
    const isSolved = state.hold === 'none' && state.solveDue === 'no';
    if (isSolved && plan.compiled.principal.kind === 'Balance') state.solveDue = 'rate';
  }
}

function calculateDueRow(
  plan: RepaymentPlan,
  state: LoanState,
  index: number,
  period: PeriodLeft,
): AmortisedRow | RowFault {
  const { dates, terms } = plan;
  const segment = findSegment(plan, state);
  const remaining = state.balance;
  if (!segment.interest.covers(remaining)) return createBandFault();
  const no = dates.settledRows + index + 1;
  const { count, from, to } = period;
  const row: RowPeriod = { index, no, count, from, to, segment, collectsCharges: true, accrued: 0 };
  plan.explanations?.begin(state, segment);
  const accrued =
    plan.formulas === undefined
      ? segment.interest.accrue(remaining, count)
      : plan.formulas.accrued(state, row);
  if (isRowFault(accrued)) return accrued;
  row.accrued = accrued;
  const isLast = index === dates.rowCount - 1;
  const principal = calculatePrincipal(plan, state, row, isLast);
  if (isRowFault(principal)) return principal;
  const left = remaining - principal + findCapitalisedInterest(plan, no, accrued);
  const ends = isLast || (left === 0 && endsAtZero(plan, state));
  const rowsLeft = dates.rowCount - index;
  // A row that ends the loan early repays the balance less negative interest, so this interest is still capitalised.
  const collecting = { no, accrued, ends, repaysAll: isLast, rowsLeft };
  const { interest: collected, capitalised } = collectInterest(plan, state, collecting);
  state.balance = remaining - principal + capitalised;
  // If capitalised negative interest reduces the balance below the residual, only the balance is left to repay.
  if (state.balance < state.residual) state.residual = state.balance;
  if (state.balance > MAX_AMOUNT_MINOR || state.deferred > MAX_AMOUNT_MINOR) {
    const message = 'must be smaller: the balance or its interest exceeds the largest supported amount';
    return createRowFault('Amount', 'amount-too-large', message);
  }
  const isGrace = no <= terms.gracePrincipal || no <= terms.graceInterest;
  const result: AmortisedRow = {
    kind: isGrace ? 'grace' : 'regular',
    no,
    index,
    from,
    to,
    dueDate: dates.shownDates[index] ?? to,
    count,
    remaining,
    accrued,
    interest: collected,
    capitalised,
    principal,
  };
  plan.explanations?.end(result);
  return plan.formulas?.finish(result) ?? result;
}

/** Has no period, unless payments are in advance: then interest is part of what is due at the end of the term (B1, B7). */
function createResidualRow(plan: RepaymentPlan, state: LoanState): AmortisedRow | RowFault {
  const { dates, residualRow } = plan;
  const segment = findSegment(plan, state);
  if (residualRow !== undefined && !segment.interest.covers(state.balance)) return createBandFault();
  const index = dates.rowCount - 1;
  const date = dates.accrualDates[index] ?? dates.accrualStart;
  const { due, count } = residualRow ?? { due: state.balance, count: 0 };
  const accrued = count === 0 ? 0 : segment.interest.accrue(state.balance, count);
  const interest = Math.min(accrued, due - state.balance);
  const row: AmortisedRow = {
    kind: 'residual',
    no: dates.settledRows + dates.rowCount + 1,
    index,
    from: date,
    to: dates.termEnd?.accrualDate ?? date,
    dueDate: dates.termEnd?.shownDate ?? dates.shownDates[index] ?? date,
    count,
    remaining: state.balance,
    accrued: interest,
    interest,
    capitalised: 0,
    principal: state.balance,
  };
  plan.explanations?.begin(state, segment);
  plan.explanations?.principal({ rule: 'residual', ...(interest < accrued && { due }) });
  plan.explanations?.end(row);
  return row;
}
