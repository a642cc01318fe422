import type { LendingEnvironment } from '../../shared/catalogue/lending-environment.ts';
import { MAX_REPLY_BYTES } from '../../shared/contract/actions/request-limits.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import { scheduleEffort } from '../../shared/lending/request-effort.ts';
import { answerCalculation, type AnsweredCalculation } from './calculations.ts';

/**
 * Answers a CalculateRepaymentScheduleRequest with the schedule types, periodicities, calendars, commissions and
 * insurances of the environment.
 * Pure: a schedule without dates starts on the day of the message's own timestamp (D2).
 */
export function createCalculateRepaymentSchedule(environment: LendingEnvironment): AnsweredCalculation {
  return answerCalculation<RepaymentScheduleRequest>({
    replyType: 'CalculateRepaymentScheduleReply',
    effort: (request, requestDay) => scheduleEffort(request, requestDay, environment.catalogue),
    calculate: (request, requestDay) => {
      const { catalogue, calendars } = environment;
      return calculateRepaymentSchedule(request, {
        requestDay,
        catalogue,
        calendars,
        maxReplyBytes: MAX_REPLY_BYTES,
      });
    },
  });
}
