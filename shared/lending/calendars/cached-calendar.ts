/** A calendar that evaluates its rules once for a span of days and caches the holidays. */

import { type CalendarDate, toDateParts } from '../dates/calendar-date.ts';
import type { BusinessCalendar } from './business-calendar.ts';

/** The rules of a calendar. `listHolidays` must be deterministic, because its results are cached. */
interface CalendarRules {
  readonly name: string;
  readonly version: string;
  /** True if the day is a weekly rest day, or not a working day of the calendar that this one extends. */
  readonly isWeekend: (date: CalendarDate) => boolean;
  /** The holidays of a year and their substitute days, which may fall in the previous or the next year. */
  readonly listHolidays: (year: number) => Iterable<CalendarDate>;
  /** Working days, even if they are rest days or holidays. */
  readonly workedDays?: ReadonlySet<CalendarDate>;
}

const SPAN_DAYS = 1_024;
/** Maximum number of cached spans; beyond it all are cleared. They cover 1,435 years, more than D1 allows. */
const MAX_SPANS = 512;

export function createCachedCalendar(rules: CalendarRules): BusinessCalendar {
  const { name, version, isWeekend, listHolidays, workedDays } = rules;
  const spans = new Map<number, ReadonlySet<CalendarDate>>();
  const holidaysOf = (index: number): ReadonlySet<CalendarDate> => {
    const known = spans.get(index);
    if (known !== undefined) return known;
    if (spans.size >= MAX_SPANS) spans.clear();
    const first = index * SPAN_DAYS;
    const from = toDateParts(first as CalendarDate).year - 1;
    const to = toDateParts((first + SPAN_DAYS - 1) as CalendarDate).year + 1;
    const years = Array.from({ length: to - from + 1 }, (_, place) => from + place);
    const holidays = new Set(years.flatMap((year) => [...listHolidays(year)]));
    spans.set(index, holidays);
    return holidays;
  };
  return {
    name,
    version,
    isWorkingDay: (date) => {
      if (workedDays?.has(date) === true) return true;
      return !holidaysOf(Math.floor(date / SPAN_DAYS)).has(date) && !isWeekend(date);
    },
  };
}
