import { Decimal } from 'decimal.js';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import {
  formatCalendarDate,
  parseCalendarDate,
  type CalendarDate,
} from '../../../shared/lending/dates/calendar-date.ts';
import type { RequestFault } from '../../../shared/lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type {
  RepaymentSchedule,
  ScheduleOutcome,
  ScheduleRow,
} from '../../../shared/lending/request/repayment-schedule.ts';

/** The date of a valid `yyyy-mm-dd` string. */
export function date(text: string): CalendarDate {
  const parsed = parseCalendarDate(text);
  if (parsed === undefined) throw new Error(`not a date: ${text}`);
  return parsed;
}

export function decimal(value: string | number): Decimal {
  return new Decimal(value);
}

/** The day on which the requests are made. */
export const REQUEST_DAY = date('2024-05-17');

/** A loan of 1000 at 12 % over four months from 1 January 2025, with changes. */
export function loan(changes: Partial<RepaymentScheduleRequest> = {}): RepaymentScheduleRequest {
  return {
    ScheduleType: 'EqualInstallments',
    Amount: decimal(1000),
    InterestPercent: decimal(12),
    InstallmentsNo: 4,
    PeriodicityType: 'Monthly',
    InstallmentDay: 1,
    ActivationDate: date('2025-01-01'),
    ...changes,
  };
}

/** The schedule of an outcome that must not be a refusal. */
export function calculated(outcome: ScheduleOutcome): RepaymentSchedule {
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome;
}

export function scheduleOf(
  changes: Partial<RepaymentScheduleRequest> = {},
  context: Omit<Parameters<typeof calculateRepaymentSchedule>[1], 'requestDay'> = {},
): RepaymentSchedule {
  return calculated(calculateRepaymentSchedule(loan(changes), { ...context, requestDay: REQUEST_DAY }));
}

export function faultsOf(
  changes: Partial<RepaymentScheduleRequest>,
  maxRows?: number,
): readonly RequestFault[] {
  const context = maxRows === undefined ? { requestDay: REQUEST_DAY } : { requestDay: REQUEST_DAY, maxRows };
  const outcome = calculateRepaymentSchedule(loan(changes), context);
  if (outcome.kind === 'schedule') throw new Error('the loan was calculated');
  return outcome.faults;
}

export function faultCodes(changes: Partial<RepaymentScheduleRequest>): readonly string[] {
  return faultsOf(changes).map((fault) => `${fault.path} ${fault.code}`);
}

/** One figure of every row in major units with two decimals. */
export function column(schedule: RepaymentSchedule, name: keyof ScheduleRow): readonly string[] {
  return schedule.rows.map((row) => (Number(row[name]) / 100).toFixed(2));
}

export function dueDates(schedule: RepaymentSchedule): readonly string[] {
  return schedule.rows.map((row) => formatCalendarDate(row.dueDate));
}
