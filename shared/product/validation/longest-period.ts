/** How long interest may accrue for at most between two due dates of a product (C1, C2, H3). */

import { addMonths, calendarDateOf } from '../../lending/dates/calendar-date.ts';
import type { DayCountName } from '../../lending/dates/day-count.ts';
import { daysPerPeriod, monthsPerPeriod } from '../../lending/dates/periodicity.ts';
import type { LoanRange } from './check-bounds.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { after } from '../simulation/simulate-bounds.ts';

const DAYS_PER_MONTH = 30;
/** The shortest year of a day count: it makes the largest part of a year of days. */
const DAYS_PER_YEAR = 360;
const DAYS_PER_LONG_YEAR = 365;
/** Days by which holidays may lengthen a period that is deferred with its due date (H3). */
const LONGEST_SHIFT_DAYS = 31;
/** Months of a leap year and of three others. */
const MONTHS_OF_FOUR_YEARS = 48;
const START = calendarDateOf(2023, 1, 1);

/** Years that the longest period counts, a bit more rather than less; a regular one of 30-day months exactly. */
export function longestPeriodYears(
  { GeneralData, Availability }: ProductRecord,
  { periodicity, mostPeriods }: LoanRange,
  dayCount: DayCountName,
): number {
  const isDeferred = GeneralData.HolidayShiftForRepaymentInstallments && GeneralData.DeferDueDate;
  const shift = isDeferred ? LONGEST_SHIFT_DAYS : 0;
  const months = monthsPerPeriod(periodicity);
  const isRegular = dayCount === '30/360' || dayCount === '30/365';
  if (months > 0 && shift === 0 && isRegular) {
    return (months * DAYS_PER_MONTH) / (dayCount === '30/360' ? DAYS_PER_YEAR : DAYS_PER_LONG_YEAR);
  }
  const days =
    periodicity.unit === 'Once' ? after(START, mostPeriods, Availability.PeriodType) - START + 1 : 0;
  return (days + daysPerPeriod(periodicity) + daysOfMonths(months) + shift) / DAYS_PER_YEAR;
}

/** Counted once: thousands of products have one of a few periodicities. */
const daysByMonths = new Map<number, number>([[0, 0]]);

/** Days of so many months, at the most. */
function daysOfMonths(months: number): number {
  const known = daysByMonths.get(months);
  if (known !== undefined) return known;
  const starts = Array.from({ length: MONTHS_OF_FOUR_YEARS }, (_, month) => addMonths(START, month));
  const days = Math.max(...starts.map((start) => addMonths(start, months) - start)) + 1;
  daysByMonths.set(months, days);
  return days;
}
