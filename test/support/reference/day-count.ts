/** Day counts of the reference implementation (C1, C2): fractions of whole days over a whole basis. */

import { dateOf, endsMonth, partsOf } from './dates.ts';

export interface YearPart {
  readonly days: number;
  readonly basis: number;
}

/** The number of days between two dates; the second may be the last due date of the schedule. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly endsSchedule: boolean;
}

const THIRTY = 30;
const DAYS_360 = 360;
const DAYS_365 = 365;
const DAYS_366 = 366;

export const REFERENCE_DAY_COUNTS = [
  '30/360',
  '30E/360',
  '30E/360 ISDA',
  '30/365',
  'Actual/360',
  'Actual/365',
  'Actual/Actual',
] as const;

export type ReferenceDayCount = (typeof REFERENCE_DAY_COUNTS)[number];

/** The day count with this name; the name is case-insensitive and may use ACT and blanks after the slash (C1). */
export function dayCountOf(name: string): ReferenceDayCount | undefined {
  return REFERENCE_DAY_COUNTS.find((known) => plainName(known) === plainName(name));
}

function plainName(text: string): string {
  return text.trim().toLowerCase().replaceAll('actual', 'act').replace(/\/\s+/, '/');
}

function thirtyDayMonths({ from, to }: Span, firstDay: number, lastDay: number): number {
  const [fromYear, fromMonth] = partsOf(from);
  const [toYear, toMonth] = partsOf(to);
  return DAYS_360 * (toYear - fromYear) + THIRTY * (toMonth - fromMonth) + lastDay - firstDay;
}

/** 30/360 by the bond basis: a 31st counts as the 30th, at the end only after a 30th or 31st. */
export function bondDays(span: Span): number {
  const firstDay = Math.min(partsOf(span.from)[2], THIRTY);
  const lastDay = partsOf(span.to)[2];
  return thirtyDayMonths(span, firstDay, firstDay === THIRTY ? Math.min(lastDay, THIRTY) : lastDay);
}

function eurobondDays(span: Span): number {
  const [first, last] = [span.from, span.to].map((date) => Math.min(partsOf(date)[2], THIRTY));
  return thirtyDayMonths(span, first!, last!);
}

function isdaEurobondDays(span: Span): number {
  const [, toMonth, toDay] = partsOf(span.to);
  const firstDay = endsMonth(span.from) ? THIRTY : partsOf(span.from)[2];
  const staysInFebruary = toMonth === 1 && span.endsSchedule;
  return thirtyDayMonths(span, firstDay, endsMonth(span.to) && !staysInFebruary ? THIRTY : toDay);
}

/** Days of each calendar year over its own length, on the common basis 365 * 366. */
function actualActual({ from, to }: Span): YearPart {
  let days = 0;
  for (let year = partsOf(from)[0]; year <= partsOf(to)[0]; year += 1) {
    const start = dateOf(year, 0, 1);
    const end = dateOf(year + 1, 0, 1);
    const inYear = Math.min(to, end) - Math.max(from, start);
    days += inYear * (end - start === DAYS_366 ? DAYS_365 : DAYS_366);
  }
  return { days, basis: DAYS_365 * DAYS_366 };
}

const actualDays = ({ from, to }: Span): number => to - from;

/** The days of a span by each day count, and the days of its year. */
const DAYS: Readonly<Record<Exclude<ReferenceDayCount, 'Actual/Actual'>, [(span: Span) => number, number]>> =
  {
    '30/360': [bondDays, DAYS_360],
    '30/365': [bondDays, DAYS_365],
    '30E/360': [eurobondDays, DAYS_360],
    '30E/360 ISDA': [isdaEurobondDays, DAYS_360],
    'Actual/360': [actualDays, DAYS_360],
    'Actual/365': [actualDays, DAYS_365],
  };

export function yearPart(dayCount: ReferenceDayCount, span: Span): YearPart {
  if (dayCount === 'Actual/Actual') return actualActual(span);
  const [daysOf, basis] = DAYS[dayCount];
  return { days: daysOf(span), basis };
}

/** True when a regular period of m months counts 30 m days regardless of its dates (C2). */
export function countsWholeMonths(dayCount: ReferenceDayCount): boolean {
  return dayCount === '30/360' || dayCount === '30/365';
}

export function wholeMonthBasis(dayCount: ReferenceDayCount): number {
  return dayCount === '30/365' ? DAYS_365 : DAYS_360;
}
