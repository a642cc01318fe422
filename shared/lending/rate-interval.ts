/**
 * The time between two dates as the effective annual rate of consumer credit counts it (A1; Directive 2008/48/EC,
 * Annex I, remark (c)): whole units back from the later date, left-over days over the year that they end.
 */

import { assertNever } from './assert-never.ts';
import {
  addDays,
  addMonths,
  datePartsOf,
  dayInMonthAfter,
  isMonthEnd,
  type CalendarDate,
} from './calendar-date.ts';
import type { Periodicity } from './periodicity.ts';

/** Unit in which intervals are counted. */
type IntervalUnit = 'Years' | 'Months' | 'Weeks';

/** Whole units plus left-over days of a year of 365 or 366 days. */
interface RateInterval {
  readonly wholeUnits: number;
  readonly extraDays: number;
  readonly yearDays: number;
}

const MONTHS_PER_YEAR = 12;
const DAYS_PER_WEEK = 7;
const DAYS_PER_YEAR = 365;

/** Equal units in a year: 52 weeks or 12 months, whatever their days (Annex I, remark (c)). */
export const UNITS_PER_YEAR: Readonly<Record<IntervalUnit, number>> = { Years: 1, Months: 12, Weeks: 52 };

/** The unit that fits a periodicity: weeks for weeks, years for years and days, else months. */
export function intervalUnitOf(periodicity: Periodicity): IntervalUnit {
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
      return assertNever(periodicity.unit);
  }
}

/** The intervals from `start` to dates that are not before it. */
export function intervalsFrom(start: CalendarDate, unit: IntervalUnit): (end: CalendarDate) => RateInterval {
  if (unit === 'Weeks') return (end) => weekInterval(start, end);
  const from = datePartsOf(start);
  const fromMonthEnd = isMonthEnd(from);
  const monthsPerUnit = unit === 'Years' ? MONTHS_PER_YEAR : 1;
  return (end) => {
    const to = datePartsOf(end);
    const months = (to.year - from.year) * MONTHS_PER_YEAR + to.month - from.month;
    if (fromMonthEnd && isMonthEnd(to) && months % monthsPerUnit === 0) {
      return withExtraDays(months / monthsPerUnit, start, start);
    }
    const units = Math.floor(months / monthsPerUnit);
    const reached = dayInMonthAfter(to, -units * monthsPerUnit, to.day);
    return reached >= start
      ? withExtraDays(units, start, reached)
      : withExtraDays(units - 1, start, dayInMonthAfter(to, (1 - units) * monthsPerUnit, to.day));
  };
}

function weekInterval(start: CalendarDate, end: CalendarDate): RateInterval {
  const weeks = Math.floor((end - start) / DAYS_PER_WEEK);
  return withExtraDays(weeks, start, addDays(end, -weeks * DAYS_PER_WEEK));
}

function withExtraDays(wholeUnits: number, start: CalendarDate, reached: CalendarDate): RateInterval {
  const extraDays = reached - start;
  const yearDays = extraDays === 0 ? DAYS_PER_YEAR : reached - addMonths(reached, -MONTHS_PER_YEAR);
  return { wholeUnits, extraDays, yearDays };
}
