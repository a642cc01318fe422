/** Due dates of the reference implementation (D2-D7, H1-H3, B5, X1). */

import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import {
  clampedDay,
  halvesLater,
  monthsLater,
  partsOf,
  periodsLater,
  shifted,
  type IsWorkingDay,
  type Period,
} from './dates.ts';
import { Refused, refuseIf } from './decimal.ts';

export type ReferenceDates = ReturnType<typeof referenceDates>;

export interface DateSettings {
  readonly period: Period;
  readonly rows: number;
  readonly settled: number;
  readonly isInAdvance: boolean;
  readonly requestDay: number;
  readonly isOverdraft: boolean;
  readonly isWorkingDay: IsWorkingDay | undefined;
}

function startOf(request: RepaymentScheduleRequest, period: Period, requestDay: number): number {
  const known = request.LastDueDate ?? request.ActivationDate;
  if (known !== undefined) return known;
  const first = request.FirstDueDate ?? request.DueDates?.[0];
  if (first === undefined || (period.months === 0 && period.days === 0)) return requestDay;
  if (period.months === 0) return first - period.days;
  const [year, month, day] = partsOf(first);
  if (period.months === 0.5) {
    const isOnDay = halvesLater(first, 0, request.InstallmentDay) === first;
    return halvesLater(first, -1, isOnDay ? request.InstallmentDay : day);
  }
  const isCut = clampedDay(year, month, request.InstallmentDay) === first;
  return isCut
    ? clampedDay(year, month - period.months, request.InstallmentDay)
    : monthsLater(first, -period.months);
}

function firstOf(request: RepaymentScheduleRequest, period: Period, start: number): number {
  const sent = request.FirstDueDate ?? request.DueDates?.[0];
  if (period.months === 0 && period.days === 0) {
    const only = request.MaturityDate ?? sent ?? request.ExpiryDateForOD;
    if (only === undefined) throw new Refused('Once needs a date');
    return only;
  }
  if (sent !== undefined) return sent;
  if (period.months === 0) return start + period.days;
  if (period.months === 0.5) return halvesLater(start, 1, request.InstallmentDay);
  const [year, month] = partsOf(start);
  const inMonth = (months: number) => clampedDay(year, month + months, request.InstallmentDay);
  const knowsFirst = (request.BlockInstallmentNo ?? 0) > (request.InterestType === 1 ? 1 : 0);
  const method = !knowsFirst ? request.InstallmentMethod?.trim().toLowerCase() : undefined;
  if (method === 'actualmonth') return inMonth(0) > start ? inMonth(0) : inMonth(1);
  return inMonth(method === 'nextmonth' ? 1 : period.months);
}

/** True if a date may have been shifted, forward or backward, to the shown day; the start is unknown. */
type IsShownAs = (shown: number, date: number) => boolean;

/** The installment day of the unshifted LastDueDate, from which D3 counts. */
function settledDay(
  request: RepaymentScheduleRequest,
  months: number,
  start: number,
  isShownAs: IsShownAs,
): number {
  if (request.LastDueDate === undefined || months === 0) return start;
  const [year, month] = partsOf(start);
  const days = [0, -1, 1].map((step) =>
    months === 0.5
      ? halvesLater(start, step, request.InstallmentDay)
      : clampedDay(year, month + step, request.InstallmentDay),
  );
  return days.find((date) => isShownAs(start, date)) ?? start;
}

function plannedDates(
  request: RepaymentScheduleRequest,
  { period, settled }: DateSettings,
  start: number,
  isShownAs: IsShownAs,
) {
  const { LastDueDate: last, DueDates: listed } = request;
  if (listed !== undefined) {
    const dateOfRow = (row: number) => listed[row - 1] ?? Number.NaN;
    const isSettled = last !== undefined && settled > 0 && isShownAs(last, dateOfRow(settled));
    const settledDate = isSettled ? dateOfRow(settled) : start;
    return { generated: () => Number.NaN, dateOfRow, settledDate };
  }
  const sent = request.FirstDueDate;
  const settledBefore = sent === undefined ? settledDay(request, period.months, start, isShownAs) : start;
  const first = firstOf(request, period, settledBefore);
  const isSettledItself = settled > 0 && last !== undefined && isShownAs(last, first);
  const isAnchor = last !== undefined && sent !== undefined && (sent <= last || isSettledItself);
  const firstNo = isAnchor ? 1 : settled + 1;
  const [year, month] = partsOf(first);
  const generated = (row: number) =>
    period.months === 0.5
      ? halvesLater(first, row - firstNo, request.InstallmentDay)
      : period.months > 0
        ? clampedDay(year, month + (row - firstNo) * period.months, request.InstallmentDay)
        : periodsLater(first, period, row - firstNo);
  const dateOfRow = (row: number) => (row === firstNo ? first : generated(row));
  if (last === undefined || sent === undefined) return { generated, dateOfRow, settledDate: settledBefore };
  const settledDate = isShownAs(last, dateOfRow(settled)) ? dateOfRow(settled) : start;
  return { generated, dateOfRow, settledDate };
}

