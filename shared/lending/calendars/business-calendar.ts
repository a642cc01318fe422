/** What the arithmetic of due dates needs of a calendar (rule H2). */

import { addDays, type CalendarDate } from '../dates/calendar-date.ts';

/** Working days of a country, of a payment system, of an institution, or of several of these at once. */
export interface BusinessCalendar {
  /** Canonical name, for example `RO` or `RO+TARGET`. */
  readonly name: string;
  /** Version of its data, so that an answer can tell what it was made with; of a union those of its parts. */
  readonly version: string;
  /** True when banks work on the day: neither a weekend nor a holiday. Answers for every date and never throws. */
  readonly isWorkingDay: (date: CalendarDate) => boolean;
}

/** Calendars from elsewhere, by name in any case: those of the catalogue, or those of a library for other countries. */
export interface OtherCalendars {
  /** Undefined when it has no calendar of that name. Equal names get calendars that answer equally. */
  readonly find: (name: string) => BusinessCalendar | undefined;
}

/**
 * Farthest working day that is looked for. The longest closure of any calendar is shorter; a date without a working
 * day that near stays where it is, so that a faulty calendar cannot make the search endless.
 */
export const MAX_CLOSURE_DAYS = 60;

/** The nearest working day after `date`, or before it with step -1; `date` itself when there is none near. */
export function findWorkingDay(date: CalendarDate, step: 1 | -1, calendar: BusinessCalendar): CalendarDate {
  for (let distance = 1; distance <= MAX_CLOSURE_DAYS; distance += 1) {
    const day = addDays(date, distance * step);
    if (calendar.isWorkingDay(day)) return day;
  }
  return date;
}
