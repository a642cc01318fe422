/** Working days that are worked out once and then looked up. */

import { type CalendarDate, datePartsOf } from '../calendar-date.ts';
import type { BusinessCalendar } from './business-calendar.ts';

/** What a calendar says of its days before they are remembered. Equal questions get equal answers. */
export interface CalendarRules {
  readonly name: string;
  readonly version: string;
  /** True when the day is one of weekly rest, or closed by the calendar that this one extends. */
  readonly isWeekend: (date: CalendarDate) => boolean;
  /** Holidays that belong to a year; a day in lieu of one may lie in the year beside it. */
  readonly holidaysOf: (year: number) => Iterable<CalendarDate>;
  /** Days of weekly rest that are worked in exchange for another day. */
  readonly workedDays?: ReadonlySet<CalendarDate>;
}

/** Days that are worked out at once: just under three years in 128 bytes. */
const SPAN_BITS = 10;
const SPAN_DAYS = 1 << SPAN_BITS;
const SPAN_BYTES = SPAN_DAYS / 8;
/** Spans kept, some 1,400 years in 64 KiB; contracts end long before that, so forgetting all of them is no loss. */
const MOST_SPANS = 512;

/** A calendar of these rules that remembers the days it was asked for, so that a look-up takes nanoseconds. */
export function rememberedCalendar(rules: CalendarRules): BusinessCalendar {
  const spans = new Map<number, Uint8Array>();
  const spanOf = (index: number): Uint8Array => {
    const known = spans.get(index);
    if (known !== undefined) return known;
    if (spans.size >= MOST_SPANS) spans.clear();
    const closed = closedDays(rules, index * SPAN_DAYS);
    spans.set(index, closed);
    return closed;
  };
  return {
    name: rules.name,
    version: rules.version,
    isWorkingDay: (date) => {
      const index = Math.floor(date / SPAN_DAYS);
      const day = date - index * SPAN_DAYS;
      return (((spanOf(index)[day >> 3] ?? 0) >> (day & 7)) & 1) === 0;
    },
  };
}

/** One bit for each day from `first`, set when banks are closed. */
function closedDays(rules: CalendarRules, first: number): Uint8Array {
  const closed = new Uint8Array(SPAN_BYTES);
  const set = (day: number, isClosed: boolean): void => {
    const place = day >> 3;
    const bit = 1 << (day & 7);
    closed[place] = isClosed ? (closed[place] ?? 0) | bit : (closed[place] ?? 0) & ~bit;
  };
  for (let day = 0; day < SPAN_DAYS; day += 1) {
    if (rules.isWeekend((first + day) as CalendarDate)) set(day, true);
  }
  const { year: firstYear } = datePartsOf(first as CalendarDate);
  const { year: lastYear } = datePartsOf((first + SPAN_DAYS - 1) as CalendarDate);
  for (let year = firstYear - 1; year <= lastYear + 1; year += 1) {
    for (const holiday of rules.holidaysOf(year)) {
      const day = holiday - first;
      if (day >= 0 && day < SPAN_DAYS) set(day, true);
    }
  }
  for (const worked of rules.workedDays ?? []) {
    const day = worked - first;
    if (day >= 0 && day < SPAN_DAYS) set(day, false);
  }
  return closed;
}
