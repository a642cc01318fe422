/** Calendars whose law the program knows: holiday rules with the years in which they count, and their sources. */

import { type CalendarDate, datePartsOf, parseCalendarDate } from '../dates/calendar-date.ts';
import type { BusinessCalendar } from './business-calendar.ts';
import { type HolidayDay, readHolidayDay } from './holiday-day.ts';
import { rememberedCalendar } from './remembered-calendar.ts';
import { type Substitution, substitutionNamed } from './substitution.ts';
import { weekendOf, type WeekendRule } from './weekend.ts';

/** One holiday and the years in which it is one. */
export interface HolidayRecord {
  /** When it falls, in the texts of {@link readHolidayDay}. */
  readonly day: string;
  readonly name: string;
  /** First year; 2000 stands for 2000 or earlier. Absent for a day that was given once. */
  readonly from?: number | undefined;
  /** Last year; absent while the law stands. */
  readonly to?: number | undefined;
  /** Years in which it was worked or moved. */
  readonly except?: readonly number[] | undefined;
  /** Only in years that this number divides. */
  readonly everyYears?: number | undefined;
  /** True when the calendar's substitution rule counts for it. */
  readonly moves?: boolean | undefined;
  /** Law or official list that gives it. */
  readonly source: string;
}

/** What happens to a holiday on a day of weekly rest, and since when. */
export interface SubstitutionRecord {
  readonly rule: string;
  readonly from: number;
  readonly source: string;
}

/** A calendar as its data file holds it. */
export interface NationalCalendarData {
  readonly name: string;
  /** Codes by which it is asked for: ISO 3166 alpha-2 and alpha-3. */
  readonly codes: readonly string[];
  readonly englishNames: readonly string[];
  readonly version: string;
  /** Which holidays are meant and which are left out. */
  readonly scope: string;
  readonly weekend: readonly WeekendRule[];
  readonly substitution?: readonly SubstitutionRecord[];
  readonly holidays: readonly HolidayRecord[];
  /** Pairs of a day of rest and the day of weekly rest that is worked for it. */
  readonly exchangedDays?: {
    readonly source: string;
    readonly days: readonly { readonly rest: string; readonly worked: string }[];
  };
}

/** A rule of this first year is older than the data and counts for all years before it too. */
const FIRST_YEAR_OF_DATA = 2000;

interface ReadRule {
  readonly record: HolidayRecord;
  readonly day: HolidayDay;
}

/** The calendar of a data file. Outside the years 2000 to 2060 its rules go on as they stand at that end. */
export function nationalCalendar(data: NationalCalendarData): BusinessCalendar {
  const exchanged = data.exchangedDays?.days ?? [];
  return rememberedCalendar({
    name: data.name,
    version: data.version,
    isWeekend: weekendOf(data.weekend),
    holidaysOf: holidaysOf(data),
    workedDays: new Set(exchanged.map((pair) => parseCalendarDate(pair.worked)).filter(isDate)),
  });
}

/** The holidays of a year: those that its rules name, days in lieu of them, and days of rest by exchange. */
export function holidaysOf(data: NationalCalendarData): (year: number) => ReadonlySet<CalendarDate> {
  const rules = data.holidays.map((record) => ({ record, day: readHolidayDay(record.day) }));
  const exchanged = (data.exchangedDays?.days ?? [])
    .map((pair) => parseCalendarDate(pair.rest))
    .filter(isDate);
  const restsByYear = Map.groupBy(exchanged, (date) => datePartsOf(date).year);
  const isWeekend = weekendOf(data.weekend);
  // Run for each of up to a thousand years of a request, so it makes no lists on the way.
  return (year) => {
    const days = new Set(restsByYear.get(year));
    for (const { record, day } of rules) {
      const date = counts(record, year) ? day(year) : undefined;
      if (date !== undefined) days.add(date);
    }
    const substitution = substitutionIn(data, year);
    if (substitution === undefined) return days;
    const isFree = (date: CalendarDate): boolean => !isWeekend(date) && !days.has(date);
    for (const holiday of movingDays(rules, year)) {
      // The holiday's own day is no obstacle to itself, only its weekday is.
      const lieu = isWeekend(holiday) ? substitution(holiday, isFree) : undefined;
      if (lieu !== undefined) days.add(lieu);
    }
    return days;
  };
}

function isDate(date: CalendarDate | undefined): date is CalendarDate {
  return date !== undefined;
}

function counts(record: HolidayRecord, year: number): boolean {
  const isSince = record.from === undefined || record.from <= FIRST_YEAR_OF_DATA || year >= record.from;
  const isUntil = record.to === undefined || year <= record.to;
  const isTurn = record.everyYears === undefined || year % record.everyYears === 0;
  return isSince && isUntil && isTurn && record.except?.includes(year) !== true;
}

function substitutionIn(data: NationalCalendarData, year: number): Substitution | undefined {
  const rule = data.substitution?.findLast(
    (record) => record.from <= FIRST_YEAR_OF_DATA || record.from <= year,
  );
  return rule === undefined ? undefined : substitutionNamed(rule.rule);
}

/** The holidays that get a day in lieu, earliest first, so that two of them never share one. */
function movingDays(rules: readonly ReadRule[], year: number): readonly CalendarDate[] {
  return rules
    .filter(({ record }) => record.moves === true && counts(record, year))
    .map(({ day }) => day(year))
    .filter(isDate)
    .toSorted((left, right) => left - right);
}
