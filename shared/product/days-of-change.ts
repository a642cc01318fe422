/** The days on which something begins to hold, or does not hold any more (L2). */

import {
  addDays,
  type CalendarDate,
  formatCalendarDate,
  parseCalendarDate,
} from '../lending/calendar-date.ts';
import type { ValidDays } from './record-parts.ts';

/** A day for what never changes. */
const ANY_DAY = '2000-01-01';

/** First days on which other ones of these hold than the day before, in order. */
export function changesOf(spans: readonly ValidDays[]): readonly string[] {
  const days = spans.flatMap(({ ValidFrom, ValidTo }) => [
    ValidFrom,
    ValidTo === null ? null : shifted(ValidTo, 1),
  ]);
  return [...new Set(days.filter((day) => day !== null))].toSorted();
}

/** A day of each state between changes, as far as they fall into a validity. */
export function statesWithin(
  changes: readonly string[],
  { ValidFrom, ValidTo }: ValidDays,
): readonly CalendarDate[] {
  const [earliest] = changes;
  const before = earliest === undefined ? ANY_DAY : shifted(earliest, -1);
  const start = ValidFrom ?? (ValidTo !== null && ValidTo < before ? ValidTo : before);
  const later = changes.filter((day) => day > start && (ValidTo === null || day <= ValidTo));
  return [start, ...later].flatMap((day) => parseCalendarDate(day) ?? []);
}

function shifted(day: string, days: 1 | -1): string {
  const parsed = parseCalendarDate(day);
  return parsed === undefined ? day : formatCalendarDate(addDays(parsed, days));
}
