/** Calendars of an institution's own catalogue (rule H2). */

import { type CalendarDate, toDateParts, parseCalendarDate } from '../dates/calendar-date.ts';
import { normalizeCalendarName, findBuiltInCalendar } from './built-in-calendars.ts';
import {
  type BusinessCalendar,
  MAX_CLOSURE_DAYS,
  type OtherCalendars,
  findWorkingDay,
} from './business-calendar.ts';
import { findCalendar, hasWorkingDay } from './find-calendar.ts';
import { createCachedCalendar } from './cached-calendar.ts';
import { findWeekday, WEEKDAYS, getWeekday } from '../dates/weekday.ts';

export interface CalendarRecord {
  /** 1 to 64 letters, digits and ` ._-`; no built-in name. The record replaces a library calendar of that name. */
  readonly name: string;
  /** Allows the same characters as `name`; answers that use the calendar report the version (H2). */
  readonly version: string;
  /** English names of the weekly rest days; those of `base` are added. */
  readonly weekend?: readonly string[] | undefined;
  /** Days without business, `yyyy-mm-dd`. */
  readonly holidays: readonly string[];
  /** Adds the days without business of a calendar or union; the record's own country means the library's calendar. */
  readonly base?: string | undefined;
}

/** A fault of a record, which therefore makes no calendar; `path` is, for example, `[0].name`. */
interface CalendarRecordFault {
  readonly path: string;
  readonly message: string;
}

interface CatalogueCalendars extends OtherCalendars {
  readonly faults: readonly CalendarRecordFault[];
}

const MAX_HOLIDAYS = 20_000;
/** Names and versions go into a reply header, where only their blanks need encoding; `+` is reserved for unions. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/;
const NAME_FAULT = 'must have 1 to 64 letters, digits, blanks, dots, underscores or hyphens';

interface Reading {
  readonly records: ReadonlyMap<string, { readonly record: CalendarRecord; readonly path: string }>;
  readonly others: OtherCalendars | undefined;
  readonly faults: CalendarRecordFault[];
  /** Undefined for a record that is being read or has a fault. */
  readonly made: Map<string, BusinessCalendar | undefined>;
}

/** Leaves out records with a fault, and reports them. `others` finds the countries that are not built in. */
export function readCatalogueCalendars(
  records: readonly CalendarRecord[],
  others?: OtherCalendars,
): CatalogueCalendars {
  const faults: CalendarRecordFault[] = [];
  const byKey = new Map<string, { record: CalendarRecord; path: string }>();
  for (const [index, record] of records.entries()) {
    const key = normalizeIdentity(record.name, others);
    const fault = findNameFault(record, byKey.get(key)?.record);
    if (fault === undefined) byKey.set(key, { record, path: `[${index}]` });
    else faults.push({ path: `[${index}].name`, message: fault });
  }
  const reading: Reading = { records: byKey, others, faults, made: new Map() };
  for (const key of byKey.keys()) getCalendar(key, reading);
  return { faults, find: (name) => reading.made.get(normalizeIdentity(name, others)) };
}

function normalizeIdentity(name: string, others: OtherCalendars | undefined): string {
  return normalizeCalendarName(others?.find(name)?.name ?? name);
}

function findNameFault(record: CalendarRecord, taken: CalendarRecord | undefined): string | undefined {
  if (!NAME.test(record.name)) return NAME_FAULT;
  if (taken !== undefined) {
    return normalizeCalendarName(taken.name) === normalizeCalendarName(record.name)
      ? 'must be unique in the catalogue, regardless of case'
      : `must not name the same country as the record ${taken.name}; keep one of the two`;
  }
  return findBuiltInCalendar(record.name) === undefined
    ? undefined
    : 'must not be the name of a built-in calendar; extend that one with base under another name';
}

