/** The differences between date-holidays and a second source, with the verdict on each: shared/calendars/compared-days.txt. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readLibraryDays } from '../../shared/calendars/library-days.ts';
import weekends from '../../shared/calendars/weekends.json' with { type: 'json' };
import {
  type CalendarDate,
  formatCalendarDate,
  parseCalendarDate,
} from '../../shared/lending/dates/calendar-date.ts';
import { readWeekendRules, type WeekendRule } from '../../shared/lending/calendars/national-calendar.ts';

/** `add` and `remove` correct date-holidays; on days that are `closed` or `open` it stays as it is. */
const VERDICTS = ['add', 'remove', 'closed', 'open'] as const;
type Verdict = (typeof VERDICTS)[number];

/** The verdicts of a country by day. */
export type ComparedDays = ReadonlyMap<CalendarDate, Verdict>;

const FOLDER = path.resolve(import.meta.dirname, '../../shared/calendars');
const LINE = /^([A-Z]{2}) ([a-z]+)((?: \d{4}-\d{2}-\d{2})+): (\S.*)$/;
const FIRST_COMPARED_DAY = '2020-01-01';
const LAST_COMPARED_DAY = '2028-12-31';
const USUAL_WEEKEND: readonly WeekendRule[] = [
  { days: ['Saturday', 'Sunday'], from: '2000-01-01', source: 'Usual five-day week' },
];

/** The verdicts by country. The file comes with the program, so an invalid line or a day with two verdicts throws. */
export function readComparedDays(): ReadonlyMap<string, ComparedDays> {
  const byCountry = new Map<string, Map<CalendarDate, Verdict>>();
  for (const line of readFileSync(path.join(FOLDER, 'compared-days.txt'), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, country, word, days = ''] = LINE.exec(line) ?? [];
    const verdict = VERDICTS.find((known) => known === word);
    if (country === undefined || verdict === undefined) throw new Error(`Verdicts cannot be read: ${line}`);
    const verdicts = byCountry.get(country) ?? new Map<CalendarDate, Verdict>();
    byCountry.set(country, verdicts);
    for (const text of days.trim().split(' ')) {
      const day = parseCalendarDate(text);
      if (day === undefined || verdicts.has(day))
        throw new Error(`${country} ${text} is no day or has two verdicts`);
      verdicts.set(day, verdict);
    }
  }
  return byCountry;
}

/** The holidays after the corrections. */
export function correctDays(
  days: ReadonlySet<CalendarDate>,
  compared: ComparedDays = new Map(),
): ReadonlySet<CalendarDate> {
  const added = [...compared].filter(([, verdict]) => verdict === 'add').map(([day]) => day);
  return new Set([...days, ...added].filter((day) => compared.get(day) !== 'remove'));
}

/**
 * The differences without a verdict between the files and a second source, given its holidays by country, as `RS 2021-05-04 only in
 * the second source`. Countries without a file, weekends and other years are not compared.
 */
export function listNewDifferences(
  second: Readonly<Record<string, readonly string[]>>,
  countries: readonly string[],
): readonly string[] {
  const verdicts = readComparedDays();
  return countries.flatMap((country) => {
    const theirs = second[country];
    if (theirs === undefined) return [];
    const isWeekend = readWeekendRules(weekendOf(country));
    const isCompared = (day: string): boolean => {
      const date = parseCalendarDate(day);
      const isInYears = day >= FIRST_COMPARED_DAY && day <= LAST_COMPARED_DAY;
      const verdict = date === undefined ? undefined : verdicts.get(country)?.get(date);
      return (
        date !== undefined && isInYears && !isWeekend(date) && verdict !== 'closed' && verdict !== 'open'
      );
    };
    const file = readFileSync(path.join(FOLDER, 'library-days', `${country}.txt`), 'utf8');
    const ours = new Set(
      [...readLibraryDays(file).values()].flat().map(formatCalendarDate).filter(isCompared),
    );
    const others = new Set(theirs.filter(isCompared));
    return [
      ...[...others]
        .filter((day) => !ours.has(day))
        .map((day) => `${country} ${day} only in the second source`),
      ...[...ours].filter((day) => !others.has(day)).map((day) => `${country} ${day} only in the files`),
    ];
  });
}

function weekendOf(country: string): readonly WeekendRule[] {
  const rules: Readonly<Record<string, readonly WeekendRule[] | undefined>> = weekends;
  return rules[country] ?? USUAL_WEEKEND;
}
