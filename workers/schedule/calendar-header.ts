import type { UsedCalendar } from '../../shared/lending/request/repayment-schedule.ts';

/** Letters, digits and what joins them in names of calendars and in versions. */
const NOT_IN_PART = /[^\w.+:/-]/gu;

/**
 * The calendar that an answer was made with, such as `RO;version=2026.1` or `RO+TARGET;version=2026.1+2026.1` (H2).
 * Any other character of a name from the catalogue is percent-encoded as UTF-8, so that the semicolon is the only one.
 */
export function calendarHeader({ name, version }: UsedCalendar): string {
  return `${encoded(name)};version=${encoded(version)}`;
}

function encoded(part: string): string {
  return part.toWellFormed().replaceAll(NOT_IN_PART, (character) => {
    const escaped = encodeURIComponent(character);
    return escaped === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : escaped;
  });
}
