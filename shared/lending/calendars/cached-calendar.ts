/** Working days that are calculated once and then looked up. */

import { type CalendarDate, toDateParts } from '../dates/calendar-date.ts';
import type { BusinessCalendar } from './business-calendar.ts';

/** The rules of a calendar before caching. Must be deterministic. */
export interface CalendarRules {
  readonly name: string;
  readonly version: string;
  /** True if the day is a weekly rest day, or closed in the calendar that this one extends. */
  readonly isWeekend: (date: CalendarDate) => boolean;
  /** The holidays of a year; a substitute day may fall in the previous or the next year. */
  readonly listHolidays: (year: number) => Iterable<CalendarDate>;
  /** Weekly rest days that are working days in exchange for another day. */
  readonly workedDays?: ReadonlySet<CalendarDate>;
}

/** Days of one cached span: just under three years, with two bits for each day in 256 bytes. */
const SPAN_BITS = 10;
const SPAN_DAYS = 1 << SPAN_BITS;
const BITMAP_BYTES = SPAN_DAYS / 8;
/**
 * Maximum number of cached spans: some 1,400 years in 128 KiB. Contracts are far shorter, so clearing the whole cache
 * costs little.
 */
const MAX_SPANS = 512;
/** Maximum number of years whose holidays are cached while spans are built, usually in order of time. */
const MAX_YEARS = 8;

/**
 * Creates a calendar that caches the days of its rules, so that a look-up takes nanoseconds. Rest days are calculated
 * on demand, day by day: one date a year for a thousand years costs a few ms.
 */
export function createCachedCalendar(rules: CalendarRules): BusinessCalendar {
  const spans = new Map<number, DaySpan>();
  const listHolidays = cacheYears(rules.listHolidays);
  const getSpan = (index: number): DaySpan => {
    const known = spans.get(index);
    if (known !== undefined) return known;
    if (spans.size >= MAX_SPANS) spans.clear();
    const span = createSpan(index * SPAN_DAYS, listHolidays, rules.workedDays);
    spans.set(index, span);
    return span;
  };
  return {
    name: rules.name,
    version: rules.version,
    isWorkingDay: (date) => {
      const index = Math.floor(date / SPAN_DAYS);
      const span = getSpan(index);
      const day = date - index * SPAN_DAYS;
      if (!isSet(span, KNOWN + day)) setDay(span, day, rules.isWeekend(date));
      return !isSet(span, day);
    },
  };
}

function cacheYears(listHolidays: CalendarRules['listHolidays']): (year: number) => readonly CalendarDate[] {
  const years = new Map<number, readonly CalendarDate[]>();
  return (year) => {
    const known = years.get(year);
    if (known !== undefined) return known;
    if (years.size >= MAX_YEARS) years.clear();
    const holidays = [...listHolidays(year)];
    years.set(year, holidays);
    return holidays;
  };
}

/**
 * For each day, a bit that is set if banks are closed and, from {@link KNOWN} on, a bit that is set once this is known.
 */
type DaySpan = Uint8Array;

const KNOWN = SPAN_DAYS;

function isSet(span: DaySpan, bit: number): boolean {
  return (((span[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

function setDay(span: DaySpan, day: number, isClosed: boolean): void {
  const place = day >> 3;
  const bit = 1 << (day & 7);
  span[place] = isClosed ? (span[place] ?? 0) | bit : (span[place] ?? 0) & ~bit;
  span[BITMAP_BYTES + place] = (span[BITMAP_BYTES + place] ?? 0) | bit;
}

/**
 * Creates the span from `first` with its holidays and worked rest days, which the day of the week alone does not
 * decide.
 */
function createSpan(
  first: number,
  listHolidays: (year: number) => readonly CalendarDate[],
  workedDays: ReadonlySet<CalendarDate> = new Set(),
): DaySpan {
  const span = new Uint8Array(2 * BITMAP_BYTES);
  const decide = (date: CalendarDate, isClosed: boolean): void => {
    const day = date - first;
    if (day >= 0 && day < SPAN_DAYS) setDay(span, day, isClosed);
  };
  const { year: firstYear } = toDateParts(first as CalendarDate);
  const { year: lastYear } = toDateParts((first + SPAN_DAYS - 1) as CalendarDate);
  for (let year = firstYear - 1; year <= lastYear + 1; year += 1) {
    for (const holiday of listHolidays(year)) decide(holiday, true);
  }
  for (const worked of workedDays) decide(worked, false);
  return span;
}
