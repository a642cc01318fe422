/** Determines the loans within the bounds of a product (Q6, M6), and their longest period (C1, C2, H3). */

import { addMonths, type CalendarDate, toCalendarDate } from '../../lending/dates/calendar-date.ts';
import type { DayCountName } from '../../lending/dates/day-count.ts';
import { daysPerPeriod, monthsPerPeriod, type Periodicity } from '../../lending/dates/periodicity.ts';
import {
  DEFAULT_CURRENCY_DIGITS,
  MAX_AMOUNT_MINOR,
  currencyDigits,
  formatMinorUnits,
} from '../../lending/numbers/money.ts';
import { Validation } from '../../lending/request/validation.ts';
import { MAX_INSTALLMENTS } from '../../lending/request/max-installments.ts';
import type { Availability, ProductRecord } from '../catalogue/product-record.ts';
import { toExact } from '../simulation/exact-figures.ts';
import { addPeriods, checkPeriodBounds } from '../simulation/loan-bounds.ts';
import type { ReportFault } from './check-context.ts';
import { WHOLE_PERCENT } from './check-parts.ts';

const DAYS_PER_MONTH = 30;
/** The shortest year of a day count, which gives the largest year fraction. */
const DAYS_PER_YEAR = 360;
const DAYS_PER_LONG_YEAR = 365;
/** Days by which holidays may lengthen a period when due dates are deferred (H3). */
const LONGEST_SHIFT_DAYS = 31;
/** Months of a leap year and of three others. */
const MONTHS_OF_FOUR_YEARS = 48;
const START = toCalendarDate(2023, 1, 1);

/** Amounts and terms within the bounds of a product. */
export interface LoanRange {
  /** Minor units of the product's currency. */
  readonly leastAmount: number;
  readonly mostAmount: number;
  readonly digits: number;
  readonly periodicity: Periodicity;
  /** Numbers of periods within the bounds. */
  readonly leastPeriods: number;
  readonly mostPeriods: number;
}

/** First days of months, including a leap year, because days and months are compared by the calendar. */
const STARTS: readonly CalendarDate[] = Array.from({ length: 24 }, (_, month) => addMonths(START, month));

/** Finds the amounts and terms within the bounds; undefined, with the fault reported, when there are none. */
export function findLoanRange(
  availability: Availability,
  periodicity: Periodicity,
  report: ReportFault,
): LoanRange | undefined {
  checkAdvance(availability, report);
  const amounts = findAmounts(availability, report);
  const periods = findPeriods(availability, periodicity, report);
  return amounts && periods && { ...amounts, ...periods, periodicity };
}

/** After an advance of the whole amount there is nothing to finance (Q1). */
function checkAdvance({ MinimumAdvance }: Availability, report: ReportFault): void {
  if (MinimumAdvance !== WHOLE_PERCENT) return;
  report('MinimumAdvance', `must be below ${WHOLE_PERCENT}, or there is nothing to finance`);
}

function findAmounts(
  { MinimumAmount, MaximumAmount, Currency }: Availability,
  report: ReportFault,
): Pick<LoanRange, 'leastAmount' | 'mostAmount' | 'digits'> | undefined {
  const digits = currencyDigits(Currency) ?? DEFAULT_CURRENCY_DIGITS;
  const largest = BigInt(MAX_AMOUNT_MINOR);
  const wanted = MinimumAmount === null ? 1n : roundUpToMinor(MinimumAmount, digits);
  const least = wanted < 1n ? 1n : wanted;
  const allowed = MaximumAmount === null ? largest : roundDownToMinor(MaximumAmount, digits);
  const most = allowed > largest ? largest : allowed;
  if (least <= most) return { leastAmount: Number(least), mostAmount: Number(most), digits };
  if (least > largest) {
    report('MinimumAmount', `must be at most ${formatMinorUnits(MAX_AMOUNT_MINOR, digits)}`);
  } else if (MinimumAmount === null || MaximumAmount === null || MinimumAmount <= MaximumAmount) {
    const message = `must allow an amount above zero with at most ${digits} decimals, those of ${Currency}: raise it`;
    report('MaximumAmount', message);
  }
  return undefined;
}

