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
  return 360 * (toYear - fromYear) + 30 * (toMonth - fromMonth) + lastDay - firstDay;
}

/** 30/360 by the bond basis: a 31st counts as the 30th, at the end only after a 30th or 31st. */
export function bondDays(span: Span): number {
  const firstDay = Math.min(partsOf(span.from)[2], 30);
  const lastDay = partsOf(span.to)[2];
  return thirtyDayMonths(span, firstDay, firstDay === 30 ? Math.min(lastDay, 30) : lastDay);
}

function eurobondDays(span: Span): number {
  const [first, last] = [span.from, span.to].map((date) => Math.min(partsOf(date)[2], 30));
  return thirtyDayMonths(span, first!, last!);
}

function isdaEurobondDays(span: Span): number {
  const [, toMonth, toDay] = partsOf(span.to);
  const firstDay = endsMonth(span.from) ? 30 : partsOf(span.from)[2];
  const staysInFebruary = toMonth === 1 && span.endsSchedule;
  return thirtyDayMonths(span, firstDay, endsMonth(span.to) && !staysInFebruary ? 30 : toDay);
}

/** Days of each calendar year over its own length, on the common basis 365 * 366. */
function actualActual({ from, to }: Span): YearPart {
  let days = 0;
  for (let year = partsOf(from)[0]; year <= partsOf(to)[0]; year += 1) {
    const start = dateOf(year, 0, 1);
    const end = dateOf(year + 1, 0, 1);
    const inYear = Math.min(to, end) - Math.max(from, start);
    days += inYear * (end - start === 366 ? 365 : 366);
  }
  return { days, basis: 365 * 366 };
}

const actualDays = ({ from, to }: Span): number => to - from;

const over = (basis: number, daysOf: (span: Span) => number) => {
  return (span: Span): YearPart => ({ days: daysOf(span), basis });
};

const DAY_COUNTS = {
  '30/360': over(360, bondDays),
  '30E/360': over(360, eurobondDays),
  '30E/360 ISDA': over(360, isdaEurobondDays),
  '30/365': over(365, bondDays),
  'Actual/360': over(360, actualDays),
  'Actual/365': over(365, actualDays),
  'Actual/Actual': actualActual,
};

export type ReferenceDayCount = keyof typeof DAY_COUNTS;
export const REFERENCE_DAY_COUNTS = Object.keys(DAY_COUNTS) as readonly ReferenceDayCount[];

export function yearPart(dayCount: ReferenceDayCount, span: Span): YearPart {
  return DAY_COUNTS[dayCount](span);
}

/** True when a regular period of m months counts 30 m days regardless of its dates (C2). */
export function countsWholeMonths(dayCount: ReferenceDayCount): boolean {
  return dayCount === '30/360' || dayCount === '30/365';
}

export function wholeMonthBasis(dayCount: ReferenceDayCount): number {
  return dayCount === '30/365' ? 365 : 360;
}
