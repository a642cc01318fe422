/** From the name in a request to the calendar that decides its due dates (rule H2). */

import type { CalendarDate } from '../dates/calendar-date.ts';
import { findBuiltInCalendar } from './built-in-calendars.ts';
import { type BusinessCalendar, type OtherCalendars, findWorkingDay } from './business-calendar.ts';

/**
 * Where calendars are looked for beside the built-in ones; the catalogue comes before the other countries, and has to
 * know their names: what it replaces, it replaces under all of these.
 */
export interface CalendarSources {
  readonly catalogue?: OtherCalendars | undefined;
  readonly others?: OtherCalendars | undefined;
}

/** Longest name that is read; a union of eight country names is shorter. */
const MAX_NAME_LENGTH = 300;
/** Most calendars in one union. */
const MAX_PARTS = 8;
/** What a request may name, for a person. */
export const CALENDARS_ALLOWED =
  'must be a country by its ISO 3166 code or English name, TARGET, a union such as RO+TARGET, or a calendar of the catalogue';
const PARTS_ALLOWED =
  'a part is a country by its ISO 3166 code or English name, TARGET, or a calendar of the catalogue';
/** Any date does to ask whether a week has a working day at all. */
const SAMPLE_DATE = 0 as CalendarDate;

/**
 * The calendar of an ISO 3166 code, an English country name, TARGET, a catalogue name, or a union of up to eight of
 * them (`RO+TARGET`), in any case and with blanks around the parts. A day is worked in a union when it is worked in
 * all parts. Undefined when a part is not known or the union leaves no working day (H2): never silently no calendar.
 */
export function findCalendar(name: string, sources: CalendarSources): BusinessCalendar | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const names = name.split('+');
  if (names.length > MAX_PARTS) return undefined;
  const parts = new Map<string, BusinessCalendar>();
  for (const part of names) {
    const calendar = findOne(part, sources);
    if (calendar === undefined) return undefined;
    parts.set(calendar.name, calendar);
  }
  const [first, ...rest] = [...parts.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  if (first === undefined || rest.length === 0) return first;
  return createUnion([first, ...rest]);
}

/**
 * What is wrong with a name that gives no calendar, for a person: which parts of a union are not known, by their place
 * because what was sent is not repeated, or that it has too many. `find` is the look-up that has failed.
 */
export function describeCalendarFault(
  name: string,
  find: (name: string) => BusinessCalendar | undefined,
): string {
  const parts = name.split('+');
  if (parts.length === 1) return CALENDARS_ALLOWED;
  if (parts.length > MAX_PARTS) return `must join at most ${MAX_PARTS} calendars, not ${parts.length}`;
  if (name.length > MAX_NAME_LENGTH)
    return `must have at most ${MAX_NAME_LENGTH} characters; ${PARTS_ALLOWED}`;
  const unknown = parts.flatMap((part, index) => (find(part) === undefined ? [`part ${index + 1}`] : []));
  if (unknown.length === 0) return 'must leave a working day; these calendars together close every day';
  const are = unknown.length === 1 ? 'is' : 'are';
  return `must join calendars that are known, which ${unknown.join(', ')} ${are} not; ${PARTS_ALLOWED}`;
}

function findOne(name: string, sources: CalendarSources): BusinessCalendar | undefined {
  const wanted = name.trim();
  if (wanted === '') return undefined;
  return findBuiltInCalendar(wanted) ?? sources.catalogue?.find(wanted) ?? sources.others?.find(wanted);
}

function createUnion(parts: readonly BusinessCalendar[]): BusinessCalendar | undefined {
  const union: BusinessCalendar = {
    name: parts.map((part) => part.name).join('+'),
    version: parts.map((part) => part.version).join('+'),
    isWorkingDay: (date) => parts.every((part) => part.isWorkingDay(date)),
  };
  return hasWorkingDay(union) ? union : undefined;
}

/** True when the weeks of a calendar leave a day to work. */
export function hasWorkingDay(calendar: BusinessCalendar): boolean {
  return calendar.isWorkingDay(SAMPLE_DATE) || findWorkingDay(SAMPLE_DATE, 1, calendar) !== SAMPLE_DATE;
}
