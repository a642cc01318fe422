/** From the name in a request to the calendar that decides its due dates (rule H2). */

import { workingDayFrom } from '../business-day.ts';
import type { CalendarDate } from '../calendar-date.ts';
import { findBuiltInCalendar } from './built-in-calendars.ts';
import type { BusinessCalendar, OtherCalendars } from './business-calendar.ts';

/** Where calendars are looked for beside the built-in ones; the catalogue comes before the library. */
export interface CalendarSources {
  readonly catalogue?: OtherCalendars | undefined;
  readonly others?: OtherCalendars | undefined;
}

/** Longest name that is read; a union of eight country names is shorter. */
const LONGEST_NAME = 300;
/** Most calendars in one union. */
const MOST_PARTS = 8;
/** Any date does to ask whether a week has a working day at all. */
const SAMPLE_DATE = 0 as CalendarDate;

/**
 * The calendar of an ISO 3166 code, an English country name, TARGET, a catalogue name, or a union of up to eight of
 * them (`RO+TARGET`), in any case and with blanks around the parts. A day is worked in a union when it is worked in
 * all parts. Undefined when a part is not known or the union leaves no working day (H2): never silently no calendar.
 */
export function findCalendar(name: string, sources: CalendarSources): BusinessCalendar | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const names = name.split('+');
  if (names.length > MOST_PARTS) return undefined;
  const parts = new Map<string, BusinessCalendar>();
  for (const part of names) {
    const calendar = findOne(part, sources);
    if (calendar === undefined) return undefined;
    parts.set(calendar.name, calendar);
  }
  const [first, ...rest] = [...parts.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  if (first === undefined || rest.length === 0) return first;
  return unionOf([first, ...rest]);
}

function findOne(name: string, sources: CalendarSources): BusinessCalendar | undefined {
  const wanted = name.trim();
  if (wanted === '') return undefined;
  return findBuiltInCalendar(wanted) ?? sources.catalogue?.find(wanted) ?? sources.others?.find(wanted);
}

function unionOf(parts: readonly BusinessCalendar[]): BusinessCalendar | undefined {
  const union: BusinessCalendar = {
    name: parts.map((part) => part.name).join('+'),
    version: parts.map((part) => part.version).join('+'),
    isWorkingDay: (date) => parts.every((part) => part.isWorkingDay(date)),
  };
  return hasWorkingDay(union) ? union : undefined;
}

/** True when the weeks of a calendar leave a day to work. */
export function hasWorkingDay(calendar: BusinessCalendar): boolean {
  return calendar.isWorkingDay(SAMPLE_DATE) || workingDayFrom(SAMPLE_DATE, 1, calendar) !== SAMPLE_DATE;
}
