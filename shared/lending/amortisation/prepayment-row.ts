/** A repayment ahead of the schedule: a row of its own, and what it changes (X3). */

import type { AmortisedRow } from './amortised-row.ts';
import { collectInterest, joiningInterest } from './collected-interest.ts';
import { dayCountNumerator } from '../dates/day-count.ts';
import type { EarlyRepayment } from '../terms/prepayments.ts';
import {
  isRowFault,
  outsideBands,
  rowFault,
  type LoanState,
  type PeriodLeft,
  type RepaymentPlan,
  type RowFault,
} from './repayment-plan.ts';

/** An early repayment where it falls: before the end of a row's period, or on its due date. */
interface EarlyRowPlace {
  readonly early: EarlyRepayment;
  /** Index of the due row. */
  readonly index: number;
  /** What is left of the row's period; undefined on its due date, after the row. */
  readonly period: PeriodLeft | undefined;
}

/** The row, what is left of the period after it, and whether the loan ends with it. */
interface EarlyRow {
  readonly row: AmortisedRow;
  readonly period: PeriodLeft;
  readonly ends: boolean;
}

const DAYS_PER_MONTH = 30;

/** Repays early: the interest since the previous date, the amount as principal, and the changed payment. */
export function repayEarly(plan: RepaymentPlan, state: LoanState, place: EarlyRowPlace): EarlyRow | RowFault {
  const { early, index } = place;
  const interest = plan.interest[state.segment];
  if (interest === undefined) throw new RangeError('a row without a rate');
  const remaining = state.balance;
  if (early.amount > remaining) return aboveBalance(early);
  if (!interest.interest.covers(remaining)) return outsideBands();
  const no = plan.dates.settledRows + index + (place.period === undefined ? 1 : 0);
  const { used, period } =
    place.period === undefined ? nothingUsed(early) : splitPeriod(plan, place, place.period);
  const gracedNo = plan.dates.settledRows + index + 1;
  const part = { index, no: gracedNo, count: used, interest };
  plan.notes?.begin(plan, state, part);
  const from = place.period?.from ?? early.date;
  const accrued =
    plan.formulas === undefined || used === 0
      ? interest.interest.interestOf(remaining, used)
      : plan.formulas.accrued(state, { ...part, from, to: early.date, collectsCharges: false });
  if (isRowFault(accrued)) return accrued;
  // Negative interest that joins the balance leaves less to repay, unless the whole balance is repaid before it (R3).
  const owed = remaining + Math.min(0, joiningInterest(plan, gracedNo, accrued));
  const repaysAll = early.amount === remaining;
  if (early.amount > owed && !repaysAll) return aboveBalance(early, true);
  const ends = repaysAll || early.amount === owed;
  const collecting = { no: gracedNo, accrued, ends, repaysAll, rowsLeft: 0 };
  const collected = collectInterest(plan, state, collecting);
  repay(state, place, collected.capitalised);
  const row: AmortisedRow = {
    kind: 'early',
    no,
    index,
    from,
    to: early.date,
    dueDate: early.date,
    count: used,
    remaining,
    accrued,
    interest: collected.interest,
    capitalised: collected.capitalised,
    principal: early.amount,
  };
  plan.notes?.principal({ rule: 'early' });
  plan.notes?.end(row);
  return { row, period, ends };
}

function aboveBalance({ path }: EarlyRepayment, isLowered = false): RowFault {
  const less = isLowered ? ', less the negative interest that joins it, or that whole balance' : '';
  return rowFault(`${path}.Amount`, 'out-of-range', `must be at most the balance on its date${less}`);
}

function nothingUsed({ date }: EarlyRepayment): { used: number; period: PeriodLeft } {
  return { used: 0, period: { from: date, count: 0, usedCount: 0 } };
}

/**
 * How much of the period is used up to the date, and what is left. A regular 30/360 or 30/365 period counts 30 days a
 * month in all, however they part (C2); in others both parts count by the convention.
 */
function splitPeriod(
  { dates, dayCount }: RepaymentPlan,
  { early, index }: EarlyRowPlace,
  period: PeriodLeft,
): { used: number; period: PeriodLeft } {
  const { from } = period;
  const to = dates.accrualDates[index] ?? early.date;
  const endsOnTermination = index === dates.rowCount - 1;
  const part = { from, to: early.date, regularMonths: 0, endsOnTermination: false };
  const counted = dayCountNumerator(dayCount, part);
  const months = dates.regularMonths[index] ?? 0;
  const isThirty = dayCount === '30/360' || dayCount === '30/365';
  if (isThirty && months > 0) {
    const whole = months * DAYS_PER_MONTH - period.usedCount;
    const used = Math.min(counted, whole);
    return { used, period: { from: early.date, count: whole - used, usedCount: period.usedCount + used } };
  }
  const rest = { from: early.date, to, regularMonths: 0, endsOnTermination };
  const count = dayCountNumerator(dayCount, rest);
  return { used: counted, period: { from: early.date, count, usedCount: 0 } };
}

/** The balance falls; the payment is solved again, or kept as if nothing had been repaid (X3). */
function repay(state: LoanState, place: EarlyRowPlace, capitalised: number): void {
  const { index, period } = place;
  const { amount, decreasesPayment } = place.early;
  state.balance += capitalised - amount;
  if (state.balance < state.residual) state.residual = state.balance;
  if (state.planned !== undefined) {
    const balance = Math.max(0, state.planned.balance - amount);
    state.planned = { balance, residual: Math.min(state.planned.residual, balance) };
  }
  const { balance, residual } = state.planned ?? state;
  state.block = Math.min(state.block, balance - residual);
  if (decreasesPayment) {
    state.hold = 'none';
    state.solveDue = 'balance';
    state.keptBack = 0;
    state.keptFrom = undefined;
  } else if (state.payment === undefined || state.solveDue === 'balance') {
    if (state.keptBack === 0 && period !== undefined) state.keptFrom = { index, count: period.count };
    state.keptBack += amount;
  } else if (state.hold === 'none') {
    state.hold = 'kept';
    state.solveDue = 'no';
  }
}
