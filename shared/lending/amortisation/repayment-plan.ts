/** The plan from which rows are calculated: terms and dates, with the interest and charges of the rows. */

import { explainsRows } from '../request/answer-shape.ts';
import type { CompiledScheduleType } from '../schedule-types/schedule-type.ts';
import { scheduleCharges, type ScheduledCharges } from '../charges/schedule-charges.ts';
import { dayCountDenominator, dayCountNumerator, type DayCountName } from '../dates/day-count.ts';
import { buildInterestSegments, type InterestSegment } from './interest-segments.ts';
import { losesHeldInterest, type LoanState } from './loan-state.ts';
import type { LoanTerms } from '../terms/loan-terms.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { RepaymentTerms } from '../terms/repayment-terms.ts';
import { RowFormulas, readFormulaInputs } from './row-formulas.ts';
import { RowExplanations } from './row-explanations.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

export interface RepaymentPlan {
  /** Financed amount in minor units. */
  readonly amount: number;
  readonly compiled: CompiledScheduleType;
  readonly terms: RepaymentTerms;
  readonly dates: ScheduleDates;
  readonly dayCount: DayCountName;
  /** Day-count numerators of the planned rows, including rows that are not shown (B6). */
  readonly counts: readonly number[];
  /** Numerator of the last row shown, whose end counts as the termination date even if the plan has later rows (C1). */
  readonly lastCount: number;
  /** In ascending order; the first starts at index 0. */
  readonly segments: readonly InterestSegment[];
  readonly charges: ScheduledCharges;
  readonly formulas: RowFormulas | undefined;
  readonly explanations: RowExplanations | undefined;
}

/** Returns undefined, with the faults reported, if the terms do not fit each other or the dates. */
export function planRepayment(
  request: RepaymentScheduleRequest,
  loan: LoanTerms,
  dates: ScheduleDates,
  validation: Validation,
): RepaymentPlan | undefined {
  const faultsBefore = validation.faults.length;
  const { amount, compiled, dayCount, rates } = loan;
  const { settledRows } = dates;
  const { rounding } = compiled.type;
  const { counts, lastCount } = countDays(dayCount, dates);
  const denominator = dayCountDenominator(dayCount);
  const accruing = { compiled, counts, dayCountDenominator: denominator, settledRows, amount };
  const segments = buildInterestSegments(rates, accruing, validation);
  if (losesHeldInterest(loan.repayment, settledRows)) validation.warn('BlockInterestAmount');
  const isRecalculation = request.LastDueDate !== undefined;
  const schedule = { dates, start: dates.settledDate, isRecalculation, dayCount, amount, rounding };
  const charges = scheduleCharges(loan.charges, schedule, validation);
  if (segments === undefined || validation.faults.length > faultsBefore) return undefined;
  const lastRow = settledRows + dates.dueDates.length;
  const explanations = explainsRows(request)
    ? new RowExplanations({ ...accruing, rates, lastRow, dayCount, currencyDigits: loan.currencyDigits })
    : undefined;
  const formulas = compiled.hasFormulas
    ? new RowFormulas({
        compiled,
        money: { digits: loan.currencyDigits, rounding },
        dayCountDenominator: denominator,
        inputs: readFormulaInputs(request, loan),
        charges,
        explanations,
      })
    : undefined;
  const figures = { amount, counts, lastCount, segments, charges, formulas, explanations };
  return { compiled, terms: loan.repayment, dates, dayCount, ...figures };
}

/** The interest segment in force. Throws a RangeError if there is none, which would be a bug. */
export function findSegment(plan: RepaymentPlan, state: LoanState): InterestSegment {
  const found = plan.segments[state.segment];
  if (found === undefined) throw new RangeError('the interest segment of the row does not exist');
  return found;
}

/** Both the last planned row and the last row shown end on a termination date (C1, B6). */
function countDays(dayCount: DayCountName, dates: ScheduleDates) {
  const { accrualStart, accrualDates, regularMonths, rowCount } = dates;
  const last = accrualDates.length - 1;
  let from = accrualStart;
  let lastCount = 0;
  const counts = accrualDates.map((to, row) => {
    const period = { from, to, regularMonths: regularMonths[row] as number };
    from = to;
    if (row === rowCount - 1) lastCount = dayCountNumerator(dayCount, { ...period, endsOnTermination: true });
    return dayCountNumerator(dayCount, { ...period, endsOnTermination: row === last });
  });
  return { counts, lastCount };
}
