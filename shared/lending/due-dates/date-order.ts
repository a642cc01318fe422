/** Every due date lies after the one before, the first after the start, none after the last year (D5, B5, X1). */

import { addDays, calendarDateOf, formatCalendarDate, LATEST_YEAR } from '../dates/calendar-date.ts';
import type { PlannedRows, PlanTerms } from './planned-rows.ts';
import type { Findings } from '../request/refusal.ts';

const LATEST_DUE_DATE = calendarDateOf(LATEST_YEAR, 12, 31);

/** Notes every date of the request that is out of order, by the member that can put it right. */
export function checkDateOrder(terms: PlanTerms, planned: PlannedRows, findings: Findings): void {
  const { settledDate, beforeLast, dueDates } = planned;
  const last = dueDates.at(-1) ?? settledDate;
  if (Math.max(last, beforeLast) > LATEST_DUE_DATE) {
    findings.refuse(
      'InstallmentsNo',
      'out-of-range',
      `must be smaller: the last due date would be after the year ${LATEST_YEAR}`,
    );
  } else if (terms.endDate !== undefined) {
    checkEndDate(terms.endDate.path, last, planned, findings);
  }
  const isEndDate = terms.endDate !== undefined && dueDates.length === 1;
  if (!isEndDate) checkFirstDate(terms, planned, findings);
}

function checkEndDate(path: string, last: number, planned: PlannedRows, findings: Findings): void {
  const { settledDate, beforeLast } = planned;
  const latestBefore = beforeLast > settledDate ? beforeLast : settledDate;
  if (last > latestBefore) return;
  const earliest = formatCalendarDate(addDays(latestBefore, 1));
  const reason =
    latestBefore === settledDate ? 'after the start of the schedule' : 'after the installment before it';
  findings.refuse(path, 'date-order', `must be ${earliest} or later, ${reason}`);
}

/** The first row is due after the start; the contract's own FirstDueDate cannot be wrong, LastDueDate can (X1). */
function checkFirstDate(terms: PlanTerms, planned: PlannedRows, findings: Findings): void {
  const { settledDate, startDate } = planned;
  const first = planned.dueDates[0] ?? settledDate;
  if (first > settledDate) return;
  if (terms.lastDueDate === undefined || terms.periodicity.unit === 'Once') {
    const start = formatCalendarDate(startDate);
    findings.refuse('FirstDueDate', 'date-order', `must be after the start of the schedule, ${start}`);
    return;
  }
  const row = terms.settledRows + 1;
  const due = formatCalendarDate(first);
  findings.refuse(
    'LastDueDate',
    'date-order',
    `must be before ${due}, when installment ${row}, the first that BlockInstallmentNo leaves, is due`,
  );
}
