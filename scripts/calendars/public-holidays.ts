/** Uses the lists of date-holidays. Its query by day depends on the time zone, and finds only a holiday's first day. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { addDays, type CalendarDate, parseCalendarDate } from '../../shared/lending/dates/calendar-date.ts';

interface Holiday {
  readonly type: string;
  readonly date: string;
  readonly start: Date;
  readonly end: Date;
}

interface HolidayRules {
  getCountries(language: string): Readonly<Record<string, string>>;
  getHolidays(year: number): readonly Holiday[];
}
type Holidays = new (country?: string, options?: { readonly types: readonly string[] }) => HolidayRules;

const require = createRequire(import.meta.url);
const loadHolidays = (): Holidays => require('date-holidays') as Holidays;

const MS_PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1_440;
const NOON_MINUTES = 720;
/** `yyyy-mm-dd hh:mm:ss`, followed by ` -0600` when the day begins at sunset on the eve, six hours earlier. */
const HOLIDAY_TEXT = /^(\d{4}-\d{2}-\d{2}) (\d{2}):(\d{2}):\d{2}(?: ([+-])(\d{2})(\d{2}))?$/;

/** English names by ISO 3166 code, sorted by code. */
export function listPackageCountries(): ReadonlyMap<string, string> {
  const Holidays = loadHolidays();
  const names = Object.entries(new Holidays().getCountries('en'));
  return new Map(names.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Statutory holidays of a whole country; no half days, bank or regional ones. Covers one year more at each end. */
export function listPublicHolidays(
  country: string,
  firstYear: number,
  lastYear: number,
): ReadonlySet<CalendarDate> {
  const Holidays = loadHolidays();
  const rules = new Holidays(country, { types: ['public'] });
  const days = new Set<CalendarDate>();
  for (let year = firstYear - 1; year <= lastYear + 1; year += 1) {
    for (const { type, date, start, end } of rules.getHolidays(year)) {
      if (type !== 'public') continue;
      for (const day of listClosedDays(date, end.getTime() - start.getTime())) days.add(day);
    }
  }
  return days;
}

/** The days whose noon is within a holiday: no day for a half day, the second day if it lasts from sunset to sunset. */
function listClosedDays(text: string, lengthMs: number): readonly CalendarDate[] {
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

/** `add` and `remove` correct the days of date-holidays; `closed` and `open` only record a difference. */
const VERDICTS = ['add', 'remove', 'closed', 'open'] as const;
type Verdict = (typeof VERDICTS)[number];

type ComparedDays = ReadonlyMap<CalendarDate, Verdict>;

const FOLDER = path.resolve(import.meta.dirname, '../../shared/lending/calendars/library');
const LINE = /^([A-Z]{2}) ([a-z]+)((?: \d{4}-\d{2}-\d{2})+): (\S.*)$/;

/** The verdicts of compared-days.txt by country. Throws Error on an unreadable line, or two verdicts for a day. */
export function readComparedDays(): ReadonlyMap<string, ComparedDays> {
  const byCountry = new Map<string, Map<CalendarDate, Verdict>>();
  for (const line of readFileSync(path.join(FOLDER, 'compared-days.txt'), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, country, word, days = ''] = LINE.exec(line) ?? [];
    const verdict = VERDICTS.find((known) => known === word);
    if (country === undefined || verdict === undefined) throw new Error(`cannot read the line: ${line}`);
    const verdicts = byCountry.get(country) ?? new Map<CalendarDate, Verdict>();
    byCountry.set(country, verdicts);
    for (const text of days.trim().split(' ')) {
      const day = parseCalendarDate(text);
      if (day === undefined || verdicts.has(day))
        throw new Error(`${country} ${text} is not a date, or has two verdicts`);
      verdicts.set(day, verdict);
    }
  }
  return byCountry;
}

export function correctDays(
  days: ReadonlySet<CalendarDate>,
  compared: ComparedDays = new Map(),
): ReadonlySet<CalendarDate> {
  const added = [...compared].filter(([, verdict]) => verdict === 'add').map(([day]) => day);
  return new Set([...days, ...added].filter((day) => compared.get(day) !== 'remove'));
}
