/** Days of the week, which calendar data name in English. */

import type { CalendarDate } from './calendar-date.ts';

export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

/** Position in a week that begins on Monday: 0 Monday … 6 Sunday. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

const DAYS_PER_WEEK = WEEKDAYS.length;
/** 1970-01-01, day 0, was a Thursday. */
const EPOCH_WEEKDAY = 3;

export function getWeekday(date: CalendarDate): Weekday {
  const days = date + EPOCH_WEEKDAY;
  return (days - DAYS_PER_WEEK * Math.floor(days / DAYS_PER_WEEK)) as Weekday;
}

/** The weekday of an English name, ignoring case; undefined if unknown. */
export function findWeekday(name: string): Weekday | undefined {
  const wanted = name.trim().toLowerCase();
  const position = WEEKDAYS.findIndex((day) => day.toLowerCase() === wanted);
  return position < 0 ? undefined : (position as Weekday);
}
