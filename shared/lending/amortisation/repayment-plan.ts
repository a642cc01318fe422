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
  /** The row of a residual that is due at the end of the last period in advance; else undefined (B7). */
  readonly residualRow: ResidualRow | undefined;
  /** In ascending order; the first starts at index 0. */
  readonly segments: readonly InterestSegment[];
  readonly charges: ScheduledCharges;
  readonly formulas: RowFormulas | undefined;
  readonly explanations: RowExplanations | undefined;
}

interface ResidualRow {
  /** The most that the row collects: ResidualValue, in minor units. */
  readonly due: number;
  /** Day-count numerator of its period. */
  readonly count: number;
}

/** Returns undefined, with the faults reported, if the terms do not fit each other or the dates. */
export function planRepayment(
  request: RepaymentScheduleRequest,
  loan: LoanTerms,
  dates: ScheduleDates,
  validation: Validation,
): RepaymentPlan | undefined {
  const faultsBefore = validation.faults.length;
  const { amount, compiled, currencyDigits, dayCount, rates } = loan;
  const { settledRows } = dates;
  const { rounding } = compiled.type;
  const { counts, lastCount } = countDays(dayCount, dates);
  const denominator = dayCountDenominator(dayCount);
  const residualRow = findResidualRow(loan, dates);
  const accruing = { compiled, counts, residualRow, dayCountDenominator: denominator, settledRows, amount };
  const segments = buildInterestSegments(rates, accruing, validation);
  if (losesHeldInterest(loan.repayment, settledRows)) validation.warn('BlockInterestAmount');
  const isRecalculation = request.LastDueDate !== undefined;
  const creditValue = amount + loan.advance;
  const span = { dates, start: dates.settledDate, isRecalculation, dayCount };
  const charges = scheduleCharges(loan.charges, { ...span, amount, creditValue, rounding }, validation);
  if (segments === undefined || validation.faults.length > faultsBefore) return undefined;
  const isDueAtOnce = dates.termEnd !== undefined && settledRows === 0;
  const lastRow = settledRows + dates.dueDates.length;
  const explanations = explainsRows(request)
    ? new RowExplanations({ ...accruing, isDueAtOnce, rates, lastRow, dayCount, currencyDigits })
    : undefined;
  const formulas = compiled.hasFormulas
    ? new RowFormulas({
        compiled,
        money: { digits: currencyDigits, rounding },
        dayCountDenominator: denominator,
        inputs: readFormulaInputs(request, loan),
        charges,
        explanations,
      })
    : undefined;
  const figures = { amount, counts, lastCount, residualRow, segments, charges, formulas, explanations };
  const terms = discountResidual(loan, dates, segments, residualRow);
  return { compiled, terms, dates, dayCount, ...figures };
}

function findResidualRow({ repayment, dayCount }: LoanTerms, dates: ScheduleDates): ResidualRow | undefined {
  const { termEnd, accrualDates, accrualStart, rowCount } = dates;
  if (termEnd === undefined || repayment.residual === 0 || repayment.residualInInstallment) return undefined;
  const from = accrualDates[rowCount - 1] ?? accrualStart;
  const period = { ...termEnd, from, to: termEnd.accrualDate, endsOnTermination: true };
  return { due: repayment.residual, count: dayCountNumerator(dayCount, period) };
}

/** Leaves for a residual row the least balance that comes to what it collects, with its interest (B7). */
function discountResidual(
  { repayment, amount }: LoanTerms,
  { rowCount }: ScheduleDates,
  segments: readonly InterestSegment[],
  row: ResidualRow | undefined,
): RepaymentTerms {
  const interest = segments.findLast(({ fromIndex }) => fromIndex < rowCount)?.interest;
  if (row === undefined || interest === undefined) return repayment;
  // If even all that can be left comes to less, the row collects that.
  let [least, most] = [0, amount - repayment.blockAmount];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (middle + interest.accrue(middle, row.count) < row.due) least = middle + 1;
    else most = middle;
  }
  return { ...repayment, residual: least };
}

/** The interest segment in force. Throws a RangeError if there is none, which would be a bug. */
export function findSegment(plan: RepaymentPlan, state: LoanState): InterestSegment {
  const found = plan.segments[state.segment];
  if (found === undefined) throw new RangeError('the interest segment of the row does not exist');
  return found;
}

/** Both the last planned row and the last row shown end on a termination date (C1, B6), but none in advance (B7). */
function countDays(dayCount: DayCountName, dates: ScheduleDates) {
  const { accrualStart, accrualDates, regularMonths, rowCount, termEnd } = dates;
  const isInAdvance = termEnd !== undefined;
  const last = isInAdvance ? undefined : accrualDates.length - 1;
  let from = accrualStart;
  let lastCount = 0;
  const counts = accrualDates.map((to, row) => {
    const period = { from, to, regularMonths: regularMonths[row] as number };
    from = to;
    if (row === rowCount - 1)
      lastCount = dayCountNumerator(dayCount, { ...period, endsOnTermination: !isInAdvance });
    return dayCountNumerator(dayCount, { ...period, endsOnTermination: row === last });
  });
  return { counts, lastCount };
}
