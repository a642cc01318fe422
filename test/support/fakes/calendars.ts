/** Test calendars, for the engine and for the reference implementation. */

import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { IsWorkingDay } from '../reference/dates.ts';

const DAYS_PER_WEEK = 7;
/** 1970-01-01 was a Thursday: the first Saturday is day 2. */
const FIRST_SATURDAY = 2;

export const weekdays: IsWorkingDay = (date) =>
  (((date - FIRST_SATURDAY) % DAYS_PER_WEEK) + DAYS_PER_WEEK) % DAYS_PER_WEEK > 1;

/** About every ninth weekday is a holiday; some holidays are consecutive. */
const HOLIDAY_STEP = 9;
const HOLIDAY_FACTOR = 48_271;
const HOLIDAY_MODULUS = 2_147_483_647;

const manyHolidays: IsWorkingDay = (date) =>
  weekdays(date) && ((Math.abs(date) * HOLIDAY_FACTOR) % HOLIDAY_MODULUS) % HOLIDAY_STEP > 1;

const CALENDARS: ReadonlyMap<string, IsWorkingDay> = new Map([
  ['weekdays', weekdays],
  ['many holidays', manyHolidays],
]);

/** Names that a request may send; the first is the default. */
export const FAKE_CALENDAR_NAMES = ['Weekdays', 'Many Holidays'] as const;

/** Business days as the reference looks them up. */
export function fakeWorkingDays(name: string | undefined): IsWorkingDay | undefined {
  return CALENDARS.get((name ?? FAKE_CALENDAR_NAMES[0]).toLowerCase());
}

/** Calendars as the engine looks them up. */
export const FAKE_CALENDARS = {
  defaultName: FAKE_CALENDAR_NAMES[0],
  find(name: string) {
    const isWorkingDay = CALENDARS.get(name.trim().toLowerCase());
    if (isWorkingDay === undefined) return undefined;
    return { name, version: 'test', isWorkingDay: (date: CalendarDate) => isWorkingDay(date) };
  },
};
