/** The prepayments of principal in a request (X3). */

import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import { checkAmount } from '../request/field-checks.ts';
import type { Validation } from '../request/validation.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

/** A prepayment of principal in minor units. */
export interface Prepayment {
  readonly date: CalendarDate;
  readonly amount: number;
  /** True: the term stays and the payment falls; false: the payment stays and the term shortens. */
  readonly decreasesPayment: boolean;
  /** The path of the prepayment in the request, for faults. */
  readonly path: string;
}

/** The prepayments in order of date; those of the same day stay in the order of the request. */
export function parsePrepayments(
  request: RepaymentScheduleRequest,
  digits: number,
  validation: Validation,
): readonly Prepayment[] {
  const prepayments: Prepayment[] = [];
  for (const [index, item] of (request.EarlyRepayments ?? []).entries()) {
    const path = `EarlyRepayments[${index}]`;
    const amount = checkAmount(validation, `${path}.Amount`, item.Amount, digits);
    if (amount === 0) validation.reject(`${path}.Amount`, 'out-of-range', 'must be more than zero');
    const decreasesPayment = item.DecreaseInstallment ?? true;
    if (amount !== undefined) prepayments.push({ date: item.Date, amount, decreasesPayment, path });
  }
  return prepayments.toSorted((a, b) => a.date - b.date);
}

/** Prepayments must be after the day on which interest begins and not after the last due date (X3). */
export function checkPrepaymentDates(
  prepayments: readonly Prepayment[],
  dates: ScheduleDates,
  validation: Validation,
): void {
  const { accrualStart: start } = dates;
  const end = dates.accrualDates[dates.rowCount - 1] ?? start;
  for (const { date, path } of prepayments) {
    if (date > start && date <= end) continue;
    const allowed = `after ${formatCalendarDate(start)} and not after ${formatCalendarDate(end)}`;
    validation.reject(`${path}.Date`, 'date-order', `must be ${allowed}`);
  }
}
