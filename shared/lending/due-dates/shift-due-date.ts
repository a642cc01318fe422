/** Moves a due date that falls on a day without business (rule H1). */

import { assertNever } from '../numbers/assert-never.ts';
import { addDays, type CalendarDate, datePartsOf } from '../dates/calendar-date.ts';
import { type BusinessCalendar, workingDayFrom } from '../calendars/business-calendar.ts';

/** Names of the methods (H1), as a request may write them. */
export const HOLIDAY_METHODS = [
  'Forward',
  'Backward',
  'ModifiedForward',
  'ModifiedBackward',
  'Nearest',
  'None',
] as const;

/** Where a due date goes that falls on a holiday or a weekend (H1). */
export type HolidayMethod = (typeof HOLIDAY_METHODS)[number];

/**
 * The working day on which an amount due on `date` is paid (H1). A working day stays, and every day stays with the
 * method None. Modified methods turn round where the plain direction would leave the month. Nearest takes the later
 * day of two equally near. No result is moved to or before `start`, where the contract begins: it goes forward then.
 */
export function shiftDueDate(
  date: CalendarDate,
  method: HolidayMethod,
  calendar: BusinessCalendar,
  start: CalendarDate,
): CalendarDate {
  if (method === 'None' || calendar.isWorkingDay(date)) return date;
  const later = workingDayFrom(date, 1, calendar);
  if (method === 'Forward') return later;
  const earlier = workingDayFrom(date, -1, calendar);
  const shifted = choose(date, method, earlier, later);
  return shifted < date && shifted <= start ? later : shifted;
}

function choose(
  date: CalendarDate,
  method: Exclude<HolidayMethod, 'None' | 'Forward'>,
  earlier: CalendarDate,
  later: CalendarDate,
): CalendarDate {
  switch (method) {
    case 'Backward':
      return earlier;
    case 'ModifiedForward':
      return isSameMonth(date, later) ? later : earlier;
    case 'ModifiedBackward':
      return isSameMonth(date, earlier) ? earlier : later;
    case 'Nearest':
      return date - earlier < later - date ? earlier : later;
    default:
      return assertNever(method);
  }
}

function isSameMonth(left: CalendarDate, right: CalendarDate): boolean {
  return datePartsOf(left).month === datePartsOf(right).month;
}
