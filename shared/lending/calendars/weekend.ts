/** Days of weekly rest, which a few countries have changed. */

import { type CalendarDate, parseCalendarDate } from '../dates/calendar-date.ts';
import { findWeekday, WEEKDAYS, weekdayOf } from '../dates/weekday.ts';

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
    .map((rule) => ({ from: dateOf(rule.from), rests: restsOf(rule.days) }))
    .toSorted((left, right) => left.from - right.from);
  const [first, ...changes] = read;
  // Asked for each day of centuries: the one rule that nearly all countries have is looked up and not searched for.
  return (date) => {
    const rule = changes.findLast((candidate) => candidate.from <= date) ?? first;
    return rule !== undefined && rule.rests[weekdayOf(date)] === true;
  };
}

/** For each day of the week whether it is one of rest. */
function restsOf(days: readonly string[]): readonly boolean[] {
  const rests = WEEKDAYS.map(() => false);
  for (const day of days) rests[weekdayNamed(day)] = true;
  return rests;
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
