/** The unshifted due dates of the remaining rows of a contract (D4, D5, B5, X1). */

import {
  type CalendarDate,
  addDays,
  toDateParts,
  type DateParts,
  dayInMonthAfter,
} from '../dates/calendar-date.ts';
import {
  type Periodicity,
  dayAfterPeriods,
  dayAfterSteps,
  daysPerPeriod,
  findPeriodicity,
  monthsPerPeriod,
  stepsPerPeriod,
} from '../dates/periodicity.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import { type HolidayShift, isShownOn } from './shift-due-date.ts';

/** The date on which a contract ends; it replaces the date of the last row. */
export interface EndDate {
  /** An expiry date becomes the last due date; later ones are dropped (B5). A maturity date moves the last one (D5). */
  readonly path: 'MaturityDate' | 'ExpiryDateForOD';
  readonly date: CalendarDate;
}

export interface PlanTerms extends DueDateTerms {
  readonly installmentsNo: number;
  /** Settled periods: with payments in advance one less than the settled rows, or none (B7). */
  readonly settledRows: number;
  readonly isInAdvance: boolean;
  readonly endDate: EndDate | undefined;
  readonly shift: HolidayShift | undefined;
}

export interface PlannedRows {
  readonly startDate: CalendarDate;
  /** The unshifted date if `startDate` is a shifted due date, else `startDate` (X1). */
  readonly settledDate: CalendarDate;
  /** Date of the row before the last one, settled or not; `settledDate` if there is none or its date is unknown. */
  readonly beforeLast: CalendarDate;
  readonly dueDates: readonly CalendarDate[];
  /** Months of each row's period, 0.5 for half a month (D10); 0 if it is irregular (C2) or counted in days. */
  readonly regularMonths: number[];
}

/** Rows are numbered from that of `firstDueDate`, which is row 0; `firstRow` is the first remaining one. */
interface Anchor {
  readonly settledDate: CalendarDate;
  readonly firstDueDate: CalendarDate;
  readonly firstRow: number;
  readonly generated: (periods: number) => CalendarDate;
}

/** All remaining rows; their dates are in ascending order unless the dates of the request are out of order. */
export function planRows(terms: PlanTerms): PlannedRows {
  const startDate = findStartDate(terms);
  // A payment in advance on the start itself is not shifted (B7).
  const isUnshifted = terms.isInAdvance && terms.settledRows === 0;
  const anchored = isUnshifted ? { ...terms, shift: undefined } : terms;
  const { settledDate, firstDueDate, firstRow, generated } = findAnchor(anchored, startDate);
  const months = terms.dueDates === undefined ? monthsPerPeriod(terms.periodicity) : 0;
  const lastRow = firstRow + terms.installmentsNo - terms.settledRows - 1;
  const { endDate } = terms;
  const expiry = endDate?.path === 'ExpiryDateForOD' ? endDate.date : undefined;
  const accrualStart = terms.shift?.defersAccrual === true ? startDate : settledDate;
  const dueDates: CalendarDate[] = [];
  const regularMonths: number[] = [];
  let before = firstRow > 0 ? getDueDate(firstRow - 1, firstDueDate, generated) : settledDate;
  let beginsRegular = accrualStart === settledDate && settledDate === generated(firstRow - 1);
  for (let row = firstRow; row <= lastRow; row += 1) {
    const planned = generated(row);
    let date = row === 0 ? firstDueDate : planned;
    const isLast = row === lastRow || (expiry !== undefined && date >= expiry);
    if (isLast) date = endDate?.date ?? date;
    dueDates.push(date);
    const endsRegular = date === planned;
    regularMonths.push(beginsRegular && endsRegular ? months : 0);
    if (isLast) break;
    beginsRegular = endsRegular;
    before = date;
  }
  return { startDate, settledDate, beforeLast: before, dueDates, regularMonths };
}

/** Row 0 is due on `firstDueDate`, whatever its day of the month; other rows are due on generated dates (D4). */
function getDueDate(
  row: number,
  firstDueDate: CalendarDate,
  generated: (periods: number) => CalendarDate,
): CalendarDate {
  return row === 0 ? firstDueDate : generated(row);
}

/** A FirstDueDate up to LastDueDate is the contract's first; a later or derived one is that of the next row (X1). */
function findAnchor(terms: PlanTerms, startDate: CalendarDate): Anchor {
  const { lastDueDate, shift } = terms;
  if (terms.firstDueDate === undefined) {
    const settledDate =
      lastDueDate === undefined || shift === undefined
        ? startDate
        : findUnshiftedDay(terms, lastDueDate, shift);
    const firstDueDate = findNextDueDate(terms, settledDate);
    return { settledDate, firstDueDate, firstRow: 0, generated: createDueDateGenerator(terms, firstDueDate) };
  }
  const { firstDueDate } = terms;
  const isContract = terms.dueDates !== undefined || isContractAnchor(terms, firstDueDate);
  const firstRow = isContract ? terms.settledRows : 0;
  const generated = createDueDateGenerator(terms, firstDueDate);
  const settled = getDueDate(firstRow - 1, firstDueDate, generated);
  const isShifted =
    lastDueDate !== undefined && shift !== undefined && isShownOn(lastDueDate, settled, shift);
  return { settledDate: isShifted ? settled : startDate, firstDueDate, firstRow, generated };
}

/** True for a FirstDueDate up to LastDueDate, or one that the holiday method moves to LastDueDate (X1). */
function isContractAnchor(terms: PlanTerms, firstDueDate: CalendarDate): boolean {
  const { lastDueDate, shift } = terms;
  if (lastDueDate === undefined) return false;
  if (firstDueDate <= lastDueDate) return true;
  return shift !== undefined && isShownOn(lastDueDate, firstDueDate, shift);
}

