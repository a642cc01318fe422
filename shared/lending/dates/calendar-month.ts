/**
 * Months as ranges of days, for monthly sequences of dates: advancing by a month takes one addition, while calculating
 * year, month and day takes several divisions.
 */

import {
  addDays,
  toCalendarDate,
  toDateParts,
  daysInMonth,
  type CalendarDate,
  type DateParts,
} from './calendar-date.ts';

/** A month of the calendar. */
export interface CalendarMonth {
  /** Months since January of the year 0. */
  readonly index: number;
  readonly firstDay: CalendarDate;
  /** In days. */
  readonly length: number;
}

/** A month that advances with a sequence of dates. */
type MovingMonth = { -readonly [Key in keyof CalendarMonth]: CalendarMonth[Key] };

const MONTHS_PER_YEAR = 12;
/** A date more than this many days ahead is looked up directly instead of month by month. */
const FAR_AWAY_DAYS = 200;
/** The same for a month more than this many months ahead. */
const FAR_AWAY_MONTHS = 6;

/** The month of a date. */
export function toCalendarMonth({ year, month }: DateParts): MovingMonth {
  return {
    index: year * MONTHS_PER_YEAR + month - 1,
    firstDay: toCalendarDate(year, month, 1),
    length: daysInMonth(year, month),
  };
}

/** The given number of months from the month of a date. */
export function monthsFrom(date: DateParts, count: number): readonly CalendarMonth[] {
  const month = toCalendarMonth(date);
  const months: CalendarMonth[] = [];
  for (let index = 0; index < count; index += 1) {
    months.push({ ...month });
    moveOn(month);
  }
  return months;
}

/** Moves to the month of any date. */
export function moveTo(month: MovingMonth, date: CalendarDate): void {
  if (date < month.firstDay || date > month.firstDay + FAR_AWAY_DAYS) {
    Object.assign(month, toCalendarMonth(toDateParts(date)));
  }
  while (date - month.firstDay >= month.length) moveOn(month);
}

/**
 * The dates on a day of month, or on the last day of a shorter month (D4), by the number of months after that of
 * `date`; fastest for months in ascending order.
 */
export function daysInMonthsAfter(date: DateParts, dayOfMonth: number): (months: number) => CalendarDate {
  const month = toCalendarMonth(date);
  const first = month.index;
  return (months) => {
    moveToIndex(month, first + months);
    return dayIn(month, dayOfMonth);
  };
}

function moveToIndex(month: MovingMonth, index: number): void {
  if (index < month.index || index > month.index + FAR_AWAY_MONTHS) {
    const year = Math.floor(index / MONTHS_PER_YEAR);
    Object.assign(month, toCalendarMonth({ year, month: index - year * MONTHS_PER_YEAR + 1, day: 1 }));
  }
  while (month.index < index) moveOn(month);
}

function moveOn(month: MovingMonth): void {
  month.firstDay = addDays(month.firstDay, month.length);
  month.index += 1;
  const monthOfYear = month.index % MONTHS_PER_YEAR;
  month.length = daysInMonth((month.index - monthOfYear) / MONTHS_PER_YEAR, monthOfYear + 1);
}

/** A day of a month, or the last day of a shorter month. */
export function dayIn(month: CalendarMonth | undefined, day: number): CalendarDate {
  if (month === undefined) throw new RangeError('no such month');
  return addDays(month.firstDay, Math.min(day, month.length) - 1);
}
