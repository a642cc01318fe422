/** Periodicities: the intervals between due dates (D7). */

import {
  addDays,
  dayInHalfMonth,
  dayInMonthAfter,
  toDateParts,
  toHalfMonth,
  type CalendarDate,
  type DateParts,
} from './calendar-date.ts';

/** A named periodicity: `count` units from one due date to the next (0 for Once). */
export interface Periodicity {
  readonly name: string;
  readonly count: number;
  /**
   * `Years` is a unit of its own, because a DAE then counts time in years and not in months (A1). Half months are two
   * parts of a month, not months of another length (D10).
   */
  readonly unit: 'Days' | 'Weeks' | 'HalfMonths' | 'Months' | 'Years' | 'Once';
}

const MONTHS_PER_YEAR = 12;
const DAYS_PER_WEEK = 7;
const DAYS_PER_YEAR = 365;

export const BUILT_IN_PERIODICITIES: readonly Periodicity[] = [
  { name: 'Once', count: 0, unit: 'Once' },
  { name: 'Daily', count: 1, unit: 'Days' },
  { name: 'Weekly', count: 1, unit: 'Weeks' },
  { name: 'Biweekly', count: 2, unit: 'Weeks' },
  { name: 'Semimonthly', count: 1, unit: 'HalfMonths' },
  { name: 'Monthly', count: 1, unit: 'Months' },
  { name: 'Bimonthly', count: 2, unit: 'Months' },
  { name: 'Quarterly', count: 3, unit: 'Months' },
  { name: 'Trimestrial', count: 3, unit: 'Months' },
  { name: 'Semiannual', count: 6, unit: 'Months' },
  { name: 'Semestrial', count: 6, unit: 'Months' },
  { name: 'Annual', count: 1, unit: 'Years' },
  { name: 'Yearly', count: 1, unit: 'Years' },
];

/** Ignores case and surrounding blanks, but prefers a name in exactly this spelling; undefined if unknown. */
export function findPeriodicity(
  name: string,
  known: readonly Periodicity[] = BUILT_IN_PERIODICITIES,
): Periodicity | undefined {
  const asWritten = known.find((periodicity) => periodicity.name === name);
  if (asWritten !== undefined) return asWritten;
  const wanted = name.trim().toLowerCase();
  return known.find((periodicity) => periodicity.name.toLowerCase() === wanted);
}

/** Months in one period of a month or year unit, 0.5 for Semimonthly; 0 for day and week units and for Once. */
export function monthsPerPeriod(periodicity: Periodicity): number {
  if (periodicity.unit === 'Months') return periodicity.count;
  if (periodicity.unit === 'HalfMonths') return periodicity.count / 2;
  return periodicity.unit === 'Years' ? periodicity.count * MONTHS_PER_YEAR : 0;
}

/** Months, or half months, in one period (D10); 0 for day and week units and for Once. */
export function stepsPerPeriod(periodicity: Periodicity): number {
  return periodicity.unit === 'HalfMonths' ? periodicity.count : monthsPerPeriod(periodicity);
}

/** The number of the month, or of the half month, of a date (D10); only differences of such numbers have a meaning. */
export function stepOf({ unit }: Periodicity, parts: DateParts): number {
  return unit === 'HalfMonths' ? toHalfMonth(parts) : parts.year * MONTHS_PER_YEAR + parts.month;
}

/** An instalment day in the month that is `steps` after that of `parts`, or in the half month (D4, D10). */
export function dayAfterSteps(
  { unit }: Periodicity,
  parts: DateParts,
  steps: number,
  installmentDay: number,
): CalendarDate {
  return unit === 'HalfMonths'
    ? dayInHalfMonth(toHalfMonth(parts) + steps, installmentDay)
    : dayInMonthAfter(parts, steps, installmentDay);
}

/** The day that is `periods` after another, in units of months on the instalment day (D4, D10). */
export function dayAfterPeriods(
  periodicity: Periodicity,
  from: CalendarDate,
  periods: number,
  installmentDay: number = toDateParts(from).day,
): CalendarDate {
  const steps = stepsPerPeriod(periodicity);
  return steps === 0
    ? addDays(from, periods * daysPerPeriod(periodicity))
    : dayAfterSteps(periodicity, toDateParts(from), periods * steps, installmentDay);
}

/** Days in one period of a day or week unit; 0 for month and year units and for Once. */
export function daysPerPeriod(periodicity: Periodicity): number {
  if (periodicity.unit === 'Days') return periodicity.count;
  return periodicity.unit === 'Weeks' ? periodicity.count * DAYS_PER_WEEK : 0;
}

/** The part of a year of one period, for charges per annum (F2): 1/12, 1/24 or 7/365. Zero for Once. */
export function partOfYear(periodicity: Periodicity): readonly [numerator: number, denominator: number] {
  const months = monthsPerPeriod(periodicity);
  if (months === 0) return [daysPerPeriod(periodicity), DAYS_PER_YEAR];
  return Number.isInteger(months) ? [months, MONTHS_PER_YEAR] : [months * 2, MONTHS_PER_YEAR * 2];
}
