/** Shifts a due date that falls on a holiday or a weekend (rule H1). */

import { type BusinessCalendar, findWorkingDay } from '../calendars/business-calendar.ts';
import { CALENDARS_ALLOWED, describeCalendarFault } from '../calendars/find-calendar.ts';
import { type CalendarDate, addDays, toDateParts } from '../dates/calendar-date.ts';
import { checkName } from '../request/field-checks.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';

/** Names of the methods (H1), as a request may write them. */
export const HOLIDAY_METHODS = [
  'Forward',
  'Backward',
  'ModifiedForward',
  'ModifiedBackward',
  'Nearest',
  'None',
] as const;

/** The methods of shifting a due date that falls on a holiday or a weekend (H1). */
export type HolidayMethod = (typeof HOLIDAY_METHODS)[number];

/**
 * The working day on which an amount due on `date` is paid (H1). A working day is not shifted; the method None shifts
 * no day. Modified methods reverse the direction if the date would otherwise move to another month. Nearest prefers
 * the later of two equally near days. A date that would move to `start`, when the contract begins, or before it is
 * shifted forward instead.
 */
export function shiftDueDate(
  date: CalendarDate,
  method: HolidayMethod,
  calendar: BusinessCalendar,
  start: CalendarDate,
): CalendarDate {
  if (method === 'None' || calendar.isWorkingDay(date)) return date;
  const later = findWorkingDay(date, 1, calendar);
  if (method === 'Forward') return later;
  const earlier = findWorkingDay(date, -1, calendar);
  const shifted = chooseDay(date, method, earlier, later);
  return shifted < date && shifted <= start ? later : shifted;
}

function chooseDay(
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
      return method satisfies never;
  }
}

function isSameMonth(left: CalendarDate, right: CalendarDate): boolean {
  return toDateParts(left).month === toDateParts(right).month;
}

// The shift settings of a request, and the shifted dates (H1-H3).

/** Finds calendars by name (H2). */
export interface KnownCalendars {
  /** The calendar or union of that name; undefined when there is none. */
  find(name: string): BusinessCalendar | undefined;
  /** The default calendar of requests that name none. */
  readonly defaultName?: string | undefined;
}

/** How due dates are shifted to business days. */
export interface HolidayShift {
  readonly method: HolidayMethod;
  readonly calendar: BusinessCalendar;
  /** True: interest accrues to the shifted date; false: only the payment date is shifted (H3). */
  readonly defersAccrual: boolean;
}

/**
 * The shift that a request asks for, or undefined when due dates are not shifted: HolidayShift is not true, or the
 * method is None. A named calendar is always looked up, and an unknown one is refused, never ignored (H2, E5).
 */
export function parseHolidayShift(
  request: RepaymentScheduleRequest,
  calendars: KnownCalendars,
  validation: Validation,
): HolidayShift | undefined {
  const method = checkName(validation, 'HolidayMethod', request.HolidayMethod, HOLIDAY_METHODS) ?? 'Forward';
  const isRequested = request.HolidayShift === true;
  const name = request.HolidayCountry ?? (isRequested ? calendars.defaultName : undefined);
  const calendar = name === undefined ? undefined : calendars.find(name);
  if (calendar === undefined) {
    if (request.HolidayCountry !== undefined) {
      const fault = describeCalendarFault(request.HolidayCountry, (part) => calendars.find(part));
      validation.reject('HolidayCountry', 'unknown-calendar', fault);
    } else if (isRequested) {
      validation.reject('HolidayCountry', 'unknown-calendar', `is missing; ${CALENDARS_ALLOWED}`);
    }
    return undefined;
  }
  if (!isRequested || method === 'None') return undefined;
  return { method, calendar, defersAccrual: request.DeferDueDate === true };
}

/**
 * The shown dates: each is shifted separately and stays after `start` (H1). The same array when no date is shifted.
 */
export function shiftDueDates(
  dates: readonly CalendarDate[],
  shift: HolidayShift,
  start: CalendarDate,
): readonly CalendarDate[] {
  let shifted: CalendarDate[] | undefined;
  for (const [row, date] of dates.entries()) {
    const shown = shiftDueDate(date, shift.method, shift.calendar, start);
    if (shown === date) continue;
    shifted ??= [...dates];
    shifted[row] = shown;
  }
  return shifted ?? dates;
}

/**
 * True when an installment that was due on `unshifted` is shown as due on `shown`. A date that cannot be shifted back
 * because of the start of its contract is shifted forward (H1); that start is not known here, so both are accepted.
 */
export function isShownOn(shown: CalendarDate, unshifted: CalendarDate, shift: HolidayShift): boolean {
  const start = shown > unshifted ? unshifted : addDays(shown, -1);
  return shiftDueDate(unshifted, shift.method, shift.calendar, start) === shown;
}
