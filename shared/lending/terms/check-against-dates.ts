/** What can be told wrong of a request once its dates are known, even while other members are wrong (E3). */

import { checkEarlyDates } from './prepayments.ts';
import type { DraftTerms } from './loan-terms.ts';
import { refuseLateCharges } from '../charges/schedule-charges.ts';
import type { Findings } from '../request/refusal.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import type { ScheduleDates } from '../due-dates/schedule-dates.ts';

/** Notes charges that begin after the last due date, early repayments outside the schedule, and grace without end. */
export function checkAgainstDates(
  request: RepaymentScheduleRequest,
  { repayment }: DraftTerms,
  dates: ScheduleDates,
  findings: Findings,
): void {
  const lastDueDate = dates.dueDates[dates.rowCount - 1];
  if (lastDueDate !== undefined) refuseLateCharges(request, lastDueDate, findings);
  if (repayment === undefined) return;
  checkEarlyDates(repayment.earlyRepayments, dates, findings);
  // An expiry may leave fewer rows than the contract had: at least one of them must pay (G2, B5).
  const most = dates.settledRows + dates.rowCount - 1;
  const graces = [
    ['GracePeriodPrincipal', repayment.gracePrincipal],
    ['GracePeriodInterest', repayment.graceInterest],
  ] as const;
  for (const [path, rows] of graces) {
    if (rows > most) findings.refuse(path, 'out-of-range', `must be at most ${most}: one row must pay`);
  }
}
