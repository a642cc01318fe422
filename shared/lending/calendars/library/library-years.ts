/**
 * The files that `npm run calendars -- generate` writes: a comment, a line with the holidays that all years share, and
 * a line for each year with its other holidays. Shared holidays are listed once, so that an upgrade is a short diff.
 */

import { type CalendarDate, toDateParts, parseCalendarDate } from '../../dates/calendar-date.ts';

export const FIRST_LIBRARY_YEAR = 2000;
export const LAST_LIBRARY_YEAR = 2060;

const EVERY_YEAR = 'every';
const LINE = /^(every|\d{4})((?: \d{2}-\d{2})*)$/;

type DaysByYear = ReadonlyMap<number, readonly CalendarDate[]>;

/** Formats the holidays of a country; `title` names the country and the source. Drops days outside 2000 to 2060. */
export function writeLibraryDays(title: string, days: Iterable<CalendarDate>): string {
  const textsByYear = new Map<number, Set<string>>();
  for (let year = FIRST_LIBRARY_YEAR; year <= LAST_LIBRARY_YEAR; year += 1) textsByYear.set(year, new Set());
  for (const date of days) {
    const { year, month, day } = toDateParts(date);
    textsByYear.get(year)?.add(`${padTwoDigits(month)}-${padTwoDigits(day)}`);
  }
  const years = [...textsByYear.values()];
  const fixed = new Set([...(years[0] ?? [])].filter((text) => years.every((texts) => texts.has(text))));
  const lines = [...textsByYear].map(([year, texts]) =>
    formatLine(
      String(year),
      [...texts].filter((text) => !fixed.has(text)),
    ),
  );
  return [`# ${title}`, formatLine(EVERY_YEAR, fixed), ...lines, ''].join('\n');
}

function formatLine(head: string, texts: Iterable<string>): string {
  return [head, ...[...texts].toSorted()].join(' ');
}

function padTwoDigits(part: number): string {
  return String(part).padStart(2, '0');
}

/** Reads text of {@link writeLibraryDays}. Throws for other text: the files come with the program, so it is a bug. */
export function readLibraryDays(text: string): DaysByYear {
  const daysByYear = new Map<number, readonly CalendarDate[]>();
  let fixed: readonly string[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const match = LINE.exec(line);
    if (match === null) throw new Error(`Holidays cannot be read: ${line}`);
    const days = (match[2] ?? '').split(' ').slice(1);
    if (match[1] === EVERY_YEAR) fixed = days;
    else
      daysByYear.set(
        Number(match[1]),
        [...fixed, ...days].map((day) => parseDate(`${match[1]}-${day}`)),
      );
  }
  return daysByYear;
}

function parseDate(text: string): CalendarDate {
  const date = parseCalendarDate(text);
  if (date === undefined) throw new Error(`Holidays contain an invalid date: ${text}`);
  return date;
}
