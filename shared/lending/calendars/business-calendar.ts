/** The calendar interface that due-date arithmetic uses (rule H2). */

import { addDays, type CalendarDate } from '../dates/calendar-date.ts';

/** The working days of a country, a payment system, an institution, or a union of these. */
export interface BusinessCalendar {
  /** Canonical name, for example `RO` or `RO+TARGET`. */
  readonly name: string;
  /** Version of its data, on which a reply is based; for a union, the versions of its parts. */
  readonly version: string;
  /** True when banks work on the day: neither a weekend nor a holiday. Answers for every date and never throws. */
  readonly isWorkingDay: (date: CalendarDate) => boolean;
}

/** Calendars by name in any case: those of the catalogue, or those of a library for other countries. */
export interface OtherCalendars {
  /** Undefined if it has no calendar with that name. Calls with the same name return equivalent calendars. */
  readonly find: (name: string) => BusinessCalendar | undefined;
}

/** Days searched for a working day: no calendar is closed for longer, and a faulty one causes no endless search. */
export const MAX_CLOSURE_DAYS = 60;

/** The next (step 1) or previous working day; `date` itself if there is none within {@link MAX_CLOSURE_DAYS}. */
export function findWorkingDay(date: CalendarDate, step: 1 | -1, calendar: BusinessCalendar): CalendarDate {
  for (let distance = 1; distance <= MAX_CLOSURE_DAYS; distance += 1) {
    const day = addDays(date, distance * step);
    if (calendar.isWorkingDay(day)) return day;
  }
  return date;
}
