/** The calendar interface that due-date arithmetic uses (rule H2). */

import { addDays, type CalendarDate } from '../dates/calendar-date.ts';

/** The working days of a country, a payment system, an institution, or a union of these. */
export interface BusinessCalendar {
  /** Canonical name, for example `RO` or `RO+TARGET`. */
  readonly name: string;
  /** Version of the holiday data, which answers report (H2); for a union, the versions of its parts joined by `+`. */
  readonly version: string;
  /** True if the day is neither a rest day nor a holiday, or is worked in exchange for one. Never throws. */
  readonly isWorkingDay: (date: CalendarDate) => boolean;
}

/** Calendars by name, ignoring case: those of the catalogue, or those of the library for other countries. */
export interface OtherCalendars {
  /** Undefined if no calendar has that name. Calls with the same name return equivalent calendars. */
  readonly find: (name: string) => BusinessCalendar | undefined;
}

/** Bounds the search for a working day. Catalogue records that close for this many days in a row are refused. */
export const MAX_CLOSURE_DAYS = 60;

/** The next (step 1) or previous (step -1) working day, or `date` if there is none within {@link MAX_CLOSURE_DAYS}. */
export function findWorkingDay(date: CalendarDate, step: 1 | -1, calendar: BusinessCalendar): CalendarDate {
  for (let distance = 1; distance <= MAX_CLOSURE_DAYS; distance += 1) {
    const day = addDays(date, distance * step);
    if (calendar.isWorkingDay(day)) return day;
  }
  return date;
}
