/** Calculates the row of a prepayment, before or on a due date, and its effect on the loan (X3). */

import { createBandFault, isRowFault, type AmortisedRow, type RowFault } from './amortised-row.ts';
import type { CalendarDate } from '../dates/calendar-date.ts';
import { collectInterest, findCapitalisedInterest } from './collected-interest.ts';
import { dayCountNumerator } from '../dates/day-count.ts';
import { keepPayment, releasePayment } from './kept-payment.ts';
import type { LoanState } from './loan-state.ts';
import type { Prepayment } from '../terms/repayment-terms.ts';
import { findSegment, type RepaymentPlan } from './repayment-plan.ts';

/** What is left of a row's period: from a date to the end of the period, with the day-count numerator of that part. */
export interface PeriodLeft {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  readonly count: number;
  /** Numerator used by earlier prepayments; 0 unless the period is regular by 30/360 or 30/365 (C2, X3). */
  readonly usedCount: number;
}

interface PrepaymentPlace {
  readonly prepayment: Prepayment;
  readonly index: number;
  /** Undefined for a prepayment on a due date: its row follows the due row. */
  readonly period: PeriodLeft | undefined;
}

interface PrepaymentRow {
  readonly row: AmortisedRow;
  readonly period: PeriodLeft;
  readonly ends: boolean;
}

const DAYS_PER_MONTH = 30;

/** Returns the row: interest since the previous row, and what the prepayment repays. Updates `state` (X3). */
export function prepay(
  plan: RepaymentPlan,
  state: LoanState,
  place: PrepaymentPlace,
): PrepaymentRow | RowFault {
  const { prepayment, index } = place;
  const segment = findSegment(plan, state);
  const remaining = state.balance;
  if (!segment.interest.covers(remaining)) return createBandFault();
  const { used, period } = splitPeriod(plan, place);
  const dueNo = plan.dates.settledRows + index + 1;
  const { date: to } = prepayment;
  const from = place.period?.from ?? to;
  const part = { index, no: dueNo, count: used, from, to, segment, collectsCharges: false, accrued: 0 };
  plan.explanations?.begin(state, segment);
  const accrued =
    plan.formulas === undefined || used === 0
      ? segment.interest.accrue(remaining, used)
      : plan.formulas.accrued(state, part);
  if (isRowFault(accrued)) return accrued;
  // Capitalised negative interest lowers the amount left to repay. A prepayment of the whole balance collects that
  // interest instead (R3).
  const outstanding = remaining + Math.min(0, findCapitalisedInterest(plan, dueNo, accrued));
  const principal = prepayment.amount === remaining ? remaining : Math.min(prepayment.amount, outstanding);
  const repaysAll = principal === remaining;
  const ends = repaysAll || principal === outstanding;
  const collecting = { no: dueNo, accrued, ends, repaysAll, rowsLeft: 0 };
  const collected = collectInterest(plan, state, collecting);
  lowerBalance(state, principal, collected.capitalised);
  if (prepayment.decreasesPayment) releasePayment(state);
  else keepPayment(state, principal, place.period && { index, count: place.period.count });
  const row: AmortisedRow = {
    kind: 'prepayment',
    no: place.period === undefined ? dueNo : dueNo - 1,
    index,
    from,
    to,
    dueDate: to,
    count: used,
    remaining,
    accrued,
    interest: collected.interest,
    capitalised: collected.capitalised,
    principal,
    ...(principal < prepayment.amount && { overpaid: prepayment.amount - principal }),
  };
  plan.explanations?.principal({ rule: 'prepayment' });
  plan.explanations?.end(row);
  return { row, period, ends };
}

/** The parts of a regular 30/360 or 30/365 period add up to 30 days a month (C2); elsewhere each is counted alone. */
function splitPeriod(
  { dates, dayCount }: RepaymentPlan,
  { prepayment: { date }, index, period }: PrepaymentPlace,
): { readonly used: number; readonly period: PeriodLeft } {
  if (period === undefined) return { used: 0, period: { from: date, to: date, count: 0, usedCount: 0 } };
  const { from, to } = period;
  const part = { from, to: date, regularMonths: 0, endsOnTermination: false };
  const used = dayCountNumerator(dayCount, part);
  const months = dates.regularMonths[index] ?? 0;
  const isThirty = dayCount === '30/360' || dayCount === '30/365';
  if (isThirty && months > 0) {
    const whole = months * DAYS_PER_MONTH - period.usedCount;
    const usedCount = Math.min(used, whole);
    const left = { from: date, to, count: whole - usedCount, usedCount: period.usedCount + usedCount };
    return { used: usedCount, period: left };
  }
  const endsOnTermination = index === dates.rowCount - 1 && dates.termEnd === undefined;
  const count = dayCountNumerator(dayCount, { from: date, to, regularMonths: 0, endsOnTermination });
  return { used, period: { from: date, to, count, usedCount: 0 } };
}

/** Lowers the balance, and a residual or blocked amount that would exceed what is left of it. */
function lowerBalance(state: LoanState, amount: number, capitalised: number): void {
  state.balance += capitalised - amount;
  if (state.balance < state.residual) state.residual = state.balance;
  if (state.planned !== undefined) {
    const balance = Math.max(0, state.planned.balance - amount);
    state.planned = { balance, residual: Math.min(state.planned.residual, balance) };
  }
  const { balance, residual } = state.planned ?? state;
  state.block = Math.min(state.block, balance - residual);
}
