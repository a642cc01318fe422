/**
 * The rows of a schedule: interest and principal of every due row, early repayments between them, and the residual
 * after the last (S2, S5, G, B, X). The balance moves by rounded figures; the last row takes what is left (M2, M3).
 */

import type { AmortisedRow } from './amortised-row.ts';
import { collectInterest, joiningInterest } from './collected-interest.ts';
import { repayEarly } from './prepayment-row.ts';
import { LARGEST_AMOUNT_MINOR } from '../numbers/money.ts';
import { plannedPrincipal, type AccruedRow } from './planned-principal.ts';
import {
  isRowFault,
  outsideBands,
  rowFault,
  stateAtStart,
  type InterestFrom,
  type LoanState,
  type PeriodLeft,
  type RepaymentPlan,
  type RowFault,
} from './repayment-plan.ts';

/** Rows in the order in which they are answered, or why there are none. */
export type Amortisation = { readonly kind: 'rows'; readonly rows: readonly AmortisedRow[] } | RowFault;

/** Works out all rows of a plan. Never throws for a request that has been checked. */
export function amortise(plan: RepaymentPlan): Amortisation {
  const state = stateAtStart(plan);
  const kept = paymentWithoutKeeping(plan);
  if (kept !== undefined && isRowFault(kept)) return kept;
  state.keptPayment = kept;
  return amortiseRows(plan, state, plan.dates.rowCount);
}

/**
 * What the first instalment after capitalising grace is without the prepayments that keep the payment and lie before it
 * (X3). Until then no payment is in force that they could keep: that of the plan leaves out the capitalised interest
 * (G2).
 */
function paymentWithoutKeeping(plan: RepaymentPlan): number | RowFault | undefined {
  const { dates, terms } = plan;
  const { earlyRepayments, graceInterest, gracePrincipal, graceType } = terms;
  if (graceType !== 'Capitalised' || graceInterest <= dates.settledRows) return undefined;
  const index = Math.max(graceInterest, gracePrincipal) - dates.settledRows;
  const dueDate = dates.accrualDates[index] ?? dates.accrualStart;
  const before = earlyRepayments.filter(({ date }) => date < dueDate);
  const others = before.slice(0, before.findLastIndex(({ decreasesPayment }) => decreasesPayment) + 1);
  // A lock that no prepayment ends is in force already; a loan that it does not carry need not be worked out.
  const isLocked = terms.lock !== undefined && others.length === 0;
  if (isLocked || others.length === before.length) return undefined;
  const without = { ...plan, terms: { ...terms, earlyRepayments: others }, notes: undefined };
  const state = stateAtStart(without);
  const outcome = amortiseRows(without, state, index + 1);
  return outcome.kind === 'fault' ? outcome : state.payment;
}

/** The rows up to an index, at most that of the last, which a residual may follow. */
function amortiseRows(plan: RepaymentPlan, state: LoanState, rowCount: number): Amortisation {
  const { dates, counts, terms } = plan;
  const rows: AmortisedRow[] = [];
  const repayments = terms.earlyRepayments;
  let next = 0;
  for (let index = 0; index < rowCount; index += 1) {
    enterRates(plan, state, index);
    const to = dates.accrualDates[index] ?? dates.accrualStart;
    let period: PeriodLeft = {
      from: (index === 0 ? dates.accrualStart : dates.accrualDates[index - 1]) ?? dates.accrualStart,
      count: index === dates.rowCount - 1 ? plan.lastCount : (counts[index] ?? 0),
      usedCount: 0,
    };
    for (let early = repayments[next]; early !== undefined && early.date < to; early = repayments[++next]) {
      const repaid = repayEarly(plan, state, { early, index, period });
      if (isRowFault(repaid)) return repaid;
      rows.push(repaid.row);
      if (repaid.ends) return finished(plan, rows, next + 1);
      period = repaid.period;
    }
    const due = dueRow(plan, state, index, period);
    if (isRowFault(due)) return due;
    rows.push(due.row);
    for (let early = repayments[next]; early?.date === to && state.balance > 0; early = repayments[++next]) {
      const repaid = repayEarly(plan, state, { early, index, period: undefined });
      if (isRowFault(repaid)) return repaid;
      rows.push(repaid.row);
      if (repaid.ends) return finished(plan, rows, next + 1);
    }
    if (due.ends && index < dates.rowCount - 1) return finished(plan, rows, next);
  }
  if (state.balance > 0) rows.push(residualRow(plan, state));
  return finished(plan, rows, next);
}

/** An early repayment after the row that ended the loan has nothing left to repay (X3). */
function finished(plan: RepaymentPlan, rows: readonly AmortisedRow[], done: number): Amortisation {
  const late = plan.terms.earlyRepayments[done];
  if (late === undefined) return { kind: 'rows', rows };
  return rowFault(
    `${late.path}.Date`,
    'date-order',
    'must not be after the last due date: nothing is owed then',
  );
}

