/** Helpers to calculate a schedule with the reference implementation. */

import { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { dayOf, dayText, type IsWorkingDay } from './dates.ts';
import { referenceSchedule, type ReferenceOutcome, type ReferenceRow } from './schedule.ts';

export const REFERENCE_DAY = dayOf('2024-05-17');

const DAYS_PER_WEEK = 7;
/** 1970-01-01 was a Thursday: the first Saturday is day 2. */
const FIRST_SATURDAY = 2;

export const weekdays: IsWorkingDay = (date) =>
  (((date - FIRST_SATURDAY) % DAYS_PER_WEEK) + DAYS_PER_WEEK) % DAYS_PER_WEEK > 1;

export function on(text: string): CalendarDate {
  return dayOf(text) as CalendarDate;
}

export function of(value: string | number): Decimal {
  return new Decimal(value);
}

export type Changes = Partial<RepaymentScheduleRequest>;

/** 1000 at 12 %, four months from 1 January 2025, 30/360, with changes. */
export function loanWith(changes: Changes): RepaymentScheduleRequest {
  return {
    ScheduleType: 'EqualInstallments',
    Amount: of(1000),
    InterestPercent: of(12),
    InstallmentsNo: 4,
    PeriodicityType: 'Monthly',
    InstallmentDay: 1,
    ActivationDate: on('2025-01-01'),
    InterestCalculationMethod: '30/360',
    ...changes,
  };
}

export function referenceOf(changes: Changes): ReferenceOutcome {
  return referenceSchedule(loanWith(changes), { requestDay: REFERENCE_DAY, calendar: calendarNamed });
}

function calendarNamed(name: string | undefined): IsWorkingDay | undefined {
  return name === 'Weekdays' ? weekdays : undefined;
}

export function referenceRowsOf(changes: Changes): readonly ReferenceRow[] {
  const outcome = referenceOf(changes);
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
  return outcome.rows;
}

/** A figure of every row with two decimals, separated by blanks. */
export function figures(changes: Changes, name: Exclude<keyof ReferenceRow, 'kind'>): string {
  return referenceRowsOf(changes)
    .map((row) => (row[name] / 100).toFixed(2))
    .join(' ');
}

export function dates(changes: Changes): string {
  return referenceRowsOf(changes)
    .map((row) => dayText(row.dueDate))
    .join(' ');
}

/** The reason why the rules refuse a loan; undefined if they calculate it. */
export function refusal(changes: Changes): string | undefined {
  const outcome = referenceOf(changes);
  return outcome.kind === 'refused' ? outcome.reason : undefined;
}
