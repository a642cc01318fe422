/** The cost of an offer as the reference calculates it (Q8): a schedule of those charges alone that count in the APRC. */

import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { referenceDae, referenceSchedule } from './schedule.ts';
import type { ReferenceContext } from './terms.ts';

export interface ReferenceOffer {
  readonly totalCostOfCredit: number;
  readonly totalAmountPayable: number;
  readonly aprc: string | null | undefined;
}

/**
 * Takes the charges of `counted` for all that counts: repeated ones, and `UpFrontValue` for those paid once at the
 * start. Undefined if the reference refuses the schedule.
 */
export function referenceOffer(
  counted: RepaymentScheduleRequest,
  context: ReferenceContext,
): ReferenceOffer | undefined {
  const schedule = referenceSchedule(counted, context);
  if (schedule.kind === 'refused') return undefined;
  const { amount, upFront } = schedule.terms;
  const paid = schedule.rows.reduce((sum, row) => sum.plus(row.totalInstallment), upFront);
  return {
    totalCostOfCredit: paid.minus(amount).toNumber(),
    totalAmountPayable: paid.toNumber(),
    aprc: referenceDae(schedule),
  };
}
