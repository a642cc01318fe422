/** The loans that are measured, and their calculation as the ingress and the worker do it. */

import { Decimal } from 'decimal.js';
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
const START = 19_737 as CalendarDate;

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

/** 250,000 at 7.25 % with both rates, a monthly fee, a yearly percentage charged monthly, and a premium each year. */
export function loanWithEverything(installments: number): RepaymentScheduleRequest {
  return {
    ScheduleType: 'EqualInstallments',
    Amount: new Decimal(250_000),
    UpFrontValue: new Decimal(500),
    InterestPercent: new Decimal('7.25'),
    InstallmentsNo: installments,
    PeriodicityType: 'Monthly',
    InstallmentDay: 15,
    ActivationDate: START,
    CalculateDAE: 2,
    Commission: [
      {
        FeeName: 'Account',
        SourceValue: new Decimal(5),
        FeePeriodicityType: 'Monthly',
        FeeDate: START,
      },
      {
        FeeName: 'Administration',
        SourcePercent: new Decimal('0.5'),
        PercentAppliedTo: 'RemainingValue',
        PerAnnum: true,
        FeePeriodicityType: 'Monthly',
        FeeDate: START,
      },
    ],
    Insurance: [
      {
        InsuranceName: 'Life',
        SourcePercent: new Decimal('0.2'),
        InsurancePeriodicityType: 'Annual',
        InsuranceDate: START,
        IsUpfront: true,
      },
    ],
  };
}

export function benchCodec(): Codec {
  return createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
}

export function readBody(body: string): RepaymentScheduleRequest {
  const read = repaymentScheduleRequest.read(JSON.parse(body));
  if (read.kind !== 'valid') throw new Error(`the sample is not valid: ${JSON.stringify(read.faults)}`);
  return read.payload;
}

export function calculate(request: RepaymentScheduleRequest): RepaymentSchedule {
  const outcome = calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY });
  if (outcome.kind !== 'schedule')
    throw new Error(`the sample is refused: ${JSON.stringify(outcome.faults)}`);
  return outcome;
}
