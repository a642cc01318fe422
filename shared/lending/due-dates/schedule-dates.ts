/** Calculates the dates of a schedule from the date fields of a request, or reports their faults (D2-D7, H1-H3). */

import type { BusinessCalendar } from '../calendars/business-calendar.ts';
import {
  MAX_YEAR,
  addDays,
  formatCalendarDate,
  toCalendarDate,
  type CalendarDate,
} from '../dates/calendar-date.ts';
import type { Periodicity } from '../dates/periodicity.ts';
import { MAX_INSTALLMENTS, checkName, checkWhole } from '../request/field-checks.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import {
  findListedDates,
  planRows,
  planSingleRow,
  type EndDate,
  type PlanTerms,
  type PlannedRows,
} from './planned-due-dates.ts';
import { parseHolidayShift, shiftDueDates, type KnownCalendars } from './shift-due-date.ts';

export const INSTALLMENT_METHODS = ['ActualMonth', 'NextMonth'] as const;
const LAST_DAY_OF_MONTH = 31;
/** The fields that DueDates replaces (D9), and for types with an expiry date that date too. */
const REPLACED_BY_LIST = ['FirstDueDate', 'MaturityDate', 'InstallmentMethod'] as const;

/** The end dates that a schedule type reads: MaturityDate (D5), ExpiryDateForOD (B5). */
export interface EndDateRules {
  readonly useMaturityDate: boolean;
  readonly usesExpiry: boolean;
}

export interface DateContext extends EndDateRules {
  readonly periodicity?: Periodicity | undefined;
  readonly installmentsNo?: number | undefined;
  readonly requestDay: CalendarDate;
  readonly calendars: KnownCalendars;
  /** True: payments are due at the start of their periods (B7). */
  readonly isInAdvance?: boolean;
}

/** All dates of a schedule; the lists have one entry per remaining row of the contract. */
export interface ScheduleDates {
  /** The day on which the schedule starts (D2). Annual rates count from it, unless a prepayment precedes it (A4). */
  readonly startDate: CalendarDate;
  /** The day on which interest begins: `settledDate`, or `startDate` if due dates are deferred (X1, H3). */
  readonly accrualStart: CalendarDate;
  /** Unshifted `startDate`; charges before it are dropped (X1, F3). */
  readonly settledDate: CalendarDate;
  readonly settledRows: number;
  /** Unshifted dates; charges are compared with these (F3). */
  readonly dueDates: readonly CalendarDate[];
  /** Payment dates (H1); the same array as `dueDates` when none is shifted. */
  readonly shownDates: readonly CalendarDate[];
  /** Dates to which interest accrues (H3): `shownDates` if due dates are deferred, else `dueDates`. */
  readonly accrualDates: readonly CalendarDate[];
  /** Months of each regular period (C2), such as 0.5 (D10); 0 for periods that are irregular or counted in days. */
  readonly regularMonths: readonly number[];
  /** Number of rows in the schedule: with RealInstallmentNo it may be less than the number of dates (B6). */
  readonly rowCount: number;
  /** With payments in advance the end of the last period shown, where a residual row is due; else undefined (B7). */
  readonly termEnd:
    | Readonly<{ shownDate: CalendarDate; accrualDate: CalendarDate; regularMonths: number }>
    | undefined;
  readonly calendar: BusinessCalendar | undefined;
}

/** Undefined if a reported fault leaves no dates, or if `context` lacks `periodicity` or `installmentsNo`. */
export function planScheduleDates(
  request: RepaymentScheduleRequest,
  context: DateContext,
  validation: Validation,
): ScheduleDates | undefined {
  const faultsBefore = validation.faults.length;
  const range = readRowRange(request, validation);
  const hasRange = validation.faults.length === faultsBefore;
  const terms = readPlanTerms(request, context, range.settledRows, validation);
  const isListed = checkDueDates(request, context, validation);
  if (terms === undefined || !hasRange) return undefined;
  const planned = terms.periodicity.unit === 'Once' ? planSingleRow(terms) : planRows(terms);
  if (planned === undefined) {
    rejectMissingDueDate(context, validation);
    return undefined;
  }
  // An unknown calendar is refused, but unshifted dates are still calculated to report more faults (E3).
  const faultsOfFields = validation.faults.length;
  checkDateOrder(terms, planned, validation);
  if (!isListed || validation.faults.length > faultsOfFields) return undefined;
  const dates = buildScheduleDates(terms, planned, range);
  return terms.isInAdvance ? payInAdvance(dates, range) : dates;
}

/** The end date of the contract, if it is sent and the schedule type uses it (D5, B5). */
export function findEndDate(request: RepaymentScheduleRequest, rules: EndDateRules): EndDate | undefined {
  const { ExpiryDateForOD, MaturityDate } = request;
  if (rules.usesExpiry && ExpiryDateForOD !== undefined) {
    return { path: 'ExpiryDateForOD', date: ExpiryDateForOD };
  }
  if (!rules.useMaturityDate || MaturityDate === undefined) return undefined;
  return { path: 'MaturityDate', date: MaturityDate };
}

