/** The end of a loan before its last due row, through a prepayment or a payment that repays it sooner (B2, X3). */

import { readChargeInputs } from '../charges/charge-input.ts';
import type { ScheduledCharge } from '../charges/schedule-charges.ts';
import { formatCalendarDate, type CalendarDate } from '../dates/calendar-date.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { Validation } from '../request/validation.ts';
import { createRowFault, type AmortisedRow, type RowFault } from './amortised-row.ts';
import { heldInterest, type LoanState } from './loan-state.ts';
import type { RepaymentPlan } from './repayment-plan.ts';

/** With a fixed or kept payment, or a formula for payment or principal, a zero balance ends the schedule (B2, X3). */
export function endsAtZero({ compiled }: RepaymentPlan, state: LoanState): boolean {
  return (
    state.hold !== 'none' || compiled.payment.kind === 'Formula' || compiled.principal.kind === 'Formula'
  );
}

/** Returns the fault of the next prepayment after `done` of them, if there is one: `rows` have repaid the loan (X3). */
export function refuseLatePrepayment(
  { terms }: RepaymentPlan,
  done: number,
  rows: readonly AmortisedRow[],
): RowFault | undefined {
  const late = terms.prepayments[done];
  const last = rows.findLast(({ remaining }) => remaining > 0);
  if (late === undefined || last === undefined) return undefined;
  const message = `must be before ${formatCalendarDate(last.to)}, when the loan is repaid`;
  return createRowFault(`${late.path}.Date`, 'date-order', message);
}

interface EarlyEnd {
  readonly dueRows: number;
  /** The last due date, or the date of the prepayment after it that ended the loan. */
  readonly date: CalendarDate;
}

/** Undefined if the schedule has all its due rows. */
export function findEarlyEnd(rows: readonly AmortisedRow[], dates: ScheduleDates): EarlyEnd | undefined {
  let dueRows = 0;
  for (const { kind } of rows) if (kind === 'regular' || kind === 'grace') dueRows += 1;
  const last = rows.at(-1);
  if (dueRows === dates.rowCount || last === undefined) return undefined;
  const lastDueDate = dates.dueDates[dueRows - 1] ?? last.to;
  const isPrepaid = last.kind === 'prepayment' && last.to > lastDueDate;
  return { dueRows, date: isPrepaid ? last.to : lastDueDate };
}

/** Refuses charges that begin after an early end (F3), and warns of charges and blocked amounts that are lost (E5). */
export function checkChargesAtEnd(
  request: RepaymentScheduleRequest,
  { charges: { charges }, terms, dates }: RepaymentPlan,
  { dueRows, date }: EarlyEnd,
  validation: Validation,
): void {
  const isInterestBlocked = terms.blockInterest > heldInterest(terms, dates.settledRows);
  if (dueRows === 0 && isInterestBlocked) validation.warn('BlockInterestAmount');
  const byPath = new Map(charges.map((charge) => [charge.item.path, charge]));
  for (const { path, datePath, blockedPath, firstDate } of readChargeInputs(request)) {
    if (firstDate > date) {
      const message = `must be on or before ${formatCalendarDate(date)}, when the loan is repaid`;
      validation.rejectOnce({ path: datePath, code: 'date-order', message });
    }
    const charge = byPath.get(path);
    if (charge === undefined) continue;
    if (dueRows === 0 && charge.item.blocked > 0) validation.warn(blockedPath);
    if (isLost(charge, dueRows)) validation.warn(path);
  }
}

function isLost({ item, counts }: ScheduledCharge, dueRows: number): boolean {
  if (item.blocked > 0 && dueRows > 0) return false;
  const first = counts.findIndex((count) => count !== 0);
  return first >= dueRows;
}
