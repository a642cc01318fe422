import { REQUEST_MEMBER } from '../../shared/contract/faults-beside-shape.ts';
import { checkRepaymentScheduleRequest } from '../../shared/contract/read-repayment-schedule-request.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../shared/lending/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/repayment-schedule-request.ts';
import type { Handler } from '../../shared/messaging/handle-by-type.ts';
import { done, refused } from '../../shared/messaging/outcome.ts';
import { createProblem } from '../../shared/platform/create-problem.ts';

const REPLY_TYPE = 'CalculateRepaymentScheduleReply';
const DAY_MS = 86_400_000;

/**
 * Answers a CalculateRepaymentScheduleRequest. Pure: the day that a schedule without dates starts from is the UTC day
 * of the message's own timestamp, so that a replay gives the same answer (D2). A refusal carries every fault at once
 * (E1, E3). Avro says nothing of the length of texts and lists or the years of dates, so those are
 * checked here; a request in JSON has been held against them when it was read.
 */
export const handleCalculateRepaymentSchedule: Handler = (payload, context) => {
  const requestDay = Math.floor(context.originTimestampMs / DAY_MS) as CalendarDate;
  const request = payload as RepaymentScheduleRequest;
  const wrong = checkRepaymentScheduleRequest(request);
  if (wrong !== undefined) return refused(createProblem(wrong.problem, { errors: wrong.faults }));
  const outcome = calculateRepaymentSchedule(request, { requestDay });
  if (outcome.kind === 'refused') {
    const isIncomplete = outcome.faults.some((fault) => fault.status === 400);
    const errors = outcome.faults.map(({ path, code, message }) => ({
      path: `${REQUEST_MEMBER}.${path}`,
      code,
      message,
    }));
    return refused(createProblem(isIncomplete ? 'invalid-request' : 'not-computable', { errors }));
  }
  if (outcome.warnings.length === 0) return done({ type: REPLY_TYPE, payload: outcome });
  const warnings = outcome.warnings.map(({ code, path }) => ({ code, path: `${REQUEST_MEMBER}.${path}` }));
  const header = warnings.map(({ code, path }) => `${code};${path}`).join(', ');
  return done({ type: REPLY_TYPE, payload: { ...outcome, warnings }, warnings: header });
};
