/** Shifts a due date that falls on a holiday or a weekend (rule H1). */

import { type BusinessCalendar, findWorkingDay } from '../calendars/business-calendar.ts';
import { CALENDARS_ALLOWED, describeCalendarFault } from '../calendars/find-calendar.ts';
import { type CalendarDate, addDays, toDateParts } from '../dates/calendar-date.ts';
import { checkName } from '../request/field-checks.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';

export const HOLIDAY_METHODS = [
  'Forward',
  'Backward',
  'ModifiedForward',
  'ModifiedBackward',
  'Nearest',
  'None',
] as const;

export type HolidayMethod = (typeof HOLIDAY_METHODS)[number];

/**
 * The day on which an amount due on `date` is paid (H1). Modified methods reverse the direction rather than leave the
 * month; Nearest prefers the later day on a tie. A date is shifted forward rather than to `start` or before.
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

/** The calendars that requests may name, ignoring case; the default applies to HolidayShift without a name (H2). */
export interface KnownCalendars {
  find(name: string): BusinessCalendar | undefined;
  readonly defaultName?: string | undefined;
}

export interface HolidayShift {
  readonly method: HolidayMethod;
  readonly calendar: BusinessCalendar;
  /** True if interest accrues to the shifted date; false if only the payment date is shifted (H3). */
  readonly defersAccrual: boolean;
}

/** Undefined if the request shifts no dates or the calendar is unknown, which is refused even without a shift (H2). */
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

/** Shifts each date by itself, never back to `start` or before (H1). Returns `dates` itself if none is shifted. */
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

/** True if `shift` may move `unshifted` to `shown`: forward too, in case the unknown start forbids moving back (H1). */
export function isShownOn(shown: CalendarDate, unshifted: CalendarDate, shift: HolidayShift): boolean {
  const start = shown > unshifted ? unshifted : addDays(shown, -1);
  return shiftDueDate(unshifted, shift.method, shift.calendar, start) === shown;
}
