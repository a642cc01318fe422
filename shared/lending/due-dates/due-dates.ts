/**
 * Due dates by arithmetic on calendar dates (D2-D4). Nothing is counted from a clamped or moved date, so a due day 31
 * comes back after every short month (D4).
 */

import { assertNever } from '../numbers/assert-never.ts';
import {
  addDays,
  addMonths,
  datePartsOf,
  dayInMonthAfter,
  type CalendarDate,
} from '../dates/calendar-date.ts';
import { daysPerPeriod, monthsPerPeriod, type Periodicity } from '../dates/periodicity.ts';

/** How the first due date's month is found when FirstDueDate is not sent (D3). */
export type InstallmentMethod = 'ActualMonth' | 'NextMonth' | 'OnePeriodLater';

/** The dates and settings that due dates follow from. */
export interface DueDateTerms {
  readonly periodicity: Periodicity;
  /** Day of month of each due date, 1..31; clamped to the month's end. */
  readonly installmentDay: number;
  readonly installmentMethod: InstallmentMethod;
  /** Due date of the last settled row in a recalculation: the schedule starts there, whatever else is sent (D2). */
  readonly lastDueDate: CalendarDate | undefined;
  readonly activationDate: CalendarDate | undefined;
  readonly firstDueDate: CalendarDate | undefined;
  /** Day of the request (UTC), where nothing else says when the schedule starts (D2). */
  readonly requestDay: CalendarDate;
}

/** The day on which the schedule starts (D2). */
export function startDateOf(terms: DueDateTerms): CalendarDate {
  const known = terms.lastDueDate ?? terms.activationDate;
  if (known !== undefined) return known;
  const countsBack = terms.firstDueDate !== undefined && terms.periodicity.unit !== 'Once';
  return countsBack ? onePeriodBefore(terms, terms.firstDueDate) : terms.requestDay;
}

/**
 * One period before the first due date. When that date is the installment day of its month, so is the start of its:
 * 28 February with day 31 begins on 31 January, because dates are never counted from a clamped one (D4).
 */
function onePeriodBefore(terms: DueDateTerms, firstDueDate: CalendarDate): CalendarDate {
  const months = monthsPerPeriod(terms.periodicity);
  if (months === 0) return addDays(firstDueDate, -daysPerPeriod(terms.periodicity));
  const parts = datePartsOf(firstDueDate);
  const isOnInstallmentDay = dayInMonthAfter(parts, 0, terms.installmentDay) === firstDueDate;
  return isOnInstallmentDay
    ? dayInMonthAfter(parts, -months, terms.installmentDay)
    : addMonths(firstDueDate, -months);
}

/** The due date that follows `start`, the schedule's start or a due date, when no date for it is sent (D3). */
export function dueDateAfter(terms: DueDateTerms, start: CalendarDate): CalendarDate {
  const months = monthsPerPeriod(terms.periodicity);
  if (months === 0) return addDays(start, daysPerPeriod(terms.periodicity));
  const parts = datePartsOf(start);
  switch (terms.installmentMethod) {
    case 'ActualMonth': {
      const sameMonth = dayInMonthAfter(parts, 0, terms.installmentDay);
      return sameMonth > start ? sameMonth : dayInMonthAfter(parts, 1, terms.installmentDay);
    }
    case 'NextMonth':
      return dayInMonthAfter(parts, 1, terms.installmentDay);
    case 'OnePeriodLater':
      return dayInMonthAfter(parts, months, terms.installmentDay);
    default:
      return assertNever(terms.installmentMethod);
  }
}

/**
 * The dates of D4 by the number of periods after the first due date's month; -1 is the day on which a regular first
 * period begins (C2).
 */
export function dueDateGenerator(
  terms: DueDateTerms,
  firstDueDate: CalendarDate,
): (periods: number) => CalendarDate {
  const months = monthsPerPeriod(terms.periodicity);
  if (months === 0) {
    const days = daysPerPeriod(terms.periodicity);
    return (periods) => addDays(firstDueDate, periods * days);
  }
  const parts = datePartsOf(firstDueDate);
  return (periods) => dayInMonthAfter(parts, periods * months, terms.installmentDay);
}
