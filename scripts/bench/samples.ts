import { MESSAGE_FORMS } from '../../shared/api/actions/message-forms.ts';
import { repaymentScheduleRequest } from '../../shared/api/actions/schedule-action.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../shared/lending/request/repayment-schedule.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import { createMessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import { systemClock } from '../../shared/platform/system-ports.ts';

export const SCHEDULE_PATH = '/platapi/automation-processors/actions/PLAT_BP_CalculateRepaymentSchedule';

const REQUEST_DAY = 20_000 as CalendarDate;

/** The body of a request for a typical consumer loan, with DAE. */
export function scheduleBody(installments: number): string {
  return JSON.stringify({
    jsonParam: {
      ScheduleType: 'EqualInstallments',
      ProductType: 'TL',
      InterestPercent: 7.25,
      Amount: 12_500,
      InstallmentsNo: installments,
      PeriodicityType: 'Monthly',
      InstallmentDay: 15,
      ActivationDate: '2024-01-10',
      CalculateDAE: 2,
    },
  });
}

export function benchCodec(): Codec {
  return createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
}

/** Throws Error if the request is refused. */
export function readBody(body: string): RepaymentScheduleRequest {
  const read = repaymentScheduleRequest.read(JSON.parse(body));
  if (read.kind !== 'valid') throw new Error(`the sample is not valid: ${JSON.stringify(read.faults)}`);
  return read.payload;
}

/** Throws Error if the request is refused. */
export function calculate(request: RepaymentScheduleRequest): RepaymentSchedule {
  const outcome = calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY });
  if (outcome.kind !== 'schedule')
    throw new Error(`the sample is refused: ${JSON.stringify(outcome.faults)}`);
  return outcome;
}