function readPlanTerms(
  request: RepaymentScheduleRequest,
  context: DateContext,
  settledRows: number,
  validation: Validation,
): PlanTerms | undefined {
  const days = { min: 1, max: LAST_DAY_OF_MONTH };
  const installmentDay = checkWhole(validation, 'InstallmentDay', request.InstallmentDay, days);
  const method = checkName(validation, 'InstallmentMethod', request.InstallmentMethod, INSTALLMENT_METHODS);
  const shift = parseHolidayShift(request, context.calendars, validation);
  const { periodicity, installmentsNo, requestDay, isInAdvance = false } = context;
  const settledPeriods = isInAdvance ? Math.max(0, settledRows - 1) : settledRows;
  if (periodicity === undefined || installmentsNo === undefined || installmentDay === undefined) {
    return undefined;
  }
  const dueDates = findListedDates(request);
  if (dueDates !== undefined && dueDates.length <= settledPeriods) return undefined;
  return {
    periodicity,
    // A list of another length is refused, but its first date is still compared with the start (E3).
    installmentsNo: dueDates?.length ?? installmentsNo,
    settledRows: settledPeriods,
    isInAdvance,
    requestDay,
    installmentDay,
    // The method determines the month of a contract's first due date; others follow by one period (D3, D10, X1).
    installmentMethod:
      settledPeriods > 0 || periodicity.unit === 'HalfMonths'
        ? 'OnePeriodLater'
        : (method ?? 'OnePeriodLater'),
    lastDueDate: request.LastDueDate,
    activationDate: request.ActivationDate,
    firstDueDate: dueDates?.[0] ?? request.FirstDueDate,
    dueDates,
    endDate: dueDates === undefined ? findEndDate(request, context) : undefined,
    shift,
  };
}

/** False if the list of due dates has a fault, or a field that it replaces is sent too (D9). */
function checkDueDates(
  request: RepaymentScheduleRequest,
  { installmentsNo, usesExpiry }: DateContext,
  validation: Validation,
): boolean {
  const dueDates = findListedDates(request);
  if (dueDates === undefined) return true;
  const faultsBefore = validation.faults.length;
  for (const path of usesExpiry ? ([...REPLACED_BY_LIST, 'ExpiryDateForOD'] as const) : REPLACED_BY_LIST) {
    if (request[path] === undefined) continue;
    const message = 'must be left out: DueDates has the dates of all installments';
    validation.reportConflict(path, message, 'mutually-exclusive');
  }
  if (installmentsNo !== undefined && dueDates.length !== installmentsNo) {
    const message = `must have ${installmentsNo} dates, one for each of InstallmentsNo`;
    validation.reject('DueDates', 'out-of-range', message);
  }
  for (const [row, date] of dueDates.entries()) {
    const before = dueDates[row - 1];
    if (before === undefined || date > before) continue;
    const message = `must be after the date before it, ${formatCalendarDate(before)}`;
    validation.reject(`DueDates[${row}]`, 'date-order', message);
  }
  return validation.faults.length === faultsBefore;
}

function rejectMissingDueDate(rules: EndDateRules, validation: Validation): void {
  const path = rules.useMaturityDate ? 'MaturityDate' : 'FirstDueDate';
  const fields = rules.useMaturityDate ? 'MaturityDate or FirstDueDate' : 'FirstDueDate';
  validation.reject(path, 'missing', `is missing; ${fields} is needed with the periodicity Once`);
}

function buildScheduleDates(terms: PlanTerms, planned: PlannedRows, range: RowRange): ScheduleDates {
  const { startDate, settledDate, dueDates, regularMonths } = planned;
  const { shift } = terms;
  const isDeferred = shift?.defersAccrual === true;
  const shownDates = shift === undefined ? dueDates : shiftDueDates(dueDates, shift, startDate);
  return {
    startDate,
    accrualStart: isDeferred ? startDate : settledDate,
    settledDate,
    settledRows: range.settledRows,
    dueDates,
    shownDates,
    accrualDates: isDeferred ? shownDates : dueDates,
    regularMonths: isDeferred ? clearMovedPeriods(regularMonths, dueDates, shownDates) : regularMonths,
    rowCount: Math.min(range.lastRow - range.settledRows, dueDates.length),
    termEnd: undefined,
    calendar: shift?.calendar,
  };
}

/**
 * Each row is due where its period starts: row 1 on the start of the schedule, every other on the date of the row before
 * it in arrears, and none at the end (B7). `dates` are those in arrears, from the last settled period on.
 */
