/** The differences between date-holidays and a second source, with the verdict on each: shared/lending/calendars/library/compared-days.txt. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type CalendarDate, parseCalendarDate } from '../../shared/lending/dates/calendar-date.ts';

/** `add` and `remove` correct date-holidays; on days that are `closed` or `open` it stays as it is. */
const VERDICTS = ['add', 'remove', 'closed', 'open'] as const;
type Verdict = (typeof VERDICTS)[number];

/** The verdicts of a country by day. */
export type ComparedDays = ReadonlyMap<CalendarDate, Verdict>;

const FOLDER = path.resolve(import.meta.dirname, '../../shared/lending/calendars/library');
const LINE = /^([A-Z]{2}) ([a-z]+)((?: \d{4}-\d{2}-\d{2})+): (\S.*)$/;

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
