/** The texts with which calendar data say when a holiday falls. */

import {
  addDays,
  type CalendarDate,
  calendarDateOf,
  datePartsOf,
  parseCalendarDate,
} from '../dates/calendar-date.ts';
import { orthodoxEaster, westernEaster } from './easter.ts';
import { findWeekday, weekdayOf } from '../dates/weekday.ts';

/** The date of a holiday in a year; undefined in a year without it. */
export type HolidayDay = (year: number) => CalendarDate | undefined;

const FIXED = /^(\d{2})-(\d{2})$/;
const ONCE = /^\d{4}-\d{2}-\d{2}$/;
const EASTER = /^(orthodox-)?easter([+-]\d{1,2})?$/;
const NTH_WEEKDAY = /^(first|second|third|fourth|last) ([a-z]+) in ([a-z]+)$/;
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/**
 * Reads `12-25` (each year), `2018-11-12` (once), `easter-2`, `orthodox-easter+50`, `third monday in january` or
 * `last monday in may`. The texts come with the program, so one that is none of these is a bug and throws.
 */
export function readHolidayDay(text: string): HolidayDay {
  const day = fixedDay(text) ?? singleDay(text) ?? easterDay(text) ?? nthWeekday(text);
  if (day === undefined) throw new Error(`Calendar data name no day: ${text}`);
  return day;
}

function fixedDay(text: string): HolidayDay | undefined {
  const match = FIXED.exec(text);
  if (match === null) return undefined;
  const month = Number(match[1]);
  const day = Number(match[2]);
  return (year) => calendarDateOf(year, month, day);
}

function singleDay(text: string): HolidayDay | undefined {
  const date = ONCE.test(text) ? parseCalendarDate(text) : undefined;
  if (date === undefined) return undefined;
  const { year: only } = datePartsOf(date);
  return (year) => (year === only ? date : undefined);
}

function easterDay(text: string): HolidayDay | undefined {
  const match = EASTER.exec(text);
  if (match === null) return undefined;
  const easter = match[1] === undefined ? westernEaster : orthodoxEaster;
  const offset = Number(match[2] ?? 0);
  return (year) => addDays(easter(year), offset);
}

function nthWeekday(text: string): HolidayDay | undefined {
  const match = NTH_WEEKDAY.exec(text);
  const weekday = match === null ? undefined : findWeekday(match[2] ?? '');
  const month = MONTHS.indexOf(match?.[3] ?? '') + 1;
  if (weekday === undefined || month === 0) return undefined;
  const nth = ORDINALS.indexOf(match?.[1] ?? '');
  return (year) => {
    if (nth < 0) {
      const end = addDays(calendarDateOf(month === 12 ? year + 1 : year, (month % 12) + 1, 1), -1);
      return addDays(end, -((weekdayOf(end) - weekday + 7) % 7));
    }
    const first = calendarDateOf(year, month, 1);
    return addDays(first, ((weekday - weekdayOf(first) + 7) % 7) + 7 * nth);
  };
}
