/**
 * The three conventions that give every month 30 days and every year 360 (C1), as in the 2006 ISDA Definitions,
 * section 4.16 (f), (g) and (h). They differ in what they do with month ends.
 */

import { isMonthEnd, type DateParts } from './calendar-date.ts';

const DAYS_PER_YEAR = 360;
const DAYS_PER_MONTH = 30;

function countDays(from: DateParts, to: DateParts, fromDay: number, toDay: number): number {
  return (to.year - from.year) * DAYS_PER_YEAR + (to.month - from.month) * DAYS_PER_MONTH + toDay - fromDay;
}

/** 30/360, bond basis, 4.16 (f): day 31 becomes 30; at the end only when the period begins on day 30 or 31. */
export function bondBasisDays(from: DateParts, to: DateParts): number {
  const fromDay = Math.min(from.day, DAYS_PER_MONTH);
  const toDay = fromDay === DAYS_PER_MONTH ? Math.min(to.day, DAYS_PER_MONTH) : to.day;
  return countDays(from, to, fromDay, toDay);
}

/** 30E/360, Eurobond basis, 4.16 (g): day 31 becomes 30 at both ends. */
export function eurobondDays(from: DateParts, to: DateParts): number {
  return countDays(from, to, Math.min(from.day, DAYS_PER_MONTH), Math.min(to.day, DAYS_PER_MONTH));
}

/**
 * 30E/360 ISDA, 4.16 (h): the last day of any month becomes 30, except a February's end that is the termination date,
 * which is the last due date (C1).
 */
export function isdaEurobondDays(from: DateParts, to: DateParts, endsOnTermination: boolean): number {
  const fromDay = isMonthEnd(from) ? DAYS_PER_MONTH : from.day;
  const keepsFebruaryEnd = to.month === 2 && endsOnTermination;
  const toDay = isMonthEnd(to) && !keepsFebruaryEnd ? DAYS_PER_MONTH : to.day;
  return countDays(from, to, fromDay, toDay);
}
