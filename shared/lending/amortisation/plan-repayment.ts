/** Puts terms and dates together into the plan that rows are worked out from. */

import { explainsRows } from '../request/answer-shape.ts';
import { dayCountDenominator, dayCountNumerator, type DayCountName } from '../dates/day-count.ts';
import { formulaInputsOf } from './formula-inputs.ts';
import type { LoanTerms } from '../terms/loan-terms.ts';
import { placeCharges, type PlacedCharges } from '../charges/schedule-charges.ts';
import type { Findings } from '../request/refusal.ts';
import type { RepaymentPlan } from './repayment-plan.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import { createRowFormulas } from './row-formulas.ts';
import { createRowNotes } from './row-notes.ts';
import { interestOfRows } from './interest-segments.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

/** A plan with the charges of its rows. */
export interface PlannedSchedule {
  readonly plan: RepaymentPlan;
  readonly charges: PlacedCharges;
}

/** The plan; undefined, with all faults noted, when terms and dates do not fit together. */
export function planRepayment(
  request: RepaymentScheduleRequest,
  terms: LoanTerms,
  dates: ScheduleDates,
  findings: Findings,
): PlannedSchedule | undefined {
  const faultsBefore = findings.faults.length;
  const { amount, compiled, dayCount, repayment, rates } = terms;
  const { counts, lastCount } = dayCountsOf(dayCount, dates);
  const denominator = dayCountDenominator(dayCount);
  const accruing = {
    compiled,
    counts,
    dayCountDenominator: denominator,
    settledRows: dates.settledRows,
    amount,
  };
  const interest = interestOfRows(rates, accruing, findings);
  const schedule = {
    dates,
    start: dates.settledDate,
    isRecalculation: request.LastDueDate !== undefined,
    dayCount,
    amount,
    rounding: compiled.type.rounding,
  };
  const charges = placeCharges(terms.charges, schedule, findings);
  if (interest === undefined || findings.faults.length > faultsBefore) return undefined;
  const notes = explainsRows(request) ? createRowNotes() : undefined;
  const formulas = compiled.hasFormulas
    ? createRowFormulas({
        compiled,
        money: { digits: terms.currencyDigits, rounding: compiled.type.rounding },
        dayCountDenominator: denominator,
        inputs: formulaInputsOf(request, terms),
        charges,
        notes,
      })
    : undefined;
  const plan = {
    amount,
    compiled,
    terms: repayment,
    rates,
    dates,
    dayCount,
    counts,
    lastCount,
    interest,
    formulas,
    notes,
  };
  return { plan, charges };
}

/**
 * Day-count numerators of the planned rows, of which the last ends on the termination date, and that of the last row
 * that is paid, which does too: the payment is that of all rows, wherever the schedule ends (C1, B6).
 */
function dayCountsOf(
  dayCount: DayCountName,
  dates: ScheduleDates,
): { readonly counts: readonly number[]; readonly lastCount: number } {
  const { accrualDates, rowCount } = dates;
  const counts: number[] = [];
  let lastCount = 0;
  let from = dates.accrualStart;
  for (const [row, to] of accrualDates.entries()) {
    const period = { from, to, regularMonths: dates.regularMonths[row] ?? 0 };
    const endsOnTermination = row === accrualDates.length - 1;
    const count = dayCountNumerator(dayCount, { ...period, endsOnTermination });
    counts.push(count);
    if (row === rowCount - 1) {
      lastCount = endsOnTermination
        ? count
        : dayCountNumerator(dayCount, { ...period, endsOnTermination: true });
    }
    from = to;
  }
  return { counts, lastCount };
}