/** Unshifted due dates from row `settled` + 1 on; an overdraft ends on its expiry date (B5). */
function plainDates(
  request: RepaymentScheduleRequest,
  settings: DateSettings,
  dateOfRow: (row: number) => number,
  settledDate: number,
): number[] {
  const expiry = settings.isOverdraft ? request.ExpiryDateForOD : undefined;
  const maturity = expiry === undefined ? request.MaturityDate : undefined;
  refuseIf(expiry !== undefined && expiry <= settledDate, 'expiry before the start');
  const plain: number[] = [];
  plain[settings.settled] = settledDate;
  for (let row = settings.settled + 1; row <= settings.rows; row += 1) {
    const isLast = row === settings.rows;
    const planned = dateOfRow(row);
    if (expiry !== undefined && (isLast || planned >= expiry)) {
      plain[row] = expiry;
      break;
    }
    plain[row] = isLast ? (maturity ?? planned) : planned;
    refuseIf(plain[row]! <= plain[row - 1]!, 'dates out of order');
  }
  return plain;
}

/**
 * Dates by original row number; rows `settled` + 1 to `rows` are calculated. `rows` is less than
 * InstallmentsNo if an overdraft expires earlier (B5). `plain` are unshifted, and interest accrues up to those
 * of `accrual` (H3), from `accrualStart` on (X1); both hold their start at `settled`. Charges before
 * `chargeStart`, the unshifted start, do not belong to this schedule (F3). `isRegular` is that of a row (C2).
 */
export function referenceDates(request: RepaymentScheduleRequest, settings: DateSettings) {
  if (!settings.isInAdvance) return datesInArrears(request, settings);
  // Row k is due where period k begins, and that is where period k - 1 ends (B7).
  const ends = datesInArrears(request, { ...settings, settled: Math.max(settings.settled - 1, 0) });
  return {
    ...ends,
    plain: oneRowLater(ends.plain),
    accrual: oneRowLater(ends.accrual),
    shown: oneRowLater(ends.shown),
    isRegular: (row: number) => row > 1 && ends.isRegular(row - 1),
  };
}

function oneRowLater(dates: readonly number[]): number[] {
  return Array.from({ length: dates.length + 1 }, (_, row) => dates[Math.max(row - 1, 0)]!);
}

function datesInArrears(request: RepaymentScheduleRequest, settings: DateSettings) {
  const { isWorkingDay, settled, period } = settings;
  const start = startOf(request, period, settings.requestDay);
  const method = request.HolidayMethod ?? 'Forward';
  const shift = (date: number, from: number) =>
    isWorkingDay === undefined ? date : shifted(date, method, isWorkingDay, from);
  const isShownAs: IsShownAs = (shown, date) =>
    isWorkingDay !== undefined &&
    !(settings.isInAdvance && settled === 0) &&
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY].some((bound) => shift(date, bound) === shown);
  const { generated, dateOfRow, settledDate } = plannedDates(request, settings, start, isShownAs);
  const defers = request.DeferDueDate === true;
  const isRepeated = period.months + period.days > 0;
  const chargeStart = isRepeated ? settledDate : start;
  const accrualStart = defers ? start : chargeStart;
  const plain = plainDates(request, settings, dateOfRow, chargeStart);
  const shown = plain.map((date, row) => (row === settled ? start : shift(date, start)));
  const accrual = defers ? shown : plain;
  const isRegular = (row: number) =>
    period.months > 0 && accrual[row - 1] === generated(row - 1) && accrual[row] === generated(row);
  return { start, accrualStart, chargeStart, rows: plain.length - 1, plain, accrual, shown, isRegular };
}