function payInAdvance(dates: ScheduleDates, { settledRows, lastRow }: RowRange): ScheduleDates {
  const first = settledRows === 0 ? 1 : 0;
  const startEach = <Value>(start: Value, ends: readonly Value[]): readonly Value[] =>
    [start, ...ends].slice(1 - first, -1);
  const rowCount = Math.min(lastRow - settledRows, dates.dueDates.length - 1 + first);
  const end = rowCount - first;
  return {
    ...dates,
    dueDates: startEach(dates.settledDate, dates.dueDates),
    shownDates: startEach(dates.startDate, dates.shownDates),
    accrualDates: startEach(dates.accrualStart, dates.accrualDates),
    regularMonths: startEach(0, dates.regularMonths),
    rowCount,
    termEnd: {
      shownDate: dates.shownDates[end] ?? dates.startDate,
      accrualDate: dates.accrualDates[end] ?? dates.accrualStart,
      regularMonths: dates.regularMonths[end] ?? 0,
    },
  };
}

/** A period that starts or ends on a shifted date is irregular (C2). */
function clearMovedPeriods(
  regularMonths: readonly number[],
  dueDates: readonly CalendarDate[],
  shownDates: readonly CalendarDate[],
): readonly number[] {
  if (shownDates === dueDates) return regularMonths;
  const isMoved = (row: number) => shownDates[row] !== dueDates[row];
  return regularMonths.map((months, row) => (isMoved(row) || (row > 0 && isMoved(row - 1)) ? 0 : months));
}

interface RowRange {
  readonly settledRows: number;
  /** Number of the last row of the schedule (B6); Infinity if it shows all remaining rows. */
  readonly lastRow: number;
}

function readRowRange(request: RepaymentScheduleRequest, validation: Validation): RowRange {
  const { InstallmentsNo, BlockInstallmentNo, RealInstallmentNo } = request;
  const isCount = Number.isInteger(InstallmentsNo) && InstallmentsNo >= 1;
  const rows = isCount ? Math.min(InstallmentsNo, MAX_INSTALLMENTS) : MAX_INSTALLMENTS;
  const settleable = { min: 0, max: rows - 1 };
  const settledRows = checkWhole(validation, 'BlockInstallmentNo', BlockInstallmentNo, settleable) ?? 0;
  if (settledRows > 0 && request.LastDueDate === undefined) {
    const message =
      'must be sent with LastDueDate, the due date of the last settled installment, or left out';
    validation.reject('BlockInstallmentNo', 'not-allowed', message);
  }
  const payable = { min: settledRows + 1, max: rows };
  const lastRow = checkWhole(validation, 'RealInstallmentNo', RealInstallmentNo, payable);
  return { settledRows, lastRow: lastRow ?? Infinity };
}

const MAX_DUE_DATE = toCalendarDate(MAX_YEAR, 12, 31);

/** Reports dates that are out of order, each on the field that can correct it. */
function checkDateOrder(terms: PlanTerms, planned: PlannedRows, validation: Validation): void {
  const { settledDate, beforeLast, dueDates } = planned;
  const last = dueDates.at(-1) ?? settledDate;
  if (Math.max(last, beforeLast) > MAX_DUE_DATE) {
    const message = `must be smaller: the last due date would be after the year ${MAX_YEAR}`;
    validation.reject('InstallmentsNo', 'out-of-range', message);
  } else if (terms.endDate !== undefined) {
    checkEndDate(terms.endDate.path, last, planned, validation);
  }
  const isEndDate = terms.endDate !== undefined && dueDates.length === 1;
  if (!isEndDate) checkFirstDate(terms, planned, validation);
}

function checkEndDate(path: string, last: number, planned: PlannedRows, validation: Validation): void {
  const { settledDate, beforeLast } = planned;
  const latestBefore = beforeLast > settledDate ? beforeLast : settledDate;
  if (last > latestBefore) return;
  const earliest = formatCalendarDate(addDays(latestBefore, 1));
  const reason =
    latestBefore === settledDate ? 'after the start of the schedule' : 'after the previous installment';
  validation.reject(path, 'date-order', `must be ${earliest} or later, ${reason}`);
}

function checkFirstDate(terms: PlanTerms, planned: PlannedRows, validation: Validation): void {
  const { settledDate, startDate } = planned;
  const first = planned.dueDates[0] ?? settledDate;
  if (first > settledDate) return;
  if (terms.lastDueDate === undefined || terms.periodicity.unit === 'Once') {
    const start = formatCalendarDate(startDate);
    const path = terms.dueDates === undefined ? 'FirstDueDate' : 'DueDates[0]';
    validation.reject(path, 'date-order', `must be after the start of the schedule, ${start}`);
    return;
  }
  const row = terms.settledRows + (terms.isInAdvance ? 2 : 1);
  const due = formatCalendarDate(first);
  const place = `installment ${row}, the first one after the settled ones (BlockInstallmentNo)`;
  const message = `must be before ${due}, the due date of ${place}`;
  validation.reject('LastDueDate', 'date-order', message);
}
