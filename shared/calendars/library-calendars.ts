/**
 * Calendars of the countries that are not built in, from the package date-holidays (data under CC BY 3.0, see
 * docs/calendars.md). Its holidays are expanded to calendar days, year by year and once, because asking it about one
 * day takes half a millisecond, depends on the zone of the process, and loses all but the first of several days.
 */

import Holidays from 'date-holidays';
import { addDays, type CalendarDate, calendarDateOf, parseCalendarDate } from '../lending/calendar-date.ts';
import type { BusinessCalendar, OtherCalendars } from '../lending/calendars/business-calendar.ts';
import { calendarKey } from '../lending/calendars/calendar-key.ts';
import { rememberedCalendar } from '../lending/calendars/remembered-calendar.ts';
import { weekendOf, type WeekendRule } from '../lending/calendars/weekend.ts';
import alpha3Codes from './alpha-3-codes.json' with { type: 'json' };
import weekends from './weekends.json' with { type: 'json' };

/** Version of every calendar made here: the package whose rules they are. */
export const LIBRARY_CALENDAR_VERSION = 'date-holidays 3.37.0';

const FIRST_PRELOADED_YEAR = 2000;
const LAST_PRELOADED_YEAR = 2060;
/** Years kept of one country while its days are worked out; the days themselves are kept by the calendar. */
const MOST_YEARS = 8;
const USUAL_WEEKEND: readonly WeekendRule[] = [
  { days: ['Saturday', 'Sunday'], from: '2000-01-01', source: 'Usual five-day week' },
];
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1_440;
const NOON_MINUTES = 720;
/** `yyyy-mm-dd hh:mm:ss`, with ` -0600` behind when the day begins on the eve at sunset, six hours earlier. */
const HOLIDAY_TEXT = /^(\d{4}-\d{2}-\d{2}) (\d{2}):(\d{2}):\d{2}(?: ([+-])(\d{2})(\d{2}))?$/;

/** Choices of {@link createLibraryCalendars}. */
export interface LibraryCalendarOptions {
  /** Names of countries whose years 2000 to 2060 are expanded at once, so that no request waits for them. */
  readonly preload?: readonly string[];
}

/**
 * Finds calendars of national public holidays by ISO 3166 code or English country name. A name to preload that is not
 * known throws, because it is a mistake in the configuration. The first use of a country that is not preloaded takes
 * some 10 ms for each three years, in China, Hong Kong and Taiwan a few hundred.
 */
export function createLibraryCalendars(options: LibraryCalendarOptions = {}): OtherCalendars {
  const countries = countriesByKey();
  const calendars = new Map<string, BusinessCalendar>();
  const find = (name: string): BusinessCalendar | undefined => {
    const country = countries.get(calendarKey(name));
    if (country === undefined) return undefined;
    const calendar = calendars.get(country) ?? libraryCalendar(country);
    calendars.set(country, calendar);
    return calendar;
  };
  for (const name of options.preload ?? []) {
    const calendar = find(name);
    if (calendar === undefined) throw new Error(`No calendar to preload: ${name}`);
    for (let year = FIRST_PRELOADED_YEAR; year <= LAST_PRELOADED_YEAR; year += 1) {
      calendar.isWorkingDay(calendarDateOf(year, 1, 1));
      calendar.isWorkingDay(calendarDateOf(year, 12, 31));
    }
  }
  return { find };
}

/** Alpha-2 codes of the library's countries by every name they are asked for. */
function countriesByKey(): ReadonlyMap<string, string> {
  const names = new Holidays().getCountries('en');
  const cldrNames = new Intl.DisplayNames(['en'], { type: 'region' });
  const alpha3: Readonly<Record<string, string | undefined>> = alpha3Codes;
  const byKey = new Map<string, string>();
  for (const [code, name] of Object.entries(names)) {
    for (const known of [code, alpha3[code], name, cldrNames.of(code)]) {
      if (known !== undefined) byKey.set(calendarKey(known), code);
    }
  }
  return byKey;
}

function libraryCalendar(country: string): BusinessCalendar {
  const library = new Holidays(country, { types: ['public'] });
  const weekendRules: Readonly<Record<string, readonly WeekendRule[] | undefined>> = weekends;
  const years = new Map<number, readonly CalendarDate[]>();
  return rememberedCalendar({
    name: country,
    version: LIBRARY_CALENDAR_VERSION,
    isWeekend: weekendOf(weekendRules[country] ?? USUAL_WEEKEND),
    holidaysOf: (year) => {
      const known = years.get(year);
      if (known !== undefined) return known;
      if (years.size >= MOST_YEARS) years.clear();
      const days = library
        .getHolidays(year)
        .filter((holiday) => holiday.type === 'public')
        .flatMap((holiday) => closedDays(holiday.date, holiday.end.getTime() - holiday.start.getTime()));
      years.set(year, days);
      return days;
    },
  });
}

/**
 * The days whose noon lies inside a holiday, from its beginning as written and its length. So an entry of 48 hours is
 * two days, one from sunset to sunset is the day after the eve, and half a day is none. An hour more or less, where
 * the clocks change, does not matter.
 */
function closedDays(text: string, lengthMs: number): readonly CalendarDate[] {
  const match = HOLIDAY_TEXT.exec(text);
  const first = parseCalendarDate(match?.[1] ?? '');
  if (match === null || first === undefined) return [];
  const shift = (match[4] === '-' ? -1 : 1) * (Number(match[5] ?? 0) * 60 + Number(match[6] ?? 0));
  const begins = Number(match[2]) * 60 + Number(match[3]) + shift;
  const ends = begins + lengthMs / MS_PER_MINUTE;
  const days: CalendarDate[] = [];
  for (
    let day = Math.floor(begins / MINUTES_PER_DAY);
    day * MINUTES_PER_DAY + NOON_MINUTES < ends;
    day += 1
  ) {
    if (day * MINUTES_PER_DAY + NOON_MINUTES > begins) days.push(addDays(first, day));
  }
  return days;
}
