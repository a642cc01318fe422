/** Days of weekly rest, which a few countries have changed. */

import { type CalendarDate, parseCalendarDate } from '../calendar-date.ts';
import { findWeekday, weekdayOf } from './weekday.ts';

/** Days of weekly rest from a date on, until the next rule begins. */
export interface WeekendRule {
  readonly days: readonly string[];
  /** First day of the rule, `yyyy-mm-dd`; the earliest rule also counts before its day. */
  readonly from: string;
  readonly source: string;
}

/** Tells whether a date is one of weekly rest. The rules come with the program: a wrong name or date throws. */
export function weekendOf(rules: readonly WeekendRule[]): (date: CalendarDate) => boolean {
  const read = rules
    .map((rule) => ({ from: dateOf(rule.from), days: new Set(rule.days.map(weekdayNamed)) }))
    .toSorted((left, right) => left.from - right.from);
  return (date) => {
    const rule = read.findLast((candidate) => candidate.from <= date) ?? read[0];
    return rule !== undefined && rule.days.has(weekdayOf(date));
  };
}

function dateOf(text: string): CalendarDate {
  const date = parseCalendarDate(text);
  if (date === undefined) throw new Error(`Calendar data name no date: ${text}`);
  return date;
}

function weekdayNamed(name: string): number {
  const weekday = findWeekday(name);
  if (weekday === undefined) throw new Error(`Calendar data name no weekday: ${name}`);
  return weekday;
}
