/**
 * Time as the annual percentage rate of charge counts it (A1; Directive 2008/48/EC, Annex I, remark (c)). Whole units
 * are counted back from the later date. Days left over are divided by the days of the year that ends where they end.
 */

import {
  addDays,
  addMonths,
  dayInMonthAfter,
  toDateParts,
  isMonthEnd,
  type CalendarDate,
} from '../dates/calendar-date.ts';
import type { Periodicity } from '../dates/periodicity.ts';

export type IntervalUnit = 'Years' | 'Months' | 'Weeks';

/** Whole units, and extraDays / yearDays of a year. Without extra days any `yearDays` except 0 will do. */
export interface RateInterval {
  readonly wholeUnits: number;
  readonly extraDays: number;
  readonly yearDays: number;
}

const MONTHS_PER_YEAR = 12;
const DAYS_PER_WEEK = 7;
const DAYS_PER_YEAR = 365;
/** A number above any day of a month, used to build keys. */
const DAY_KEYS = 32;

/** Units in a year: 52 weeks or 12 equal months (Annex I, remark (c)). Days are for EIR and XIRR, all for IRR (A2, A3, A6). */
export const UNITS_PER_YEAR: Readonly<Record<IntervalUnit | 'Days' | 'HalfMonths', number>> = {
  Years: 1,
  Months: 12,
  HalfMonths: 24,
  Weeks: 52,
  Days: DAYS_PER_YEAR,
};

const INTERVAL_UNITS: Readonly<Record<Periodicity['unit'], IntervalUnit>> = {
  Days: 'Years',
  Weeks: 'Weeks',
  HalfMonths: 'Months',
  Months: 'Months',
  Years: 'Years',
  Once: 'Months',
};

/** The unit in which a DAE counts time (A1): that of the periodicity, Years for days, Months for Once. */
export function chooseIntervalUnit({ unit }: Periodicity): IntervalUnit {
  return INTERVAL_UNITS[unit];
}

/** Returns a function that gives the interval from `start` to an end, which must not be before `start` (A1). */
export function intervalsFrom(start: CalendarDate, unit: IntervalUnit): (end: CalendarDate) => RateInterval {
  if (unit === 'Weeks') return (end) => weekInterval(start, end);
  const from = toDateParts(start);
  const isFromMonthEnd = isMonthEnd(from);
  const monthsPerUnit = unit === 'Years' ? MONTHS_PER_YEAR : 1;
  // The rest after whole units depends on two small numbers, of which a schedule has few pairs, so it is cached.
  const remainders: (RateInterval | undefined)[] = [];
  const remainder = (monthsOver: number, day: number): RateInterval => {
    const back = dayInMonthAfter(from, monthsOver, day);
    if (back >= start) return { wholeUnits: 0, ...leftOver(start, back) };
    // The last whole unit would begin before the start, so it is not counted, and the days left over end a unit later.
    return { wholeUnits: -1, ...leftOver(start, dayInMonthAfter(from, monthsOver + monthsPerUnit, day)) };
  };
  return (end) => {
    const to = toDateParts(end);
    const months = (to.year - from.year) * MONTHS_PER_YEAR + to.month - from.month;
    const monthsOver = months % monthsPerUnit;
    const units = (months - monthsOver) / monthsPerUnit;
    if (isFromMonthEnd && monthsOver === 0 && isMonthEnd(to)) {
      return { wholeUnits: units, extraDays: 0, yearDays: DAYS_PER_YEAR };
    }
    const known = (remainders[monthsOver * DAY_KEYS + to.day] ??= remainder(monthsOver, to.day));
    return { ...known, wholeUnits: units + known.wholeUnits };
  };
}

function weekInterval(start: CalendarDate, end: CalendarDate): RateInterval {
  const extraDays = (end - start) % DAYS_PER_WEEK;
  const wholeUnits = (end - start - extraDays) / DAYS_PER_WEEK;
  return { wholeUnits, ...leftOver(start, addDays(start, extraDays)) };
}

function leftOver(start: CalendarDate, end: CalendarDate) {
  const extraDays = end - start;
  const yearDays = extraDays === 0 ? DAYS_PER_YEAR : end - addMonths(end, -MONTHS_PER_YEAR);
  return { extraDays, yearDays };
}
