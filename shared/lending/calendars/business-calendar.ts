/** What the arithmetic of due dates needs of a calendar (rule H2). */

import type { CalendarDate } from '../dates/calendar-date.ts';

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