/** Creates the calendar of a record on first use, so that a record may precede its base in the list. */
function getCalendar(key: string, reading: Reading): BusinessCalendar | undefined {
  if (reading.made.has(key)) return reading.made.get(key);
  const entry = reading.records.get(key);
  if (entry === undefined) return undefined;
  // A record that extends itself through its bases finds this entry and is refused for an unknown base.
  reading.made.set(key, undefined);
  const calendar = readCalendar(entry.record, entry.path, reading);
  reading.made.set(key, calendar);
  return calendar;
}

function readCalendar(record: CalendarRecord, path: string, reading: Reading): BusinessCalendar | undefined {
  const before = reading.faults.length;
  const fault = (field: string, message: string): void => {
    reading.faults.push({ path: `${path}${field}`, message });
  };
  if (!NAME.test(record.version)) fault('.version', NAME_FAULT);
  const weekend = readWeekend(record, fault);
  const holidays = readHolidays(record, fault);
  const base = findBase(record, reading, fault);
  if (reading.faults.length > before) return undefined;
  const calendar = createCachedCalendar({
    name: record.name,
    version: record.version,
    isWeekend: (date) => weekend.has(getWeekday(date)) || base?.isWorkingDay(date) === false,
    listHolidays: groupByYear(holidays),
  });
  if (leavesWorkingDays(calendar, holidays)) return calendar;
  fault('', 'must leave a working day in any two months');
  return undefined;
}

type ReportFault = (field: string, message: string) => void;

function readWeekend(record: CalendarRecord, fault: ReportFault): ReadonlySet<number> {
  const days = new Set<number>();
  for (const [index, name] of (record.weekend ?? []).entries()) {
    const weekday = findWeekday(name);
    if (weekday === undefined) fault(`.weekend[${index}]`, `must be one of ${WEEKDAYS.join(', ')}`);
    else days.add(weekday);
  }
  return days;
}

function readHolidays(record: CalendarRecord, fault: ReportFault): readonly CalendarDate[] {
  if (record.holidays.length > MAX_HOLIDAYS) {
    fault('.holidays', `must have at most ${MAX_HOLIDAYS} days`);
    return [];
  }
  const dates = new Set<CalendarDate>();
  for (const [index, text] of record.holidays.entries()) {
    const date = parseCalendarDate(text);
    if (date === undefined) fault(`.holidays[${index}]`, 'must be a date that exists, yyyy-mm-dd');
    else dates.add(date);
  }
  return [...dates].toSorted((left, right) => left - right);
}

function findBase(
  record: CalendarRecord,
  reading: Reading,
  fault: ReportFault,
): BusinessCalendar | undefined {
  if (record.base === undefined) return undefined;
  const { records, others } = reading;
  const own = normalizeIdentity(record.name, others);
  // A base with the record's own name is the calendar that the record replaces.
  const find = (name: string): BusinessCalendar | undefined => {
    const key = normalizeIdentity(name, others);
    return key === own || !records.has(key) ? others?.find(name) : getCalendar(key, reading);
  };
  const base = findCalendar(record.base, { others: { find } });
  if (base === undefined) fault('.base', 'must name a calendar that is known and does not extend this one');
  return base;
}

function groupByYear(holidays: readonly CalendarDate[]): (year: number) => Iterable<CalendarDate> {
  const years = Map.groupBy(holidays, (date) => toDateParts(date).year);
  return (year) => years.get(year) ?? [];
}

function leavesWorkingDays(calendar: BusinessCalendar, holidays: readonly CalendarDate[]): boolean {
  if (!hasWorkingDay(calendar)) return false;
  let opens = Number.NEGATIVE_INFINITY;
  for (const holiday of holidays) {
    if (holiday < opens) continue;
    const closes = findWorkingDay(holiday, -1, calendar);
    opens = findWorkingDay(holiday, 1, calendar);
    if (closes === holiday || opens === holiday || opens - closes > MAX_CLOSURE_DAYS) return false;
  }
  return true;
}
