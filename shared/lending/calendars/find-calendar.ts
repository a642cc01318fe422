/** Finds the calendar that a request names for its due dates (rule H2). */

import type { CalendarDate } from '../dates/calendar-date.ts';
import { findBuiltInCalendar } from './built-in-calendars.ts';
import { type BusinessCalendar, type OtherCalendars, findWorkingDay } from './business-calendar.ts';

/** Built-in calendars come first, then `catalogue`; its records replace countries of `others` under all their names. */
interface CalendarSources {
  readonly catalogue?: OtherCalendars | undefined;
  readonly others?: OtherCalendars | undefined;
}

/** Maximum length of a name; a union of eight different countries by name is shorter. */
const MAX_NAME_LENGTH = 300;
const MAX_PARTS = 8;
export const CALENDARS_ALLOWED =
  'must be a country by its ISO 3166 code or English name, TARGET, a union such as RO+TARGET, or a calendar of the catalogue';
const PARTS_ALLOWED =
  'a part is a country by its ISO 3166 code or English name, TARGET, or a calendar of the catalogue';
const SAMPLE_DATE = 0 as CalendarDate;

/**
 * The calendar of a code, country name, TARGET, catalogue name, or a union of up to eight of these (`RO+TARGET`), where
 * a day is worked if all parts work. Undefined if a part is unknown, there are too many, or no day is worked (H2).
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
  const sorted = [...parts.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return sorted.length === 1 ? sorted[0] : createUnion(sorted);
}

/** Says why `find` has no calendar for `name`. Unknown parts of a union are named by position, not by their text. */
export function describeCalendarFault(
  name: string,
  find: (name: string) => BusinessCalendar | undefined,
): string {
  const parts = name.split('+');
  if (parts.length === 1) return CALENDARS_ALLOWED;
  if (parts.length > MAX_PARTS) return `must combine at most ${MAX_PARTS} calendars, not ${parts.length}`;
  if (name.length > MAX_NAME_LENGTH)
    return `must have at most ${MAX_NAME_LENGTH} characters; ${PARTS_ALLOWED}`;
  const unknown = parts.flatMap((part, index) => (find(part) === undefined ? [`part ${index + 1}`] : []));
  if (unknown.length === 0) return 'must leave a working day; these calendars together close every day';
  const are = unknown.length === 1 ? 'is' : 'are';
  return `must combine known calendars, but ${unknown.join(', ')} ${are} unknown; ${PARTS_ALLOWED}`;
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

/** False if no day from 1970-01-01 to {@link MAX_CLOSURE_DAYS} later is a working day; other dates are not tried. */
export function hasWorkingDay(calendar: BusinessCalendar): boolean {
  return calendar.isWorkingDay(SAMPLE_DATE) || findWorkingDay(SAMPLE_DATE, 1, calendar) !== SAMPLE_DATE;
}
