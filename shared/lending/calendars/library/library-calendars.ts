/**
 * Calendars of other countries, from text files with the public holidays of 2000 to 2060 (docs/calendars.md). The files
 * are generated from date-holidays (data under CC BY 3.0, see NOTICE), a package whose rules take seconds to evaluate.
 */

import { readFileSync } from 'node:fs';
import alpha3Codes from './alpha-3-codes.json' with { type: 'json' };
import library from './library-countries.json' with { type: 'json' };
import weekends from './weekends.json' with { type: 'json' };
import type { BusinessCalendar, OtherCalendars } from '../business-calendar.ts';
import { normalizeCalendarName } from '../built-in-calendars.ts';
import { createCachedCalendar } from '../cached-calendar.ts';
import { type WeekendRule, readWeekendRules } from '../national-calendar.ts';
import { readLibraryDays } from './library-years.ts';

const USUAL_WEEKEND: readonly WeekendRule[] = [
  { days: ['Saturday', 'Sunday'], from: '2000-01-01', source: 'Usual five-day week' },
];

let countries: ReadonlyMap<string, string> | undefined;

/**
 * Finds countries by ISO 3166 code or English name, ignoring case. Outside 2000 to 2060 they have only weekends off.
 * `find` throws if the file of a country, which comes with the program, is missing or damaged.
 */
export function createLibraryCalendars(): OtherCalendars {
  const calendars = new Map<string, BusinessCalendar>();
  return {
    find: (name) => {
      countries ??= indexCountries();
      const country = countries.get(normalizeCalendarName(name));
      if (country === undefined) return undefined;
      const calendar = calendars.get(country) ?? loadLibraryCalendar(country);
      calendars.set(country, calendar);
      return calendar;
    },
  };
}

/** Lists the countries that {@link createLibraryCalendars} finds, by ISO 3166 alpha-2 code. */
export function listLibraryCalendars() {
  const { version } = library;
  return Object.entries(library.countries).map(([code, name]) => ({ code, name, version }));
}

function indexCountries(): ReadonlyMap<string, string> {
  const cldrNames = new Intl.DisplayNames(['en'], { type: 'region' });
  const alpha3: Readonly<Record<string, string | undefined>> = alpha3Codes;
  const byKey = new Map<string, string>();
  for (const [code, name] of Object.entries(library.countries)) {
    for (const known of [code, alpha3[code], name, cldrNames.of(code)]) {
      if (known !== undefined) byKey.set(normalizeCalendarName(known), code);
    }
  }
  return byKey;
}

function loadLibraryCalendar(country: string): BusinessCalendar {
  const file = new URL(`days/${country}.txt`, import.meta.url);
  const daysByYear = readLibraryDays(readFileSync(file, 'utf8'));
  const weekendRules: Readonly<Record<string, readonly WeekendRule[] | undefined>> = weekends;
  return createCachedCalendar({
    name: country,
    version: library.version,
    isWeekend: readWeekendRules(weekendRules[country] ?? USUAL_WEEKEND),
    listHolidays: (year) => daysByYear.get(year) ?? [],
  });
}
