/** Splits time at the days on which any of several spans starts or ends (L2). */

import {
  addDays,
  type CalendarDate,
  formatCalendarDate,
  parseCalendarDate,
} from '../../lending/dates/calendar-date.ts';
import type { ValidDays } from '../catalogue/record-parts.ts';

/** An arbitrary day, used when there are no changes. */
const ANY_DAY = '2000-01-01';

/** A span without changes, with one of its days. */
export interface DaysOfState {
  readonly day: CalendarDate;
  readonly days: ValidDays;
}

/** Lists the spans between the changes, in order; the first has no start, the last no end. */
export function splitAtChanges(spans: readonly ValidDays[]): readonly DaysOfState[] {
  const changes = findChanges(spans);
  const [earliest] = changes;
  const before = earliest === undefined ? ANY_DAY : shiftDay(earliest, -1);
  return [null, ...changes].flatMap((ValidFrom, place) => {
    const next = changes[place];
    const day = parseCalendarDate(ValidFrom ?? before);
    if (day === undefined) return [];
    return [{ day, days: { ValidFrom, ValidTo: next === undefined ? null : shiftDay(next, -1) } }];
  });
}

/** Finds the days on which the set of valid spans differs from the day before, in order. */
function findChanges(spans: readonly ValidDays[]): readonly string[] {
  const days = spans.flatMap(({ ValidFrom, ValidTo }) => [
    ValidFrom,
    ValidTo === null ? null : shiftDay(ValidTo, 1),
  ]);
  return [...new Set(days.filter((day) => day !== null))].toSorted();
}

function shiftDay(day: string, days: 1 | -1): string {
  const parsed = parseCalendarDate(day);
  return parsed === undefined ? day : formatCalendarDate(addDays(parsed, days));
}
