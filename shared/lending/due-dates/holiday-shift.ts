/** What a request says about due dates on days without business, and the dates that this moves (H1-H3). */

import { HOLIDAY_METHODS, shiftDueDate, type HolidayMethod } from './shift-due-date.ts';
import { addDays, type CalendarDate } from '../dates/calendar-date.ts';
import type { BusinessCalendar } from '../calendars/business-calendar.ts';
import { CALENDARS_ALLOWED, calendarFault } from '../calendars/find-calendar.ts';
import { checkName } from '../request/field-checks.ts';
import type { Findings } from '../request/refusal.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';

/** Where calendars are found by name (H2). */
export interface KnownCalendars {
  /** The calendar of that name, a union included; undefined when there is none. */
  find(name: string): BusinessCalendar | undefined;
  /** The calendar that serves where a request names none. */
  readonly defaultName?: string | undefined;
}

/** How due dates move off days without business. */
export interface HolidayShift {
  readonly method: HolidayMethod;
  readonly calendar: BusinessCalendar;
  /** True: interest accrues to the moved date as well, not only the date to pay moves (H3). */
  readonly defersAccrual: boolean;
}

/**
 * The shift that a request asks for, or undefined when its due dates stay: HolidayShift is not true, or the method is
 * None. A calendar that is named is looked up in any case, and an unknown one refused: never silently none (H2, E5).
 */
export function holidayShiftOf(
  request: RepaymentScheduleRequest,
  calendars: KnownCalendars,
  findings: Findings,
): HolidayShift | undefined {
  const method = checkName(findings, 'HolidayMethod', request.HolidayMethod, HOLIDAY_METHODS) ?? 'Forward';
  const isAsked = request.HolidayShift === true;
  const name = request.HolidayCountry ?? (isAsked ? calendars.defaultName : undefined);
  const calendar = name === undefined ? undefined : calendars.find(name);
  if (calendar === undefined) {
    if (request.HolidayCountry !== undefined) {
      const fault = calendarFault(request.HolidayCountry, (part) => calendars.find(part));
      findings.refuse('HolidayCountry', 'unknown-calendar', fault);
    } else if (isAsked) {
      findings.refuse('HolidayCountry', 'unknown-calendar', `is missing; ${CALENDARS_ALLOWED}`);
    }
    return undefined;
  }
  if (!isAsked || method === 'None') return undefined;
  return { method, calendar, defersAccrual: request.DeferDueDate === true };
}

/**
 * The dates as they are shown: each moved on its own, none to or before `start` (H1). The same array when no date
 * moves.
 */
export function shiftedDates(
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
 * True when an installment that was due on `unshifted` is shown as due on `shown`. A date that could not go back for
 * the start of its contract went forward (H1); that start is not known here, so both count.
 */
export function isShownOn(shown: CalendarDate, unshifted: CalendarDate, shift: HolidayShift): boolean {
  const start = shown > unshifted ? unshifted : addDays(shown, -1);
  return shiftDueDate(unshifted, shift.method, shift.calendar, start) === shown;
}
