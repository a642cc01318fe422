/** Calculates a contract in this process, to compare it with the reply received over Kafka. */

import { repaymentScheduleRequest } from '../../shared/api/actions/schedule-action.ts';
import { renderRepaymentSchedule } from '../../shared/api/actions/render-schedule.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { BUILT_IN_ENVIRONMENT } from '../support/builders/lending-environment.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the response body as text. Throws if the request is refused, because the test portfolio has only valid
 * contracts.
 */
export function expectedSchedule(
  jsonParam: Readonly<Record<string, unknown>>,
  originTimestampMs: number,
): string {
  const { catalogue, calendars } = BUILT_IN_ENVIRONMENT;
  const read = repaymentScheduleRequest.read({ jsonParam }, catalogue);
  if (read.kind === 'invalid') throw new Error(`the contract cannot be read: ${JSON.stringify(read)}`);
  const requestDay = Math.floor(originTimestampMs / DAY_MS) as CalendarDate;
  const outcome = calculateRepaymentSchedule(read.payload, { requestDay, catalogue, calendars });
  if (outcome.kind === 'refused')
    throw new Error(`the contract is refused: ${JSON.stringify(outcome.faults)}`);
  return renderRepaymentSchedule(outcome);
}
