/** Days in lieu of a holiday that falls on a day of weekly rest. */

import { addDays, type CalendarDate } from '../dates/calendar-date.ts';
import { type Weekday, weekdayOf } from '../dates/weekday.ts';

const SATURDAY: Weekday = 5;
const SUNDAY: Weekday = 6;

/** The day in lieu of a holiday on a day of weekly rest, if it gets one. `isFree` is false on days of both kinds. */
export type Substitution = (
  holiday: CalendarDate,
  isFree: (date: CalendarDate) => boolean,
) => CalendarDate | undefined;

const SUBSTITUTIONS: ReadonlyMap<string, Substitution> = new Map<string, Substitution>([
  ['next-working-day', nextFree],
  [
    'sunday-to-next-working-day',
    (holiday, isFree) => (weekdayOf(holiday) === SUNDAY ? nextFree(holiday, isFree) : undefined),
  ],
  ['sunday-to-saturday', (holiday) => (weekdayOf(holiday) === SUNDAY ? addDays(holiday, -1) : undefined)],
  ['nearest-weekday', nearestWeekday],
]);

/** The rule of a name; the names come with the program, so one that is not known is a bug and throws. */
export function substitutionNamed(name: string): Substitution {
  const substitution = SUBSTITUTIONS.get(name);
  if (substitution === undefined) throw new Error(`Calendar data name no substitution: ${name}`);
  return substitution;
}

/** Friday for a Saturday, Monday for a Sunday. */
function nearestWeekday(holiday: CalendarDate): CalendarDate | undefined {
  const weekday = weekdayOf(holiday);
  if (weekday === SATURDAY) return addDays(holiday, -1);
  return weekday === SUNDAY ? addDays(holiday, 1) : undefined;
}

function nextFree(holiday: CalendarDate, isFree: (date: CalendarDate) => boolean): CalendarDate {
  let day = addDays(holiday, 1);
  while (!isFree(day)) day = addDays(day, 1);
  return day;
}