/** The instalment day shown as LastDueDate, else that day: counting from a shifted day could skip or repeat a month. */
function findUnshiftedDay(terms: PlanTerms, lastDueDate: CalendarDate, shift: HolidayShift): CalendarDate {
  if (monthsPerPeriod(terms.periodicity) === 0) return lastDueDate;
  const parts = toDateParts(lastDueDate);
  const days = [0, -1, 1].map((steps) => installmentDayAfter(terms, parts, steps));
  return days.find((day) => isShownOn(lastDueDate, day, shift)) ?? lastDueDate;
}

/** The only row of a single repayment, due on the end date, else on FirstDueDate (D7); undefined without either. */
export function planSingleRow(terms: PlanTerms): PlannedRows | undefined {
  const startDate = findStartDate(terms);
  const dueDate = terms.endDate?.date ?? terms.firstDueDate;
  if (dueDate === undefined) return undefined;
  return {
    startDate,
    settledDate: startDate,
    beforeLast: startDate,
    dueDates: [dueDate],
    regularMonths: [0],
  };
}

// Due dates by arithmetic on calendar dates (D2-D4). Months are never counted from a clamped or shifted date, so a due
// day 31 is restored after every short month (D4).

/** Which month the first due date falls in if FirstDueDate is not sent (D3). */
type InstallmentMethod = 'ActualMonth' | 'NextMonth' | 'OnePeriodLater';

interface DueDateTerms {
  readonly periodicity: Periodicity;
  readonly installmentDay: number;
  readonly installmentMethod: InstallmentMethod;
  /** Where a recalculation starts, regardless of other fields (D2). */
  readonly lastDueDate: CalendarDate | undefined;
  readonly activationDate: CalendarDate | undefined;
  readonly firstDueDate: CalendarDate | undefined;
  /** All dates of the contract, the first of which is `firstDueDate`; undefined if they are generated (D9). */
  readonly dueDates: readonly CalendarDate[] | undefined;
  readonly requestDay: CalendarDate;
}

/** The due dates of the contract (D9); undefined if the request has none: an empty list is no list. */
export function findListedDates({ DueDates }: RepaymentScheduleRequest): readonly CalendarDate[] | undefined {
  return DueDates?.length === 0 ? undefined : DueDates;
}

/** True if no date of the request determines the start of the schedule; then the day of the request does (D2). */
export function startsOnRequestDay(
  request: RepaymentScheduleRequest,
  periodicities: readonly Periodicity[],
): boolean {
  const { LastDueDate, ActivationDate, FirstDueDate, PeriodicityType } = request;
  if ((LastDueDate ?? ActivationDate) !== undefined) return false;
  return (
    (FirstDueDate ?? findListedDates(request)) === undefined ||
    findPeriodicity(PeriodicityType, periodicities)?.unit === 'Once'
  );
}

function findStartDate(terms: DueDateTerms): CalendarDate {
  const known = terms.lastDueDate ?? terms.activationDate;
  if (known !== undefined) return known;
  const countsBack = terms.firstDueDate !== undefined && terms.periodicity.unit !== 'Once';
  return countsBack ? subtractPeriod(terms, terms.firstDueDate) : terms.requestDay;
}

/** One period earlier, on the instalment day if `firstDueDate` is one: 31 January for 28 February with day 31 (D2). */
function subtractPeriod(terms: DueDateTerms, firstDueDate: CalendarDate): CalendarDate {
  const isOnInstallmentDay = installmentDayAfter(terms, toDateParts(firstDueDate), 0) === firstDueDate;
  const day = isOnInstallmentDay ? terms.installmentDay : undefined;
  return dayAfterPeriods(terms.periodicity, firstDueDate, -1, day);
}

function installmentDayAfter(terms: DueDateTerms, parts: DateParts, steps: number): CalendarDate {
  return dayAfterSteps(terms.periodicity, parts, steps, terms.installmentDay);
}

/** The due date after `start` (the schedule's start or a due date) if the request does not contain it (D3). */
function findNextDueDate(terms: DueDateTerms, start: CalendarDate): CalendarDate {
  const { installmentDay, installmentMethod: method, periodicity } = terms;
  if (method === 'OnePeriodLater' || monthsPerPeriod(periodicity) === 0)
    return dayAfterPeriods(periodicity, start, 1, installmentDay);
  const parts = toDateParts(start);
  const sameMonth = dayInMonthAfter(parts, 0, installmentDay);
  const isInSameMonth = method === 'ActualMonth' && sameMonth > start;
  return isInSameMonth ? sameMonth : dayInMonthAfter(parts, 1, installmentDay);
}

/**
 * Returns a function that gives a row's regular due date; that of row -1 starts a regular first period (C2). Listed dates
 * have none before the first (D9).
 */
function createDueDateGenerator(
  terms: DueDateTerms,
  firstDueDate: CalendarDate,
): (periods: number) => CalendarDate {
  const { dueDates } = terms;
  if (dueDates !== undefined) return (periods) => dueDates[periods] as CalendarDate;
  const steps = stepsPerPeriod(terms.periodicity);
  if (steps === 0) {
    const days = daysPerPeriod(terms.periodicity);
    return (periods) => addDays(firstDueDate, periods * days);
  }
  const first = toDateParts(firstDueDate);
  return (periods) => installmentDayAfter(terms, first, periods * steps);
}
