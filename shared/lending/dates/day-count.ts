/** Fractions of a year (C1, C2): a whole numerator over the convention's denominator, so that they are exact (M4). */

import {
  type CalendarDate,
  type DateParts,
  toCalendarDate,
  toDateParts,
  isLeapYear,
  isMonthEnd,
} from './calendar-date.ts';

/** The published names of the day counts (C1), in the order in which messages list them. */
export const DAY_COUNT_NAMES = [
  '30/360',
  '30E/360',
  '30E/360 ISDA',
  '30/365',
  'Actual/360',
  'Actual/365',
  'Actual/Actual',
] as const;

export type DayCountName = (typeof DAY_COUNT_NAMES)[number];

/** Actual/Actual counts days over 365 and days over 366; this is the common denominator of both. */
const ACTUAL_ACTUAL_DENOMINATOR = 365 * 366;
const DAYS_PER_MONTH = 30;

interface InterestPeriod {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
  /** Months of a regular period (C2), 0.5 for half a month (D10); 0 when the period is irregular. */
  readonly regularMonths: number;
  /** True if the period ends on the termination date, which 30E/360 ISDA needs to know (C1). */
  readonly endsOnTermination: boolean;
}

/** Finds a day count by name, ignoring case; accepts blanks around the slash, and `ACT` (C1). Undefined if unknown. */
export function findDayCount(name: string): DayCountName | undefined {
  const wanted = name
    .toLowerCase()
    .split('/')
    .map((part) => part.trim())
    .join('/')
    .replaceAll(/\bact\b/g, 'actual')
    .replaceAll(/\s+/g, ' ');
  return DAY_COUNT_NAMES.find((known) => known.toLowerCase() === wanted);
}

interface Convention {
  readonly denominator: number;
  readonly month: readonly [days: number, perYear: number];
  readonly count: (period: InterestPeriod) => number;
}

const TWELFTH = [1, 12] as const;
const CONVENTIONS: Readonly<Record<DayCountName, Convention>> = {
  '30/360': { denominator: 360, month: TWELFTH, count: countThirtyDayMonths },
  '30E/360': {
    denominator: 360,
    month: TWELFTH,
    count: ({ from, to }) => countEurobondDays(toDateParts(from), toDateParts(to)),
  },
  '30E/360 ISDA': {
    denominator: 360,
    month: TWELFTH,
    count: ({ from, to, endsOnTermination }) =>
      countIsdaEurobondDays(toDateParts(from), toDateParts(to), endsOnTermination),
  },
  '30/365': { denominator: 365, month: [30, 365], count: countThirtyDayMonths },
  'Actual/360': { denominator: 360, month: [365, 12 * 360], count: ({ from, to }) => to - from },
  'Actual/365': { denominator: 365, month: TWELFTH, count: ({ from, to }) => to - from },
  'Actual/Actual': {
    denominator: ACTUAL_ACTUAL_DENOMINATOR,
    month: TWELFTH,
    count: ({ from, to }) => computeActualActual(from, to),
  },
};

/** A month as a fraction of a year, for periodic rates (P1): [1, 12], [30, 365] or [365, 4320]. */
export const monthOfYear = (name: DayCountName) => CONVENTIONS[name].month;

/** 360 or 365; 365 * 366 for Actual/Actual. */
export function dayCountDenominator(name: DayCountName): number {
  return CONVENTIONS[name].denominator;
}

/** A period's fraction of a year times {@link dayCountDenominator}: a number of days, except with Actual/Actual. */
export function dayCountNumerator(name: DayCountName, period: InterestPeriod): number {
  return CONVENTIONS[name].count(period);
}

/** A regular period has 30 days a month (C2); others count by the bond basis. */
function countThirtyDayMonths({ from, to, regularMonths }: InterestPeriod): number {
  if (regularMonths > 0) return regularMonths * DAYS_PER_MONTH;
  return countBondBasisDays(toDateParts(from), toDateParts(to));
}

/** ISDA 4.16 (b): days in leap years over 366, the others over 365, split at the turn of the year. */
function computeActualActual(from: CalendarDate, to: CalendarDate): number {
  const firstYear = toDateParts(from).year;
  const lastYear = toDateParts(to).year;
  if (firstYear === lastYear) return (to - from) * getDayWeight(firstYear);
  const head = (toCalendarDate(firstYear + 1, 1, 1) - from) * getDayWeight(firstYear);
  const tail = (to - toCalendarDate(lastYear, 1, 1)) * getDayWeight(lastYear);
  return head + (lastYear - firstYear - 1) * ACTUAL_ACTUAL_DENOMINATOR + tail;
}

function getDayWeight(year: number): number {
  return isLeapYear(year) ? 365 : 366;
}

// The three conventions that give every month 30 days and every year 360 (C1), as in the 2006 ISDA Definitions,
// section 4.16 (f), (g) and (h). They differ in how they treat month ends.

const DAYS_PER_YEAR = 360;

function countDays(from: DateParts, to: DateParts, fromDay: number, toDay: number): number {
  return (to.year - from.year) * DAYS_PER_YEAR + (to.month - from.month) * DAYS_PER_MONTH + toDay - fromDay;
}

/** 30/360, bond basis, 4.16 (f): day 31 becomes 30, but an end on day 31 only if the period begins on day 30 or 31. */
function countBondBasisDays(from: DateParts, to: DateParts): number {
  const fromDay = Math.min(from.day, DAYS_PER_MONTH);
  const toDay = fromDay === DAYS_PER_MONTH ? Math.min(to.day, DAYS_PER_MONTH) : to.day;
  return countDays(from, to, fromDay, toDay);
}

/** 30E/360, Eurobond basis, 4.16 (g): day 31 becomes 30 at both ends. */
function countEurobondDays(from: DateParts, to: DateParts): number {
  return countDays(from, to, Math.min(from.day, DAYS_PER_MONTH), Math.min(to.day, DAYS_PER_MONTH));
}

/** 30E/360 ISDA, 4.16 (h): the last day of a month becomes 30, except a termination date in February (C1). */
function countIsdaEurobondDays(from: DateParts, to: DateParts, endsOnTermination: boolean): number {
  const fromDay = isMonthEnd(from) ? DAYS_PER_MONTH : from.day;
  const keepsFebruaryEnd = to.month === 2 && endsOnTermination;
  const toDay = isMonthEnd(to) && !keepsFebruaryEnd ? DAYS_PER_MONTH : to.day;
  return countDays(from, to, fromDay, toDay);
}