/** The interest in force in a row; a change of rate asks for a new level payment unless it is held (R1, B2). */
function enterRates(plan: RepaymentPlan, state: LoanState, index: number): void {
  while (plan.interest[state.segment + 1]?.fromIndex === index) {
    state.segment += 1;
    const isSolved = state.hold === 'none' && state.solveDue === 'no';
    if (isSolved && plan.compiled.principal.kind === 'Balance') state.solveDue = 'rate';
  }
}

function interestInForce(plan: RepaymentPlan, state: LoanState): InterestFrom {
  const found = plan.interest[state.segment];
  if (found === undefined) throw new RangeError('a row without a rate');
  return found;
}

interface DueRow {
  readonly row: AmortisedRow;
  readonly ends: boolean;
}

function dueRow(plan: RepaymentPlan, state: LoanState, index: number, period: PeriodLeft): DueRow | RowFault {
  const { dates, terms } = plan;
  const interest = interestInForce(plan, state);
  const remaining = state.balance;
  if (!interest.interest.covers(remaining)) return outsideBands();
  const no = dates.settledRows + index + 1;
  const { count } = period;
  const to = dates.accrualDates[index] ?? dates.accrualStart;
  plan.notes?.begin(plan, state, { count, interest });
  const due = { index, no, count, from: period.from, to, interest, collectsCharges: true };
  const accrued =
    plan.formulas === undefined
      ? interest.interest.interestOf(remaining, count)
      : plan.formulas.accrued(state, due);
  if (isRowFault(accrued)) return accrued;
  const isLast = index === dates.rowCount - 1;
  const row: AccruedRow = { index, no, count, accrued, interest };
  const principal = isLast ? restOf(plan, state) : plannedPrincipal(plan, state, row);
  if (isRowFault(principal)) return principal;
  const left = remaining - principal + joiningInterest(plan, no, accrued);
  const ends = isLast || (left === 0 && endsAtZero(plan, state));
  const rowsLeft = dates.rowCount - index;
  // A row before the last that ends the loan repays what negative interest leaves of the balance, so that it still joins.
  const collecting = { no, accrued, ends, repaysAll: isLast, rowsLeft };
  const { interest: collected, capitalised } = collectInterest(plan, state, collecting);
  state.balance = remaining - principal + capitalised;
  // Negative interest that joins the balance may take it below the residual, which is then all that is left.
  if (state.balance < state.residual) state.residual = state.balance;
  if (state.balance > LARGEST_AMOUNT_MINOR || state.pool > LARGEST_AMOUNT_MINOR) return tooLarge();
  const isGrace = no <= terms.gracePrincipal || no <= terms.graceInterest;
  const result: AmortisedRow = {
    kind: isGrace ? 'grace' : 'regular',
    no,
    index,
    from: period.from,
    to,
    dueDate: dates.shownDates[index] ?? to,
    count,
    remaining,
    accrued,
    interest: collected,
    capitalised,
    principal,
  };
  plan.notes?.end(result);
  const fault = plan.formulas?.finish(result);
  return fault ?? { row: result, ends };
}

/** A payment that does not follow from the number of rows ends the schedule when the balance is zero (B2, X3). */
function endsAtZero({ compiled }: RepaymentPlan, state: LoanState): boolean {
  return (
    state.hold !== 'none' || compiled.payment.kind === 'Formula' || compiled.principal.kind === 'Formula'
  );
}

/** The last row takes everything but a residual that has a row of its own (M3, B1). */
function restOf({ terms, notes }: RepaymentPlan, state: LoanState): number {
  const left = terms.residualInInstallment ? 0 : Math.min(state.residual, state.balance);
  notes?.principal({ rule: 'rest', balance: state.balance, residual: left });
  state.block = 0;
  return state.balance - left;
}

/** The residual on the date of the last row, without interest (B1). */
function residualRow(plan: RepaymentPlan, state: LoanState): AmortisedRow {
  const { dates } = plan;
  const index = dates.rowCount - 1;
  const date = dates.accrualDates[index] ?? dates.accrualStart;
  const row: AmortisedRow = {
    kind: 'residual',
    no: dates.settledRows + dates.rowCount + 1,
    index,
    from: date,
    to: date,
    dueDate: dates.shownDates[index] ?? date,
    count: 0,
    remaining: state.balance,
    accrued: 0,
    interest: 0,
    capitalised: 0,
    principal: state.balance,
  };
  plan.notes?.begin(plan, state, { count: 0, interest: interestInForce(plan, state) });
  plan.notes?.principal({ rule: 'residual' });
  plan.notes?.end(row);
  return row;
}

function tooLarge(): RowFault {
  const message = 'must be smaller: the balance or its interest grows beyond what can be calculated with';
  return rowFault('Amount', 'amount-too-large', message);
}
