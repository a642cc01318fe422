/**
 * Due dates by arithmetic on calendar dates (D2-D7). Nothing is counted from a clamped or moved date, so a due day 31
 * comes back after every short month (D4).
 */

import { assertNever } from './assert-never.ts';
import { addDays, addMonths, datePartsOf, dayInMonthAfter, type CalendarDate } from './calendar-date.ts';
import { daysPerPeriod, monthsPerPeriod, type Periodicity } from './periodicity.ts';

/** How the first due date's month is found when FirstDueDate is not sent (D3). */
export type InstallmentMethod = 'ActualMonth' | 'NextMonth' | 'OnePeriodLater';

/** The dates and settings that due dates follow from. */
interface DueDateTerms {
  readonly periodicity: Periodicity;
  /** Day of month of each due date, 1..31; clamped to the month's end. */
  readonly installmentDay: number;
  readonly installmentMethod: InstallmentMethod;
  readonly installmentsNo: number;
  /** Due date of the last settled row in a recalculation: the schedule starts there, whatever else is sent (D2). */
  readonly lastDueDate: CalendarDate | undefined;
  readonly activationDate: CalendarDate | undefined;
  readonly firstDueDate: CalendarDate | undefined;
  readonly maturityDate: CalendarDate | undefined;
  /** Day of the request (UTC), where nothing else says when the schedule starts (D2). */
  readonly requestDay: CalendarDate;
}

/** Start and due dates of a schedule. */
export interface DueDates {
  readonly startDate: CalendarDate;
  /** Date of each row, not moved for holidays. */
  readonly dueDates: readonly CalendarDate[];
  /** Whole months of each row's period where it is regular (C2), else 0. */
  readonly regularMonths: readonly number[];
}

/** The day on which the schedule starts (D2). */
function startDateOf(terms: DueDateTerms): CalendarDate {
  const known = terms.lastDueDate ?? terms.activationDate;
  if (known !== undefined) return known;
  return terms.firstDueDate === undefined ? terms.requestDay : onePeriodBefore(terms, terms.firstDueDate);
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

/** The first due date (D3). */
function firstDueDateOf(terms: DueDateTerms, startDate: CalendarDate): CalendarDate {
  if (terms.firstDueDate !== undefined) return terms.firstDueDate;
  const months = monthsPerPeriod(terms.periodicity);
  if (months === 0) return addDays(startDate, daysPerPeriod(terms.periodicity));
  const start = datePartsOf(startDate);
  switch (terms.installmentMethod) {
    case 'ActualMonth': {
      const sameMonth = dayInMonthAfter(start, 0, terms.installmentDay);
      return sameMonth > startDate ? sameMonth : dayInMonthAfter(start, 1, terms.installmentDay);
    }
    case 'NextMonth':
      return dayInMonthAfter(start, 1, terms.installmentDay);
    case 'OnePeriodLater':
      return dayInMonthAfter(start, months, terms.installmentDay);
    default:
      return assertNever(terms.installmentMethod);
  }
}

/** All due dates and which of their periods are regular; MaturityDate replaces the last one (D5). */
export function dueDatesOf(terms: DueDateTerms): DueDates {
  const startDate = startDateOf(terms);
  const firstDueDate = firstDueDateOf(terms, startDate);
  const months = monthsPerPeriod(terms.periodicity);
  const generated = dueDateGenerator(terms, firstDueDate);
  const lastRow = terms.installmentsNo - 1;
  const dueDates: CalendarDate[] = [];
  const regularMonths: number[] = [];
  let beginsRegular = startDate === generated(-1);
  for (let row = 0; row <= lastRow; row += 1) {
    const planned = generated(row);
    const unmatured = row === 0 ? firstDueDate : planned;
    const date = row === lastRow ? (terms.maturityDate ?? unmatured) : unmatured;
    const endsRegular = date === planned;
    dueDates.push(date);
    regularMonths.push(beginsRegular && endsRegular ? months : 0);
    beginsRegular = endsRegular;
  }
  return { startDate, dueDates, regularMonths };
}

/**
 * The dates of D4 by the number of periods after the first due date's month; -1 is the day on which a regular first
 * period begins (C2).
 */
function dueDateGenerator(
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

/** The only due date of a loan that is repaid at once: MaturityDate, else FirstDueDate (D7). */
export function singleDueDateOf(terms: DueDateTerms): DueDates | undefined {
  const dueDate = terms.maturityDate ?? terms.firstDueDate;
  if (dueDate === undefined) return undefined;
  return {
    startDate: terms.lastDueDate ?? terms.activationDate ?? terms.requestDay,
    dueDates: [dueDate],
    regularMonths: [0],
  };
}
