/**
 * The time between two dates as the annual percentage rate of charge counts it (A1; Directive 2008/48/EC, Annex I,
 * remark (c)): whole units counted back from the later date, and left-over days divided by the length of the year that
 * ends with them.
 */

import { addDays, addMonths, toDateParts, isMonthEnd, type CalendarDate } from '../dates/calendar-date.ts';
import { dayIn, toCalendarMonth, monthsFrom, moveTo } from '../dates/calendar-month.ts';
import type { Periodicity } from '../dates/periodicity.ts';

/** Unit in which intervals are counted. */
export type IntervalUnit = 'Years' | 'Months' | 'Weeks';

/** Whole units plus left-over days of a year of 365 or 366 days. */
export interface RateInterval {
  readonly wholeUnits: number;
  readonly extraDays: number;
  readonly yearDays: number;
}

const MONTHS_PER_YEAR = 12;
const DAYS_PER_WEEK = 7;
/** A number above any day of a month. */
const DAY_KEYS = 32;
const DAYS_PER_YEAR = 365;

/** Equal units in a year: 52 weeks or 12 months of any length (Annex I, remark (c)); days of XIRR and IRR (A2, A3). */
export const UNITS_PER_YEAR: Readonly<Record<IntervalUnit | 'Days', number>> = {
  Years: 1,
  Months: 12,
  Weeks: 52,
  Days: DAYS_PER_YEAR,
};

/** The unit that fits a periodicity: weeks for weeks, years for years and days, otherwise months. */
export function chooseIntervalUnit(periodicity: Periodicity): IntervalUnit {
  switch (periodicity.unit) {
    case 'Weeks':
      return 'Weeks';
    case 'Years':
    case 'Days':
      return 'Years';
    case 'Months':
    case 'Once':
      return 'Months';
    default:
      return periodicity.unit satisfies never;
  }
}

/** The intervals from `start` to dates that are not before it; fastest for dates in ascending order. */
export function intervalsFrom(start: CalendarDate, unit: IntervalUnit): (end: CalendarDate) => RateInterval {
  if (unit === 'Weeks') return (end) => weekInterval(start, end);
  const from = toDateParts(start);
  const isFromMonthEnd = isMonthEnd(from);
  const monthsPerUnit = unit === 'Years' ? MONTHS_PER_YEAR : 1;
  const reachable = monthsFrom(from, 2 * monthsPerUnit);
  const current = toCalendarMonth(from);
  const startIndex = current.index;
  const known: (RateInterval | undefined)[] = [];
  return (end) => {
    moveTo(current, end);
    const months = current.index - startIndex;
    const day = end - current.firstDay + 1;
    const monthsOver = months % monthsPerUnit;
    const units = (months - monthsOver) / monthsPerUnit;
    if (isFromMonthEnd && monthsOver === 0 && day === current.length) {
      return { wholeUnits: units, extraDays: 0, yearDays: DAYS_PER_YEAR };
    }
    // The date at which counting back ends depends only on these two values, and a schedule has few combinations of
    // them.
    const key = monthsOver * DAY_KEYS + day;
    let remainder = known[key];
    if (remainder === undefined) {
      const back = dayIn(reachable[monthsOver], day);
      const reached = back >= start ? back : dayIn(reachable[monthsOver + monthsPerUnit], day);
      remainder = {
        // The last unit may begin before the start.
        wholeUnits: back >= start ? 0 : -1,
        extraDays: reached - start,
        yearDays: daysOfYearEndingAt(reached),
      };
      known[key] = remainder;
    }
    const { extraDays, yearDays } = remainder;
    return { wholeUnits: units + remainder.wholeUnits, extraDays, yearDays };
  };
}

function weekInterval(start: CalendarDate, end: CalendarDate): RateInterval {
  const extraDays = (end - start) % DAYS_PER_WEEK;
  const wholeUnits = (end - start - extraDays) / DAYS_PER_WEEK;
  const yearDays = extraDays === 0 ? DAYS_PER_YEAR : daysOfYearEndingAt(addDays(start, extraDays));
  return { wholeUnits, extraDays, yearDays };
}

function daysOfYearEndingAt(date: CalendarDate): number {
  return date - addMonths(date, -MONTHS_PER_YEAR);
}