/** Rounds an amount up to minor units. */
function roundUpToMinor(amount: number, digits: number): bigint {
  const { numerator, denominator } = toExact(amount);
  return (numerator * 10n ** BigInt(digits) + denominator - 1n) / denominator;
}

/** Rounds an amount down to minor units. */
function roundDownToMinor(amount: number, digits: number): bigint {
  const { numerator, denominator } = toExact(amount);
  return (numerator * 10n ** BigInt(digits)) / denominator;
}

function findPeriods(
  availability: Availability,
  periodicity: Periodicity,
  report: ReportFault,
): Pick<LoanRange, 'leastPeriods' | 'mostPeriods'> | undefined {
  const { MinimumPeriod, MaximumPeriod, PeriodType } = availability;
  const starts = isByCalendar(periodicity, PeriodType) ? STARTS : STARTS.slice(0, 1);
  const passes = (periods: number, bounds: Partial<Availability>): boolean =>
    starts.some((start) => isWithinBounds({ periods, periodicity, start }, { ...availability, ...bounds }));
  const isBelow = (periods: number) => !passes(periods, { MaximumPeriod: null });
  const isAllowed = (periods: number) => passes(periods, { MinimumPeriod: null });
  const leastPeriods = MinimumPeriod === null ? 1 : findFirstFalse(isBelow);
  const mostPeriods = MaximumPeriod === null ? MAX_INSTALLMENTS : findFirstFalse(isAllowed) - 1;
  if (leastPeriods <= mostPeriods) return { leastPeriods, mostPeriods };
  if (MinimumPeriod !== null && leastPeriods > MAX_INSTALLMENTS) {
    const message = `must be at most ${MAX_INSTALLMENTS} periods, the maximum for a schedule: lower it`;
    report('MinimumPeriod', message);
  } else if (MinimumPeriod === null || MaximumPeriod === null || MinimumPeriod <= MaximumPeriod) {
    const least = MinimumPeriod === null ? '' : `, at least MinimumPeriod (${MinimumPeriod})`;
    const message = `must allow a whole number of ${periodicity.name} periods${least}: raise it`;
    report('MaximumPeriod', message);
  }
  return undefined;
}

/** True when days are compared with months, which depends on the start of the loan. */
function isByCalendar(periodicity: Periodicity, unit: Availability['PeriodType']): boolean {
  if (periodicity.unit === 'Once') return false;
  return monthsPerPeriod(periodicity) > 0 !== (unit === 'Months' || unit === 'Years');
}

function isWithinBounds(term: Parameters<typeof checkPeriodBounds>[0], bounds: Availability): boolean {
  const validation = new Validation();
  checkPeriodBounds(term, bounds, validation);
  return validation.faults.length === 0;
}

/** Finds the first number of periods for which a condition is false, by binary search; one above the limit if none. */
function findFirstFalse(holds: (periods: number) => boolean): number {
  let [low, high] = [1, MAX_INSTALLMENTS + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Calculates an upper bound of the longest period in years; exact for regular periods of 30-day months. */
export function findLongestPeriod(
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
    periodicity.unit === 'Once' ? addPeriods(START, mostPeriods, Availability.PeriodType) - START + 1 : 0;
  return (days + daysPerPeriod(periodicity) + countDays(months) + shift) / DAYS_PER_YEAR;
}

/** Cached: thousands of products share a few periodicities. */
const daysByMonths = new Map<number, number>([[0, 0]]);

/** The largest number of days in a number of months. */
function countDays(months: number): number {
  const known = daysByMonths.get(months);
  if (known !== undefined) return known;
  const starts = Array.from({ length: MONTHS_OF_FOUR_YEARS }, (_, month) => addMonths(START, month));
  const days = Math.max(...starts.map((start) => addMonths(start, months) - start)) + 1;
  daysByMonths.set(months, days);
  return days;
}
