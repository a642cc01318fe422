/**
 * Dates without a zone (D1): whole days since 1970-01-01 in the proleptic Gregorian calendar. They do not depend on the
 * clock or the time zone of the host.
 */

declare const calendarDateBrand: unique symbol;

/** Whole days since 1970-01-01 (negative before it). */
export type CalendarDate = number & { readonly [calendarDateBrand]: 'CalendarDate' };

/** `month` and `day` count from 1. */
export interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Requests may name dates of the years MIN_YEAR to MAX_YEAR (D1): enough for any contract, and a bound for loops. */
export const MIN_YEAR = 1900;
export const MAX_YEAR = 2999;

/** Maximum length of a date as text: a date-time with nanoseconds and an offset has 35 characters. */
const MAX_DATE_TEXT_LENGTH = 40;

const DAYS_PER_ERA = 146_097;
const YEARS_PER_ERA = 400;
/** Days from 0000-03-01, where the eras begin, to 1970-01-01. */
const EPOCH_SHIFT = 719_468;
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const MONTHS_PER_YEAR = 12;
const DAY_MS = 86_400_000;

const DATE_TEXT =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/;

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] as number);
}

// `toCalendarDate` and `toDateParts` are valid from 0000-03-01 on. `| 0` truncates, which halves their run time.

/** The day must exist. The calculation begins years in March, so that the leap day is the last day of its year. */
export function toCalendarDate(year: number, month: number, day: number): CalendarDate {
  const marchYear = month > 2 ? year : year - 1;
  const era = (marchYear / YEARS_PER_ERA) | 0;
  const yearOfEra = marchYear - era * YEARS_PER_ERA;
  const monthFromMarch = month > 2 ? month - 3 : month + 9;
  const dayOfYear = (((153 * monthFromMarch + 2) / 5) | 0) + day - 1;
  const dayOfEra = yearOfEra * 365 + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0) + dayOfYear;
  return (era * DAYS_PER_ERA + dayOfEra - EPOCH_SHIFT) as CalendarDate;
}

/** The UTC day of a time in epoch milliseconds. */
export function toUtcDay(timeMs: number): CalendarDate {
  return Math.floor(timeMs / DAY_MS) as CalendarDate;
}

export function toDateParts(date: CalendarDate): DateParts {
  const shifted = (date + EPOCH_SHIFT) | 0;
  const era = (shifted / DAYS_PER_ERA) | 0;
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leapDays = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0);
  const yearOfEra = ((dayOfEra - leapDays) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * YEARS_PER_ERA + (month <= 2 ? 1 : 0), month, day };
}

/** Reads `yyyy-mm-dd`, `yyyy-m-d` or an ISO date-time; undefined unless it is a date from 1900 to 2999 (D1). */
export function parseCalendarDate(text: string): CalendarDate | undefined {
  const match = text.length <= MAX_DATE_TEXT_LENGTH ? DATE_TEXT.exec(text) : null;
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > MONTHS_PER_YEAR) return undefined;
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  return toCalendarDate(year, month, day);
}

/** The date as `yyyy-mm-dd`. */
export function formatCalendarDate(date: CalendarDate): string {
  const { year, month, day } = toDateParts(date);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

export function addDays(date: CalendarDate, days: number): CalendarDate {
  return (date + days) as CalendarDate;
}

/** Day `dayOfMonth` of the month that is `months` after that of `parts`; in a shorter month its last day (D4). */
export function dayInMonthAfter(parts: DateParts, months: number, dayOfMonth: number): CalendarDate {
  const monthIndex = parts.year * MONTHS_PER_YEAR + (parts.month - 1) + months;
  const year = (monthIndex / MONTHS_PER_YEAR) | 0;
  const month = monthIndex - year * MONTHS_PER_YEAR + 1;
  return toCalendarDate(year, month, Math.min(dayOfMonth, daysInMonth(year, month)));
}

/** The same day of the month, `months` later (earlier if negative); in a shorter month its last day. */
export function addMonths(date: CalendarDate, months: number): CalendarDate {
  const parts = toDateParts(date);
  return dayInMonthAfter(parts, months, parts.day);
}

export function isMonthEnd(parts: DateParts): boolean {
  return parts.day === daysInMonth(parts.year, parts.month);
}

const DAYS_PER_HALF_MONTH = 15;

/** Number of the half month: the first one of a month has the days 1 to 15, the second one the others (D10). */
export function toHalfMonth({ year, month, day }: DateParts): number {
  return (year * MONTHS_PER_YEAR + month - 1) * 2 + (day > DAYS_PER_HALF_MONTH ? 1 : 0);
}

/**
 * The day of a half month for an instalment day (D10). Days 1 and 16 have both the dates 1 and 16, days 15 and 30 the dates
 * 15 and 30, and day 31 the dates 15 and 31; a shorter month ends with the second one.
 */
export function dayInHalfMonth(halfMonth: number, dayOfMonth: number): CalendarDate {
  const isSecond = halfMonth % 2 === 1;
  const isLate = dayOfMonth > DAYS_PER_HALF_MONTH;
  const early = isLate ? Math.min(dayOfMonth - DAYS_PER_HALF_MONTH, DAYS_PER_HALF_MONTH) : dayOfMonth;
  const late = isLate ? dayOfMonth : dayOfMonth + DAYS_PER_HALF_MONTH;
  const months = (halfMonth - Number(isSecond)) / 2;
  return dayInMonthAfter({ year: 0, month: 1, day: 1 }, months, isSecond ? late : early);
}
