import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../shared/lending/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/repayment-schedule-request.ts';
import type { Handler } from '../../shared/messaging/handle-by-type.ts';
import { done, refused } from '../../shared/messaging/outcome.ts';
import { createProblem } from '../../shared/platform/create-problem.ts';

const REPLY_TYPE = 'CalculateRepaymentScheduleReply';
/** Where the members stand in the interface's request; paths of faults and warnings start with it. */
const REQUEST_MEMBER = 'jsonParam.';
const DAY_MS = 86_400_000;

/**
 * Answers a CalculateRepaymentScheduleRequest. Pure: the day that a schedule without dates starts from is the UTC day
 * of the message's own timestamp, so that a replay gives the same answer (D2). A refusal carries every fault at once
 * (E1, E3).
 */
export const handleCalculateRepaymentSchedule: Handler = (payload, context) => {
  const requestDay = Math.floor(context.originTimestampMs / DAY_MS) as CalendarDate;
  const outcome = calculateRepaymentSchedule(payload as RepaymentScheduleRequest, { requestDay });
  if (outcome.kind === 'refused') {
    const isIncomplete = outcome.faults.some((fault) => fault.status === 400);
    const errors = outcome.faults.map(({ path, code, message }) => ({
      path: REQUEST_MEMBER + path,
      code,
      message,
    }));
    return refused(createProblem(isIncomplete ? 'invalid-request' : 'not-computable', { errors }));
  }
  if (outcome.warnings.length === 0) return done({ type: REPLY_TYPE, payload: outcome });
  const warnings = outcome.warnings.map(({ code, path }) => `${code};${REQUEST_MEMBER}${path}`).join(', ');
  return done({ type: REPLY_TYPE, payload: outcome, warnings });
};
