/** The contracts of the bulk figures: consumer loans of sixty months with the effective rate, no two alike. */

import { repaymentScheduleRequest } from '../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';

/** Rows of each contract. */
export const CONTRACT_ROWS = 60;
/** Contracts differ in these, so that nothing is repeated for long: amount, rate, month and day. */
const AMOUNTS = 9_973;
const RATES = 997;
const MONTHS = 12;
const DAYS = 28;

/** The request of the contract with this number, as it stands on a line of a portfolio: `{jsonParam: ...}`. */
export function contractBody(index: number): { readonly jsonParam: Readonly<Record<string, unknown>> } {
  const day = (index % DAYS) + 1;
  const month = (index % MONTHS) + 1;
  return {
    jsonParam: {
      ScheduleType: 'EqualInstallments',
      ProductType: 'TL',
      InterestPercent: (300 + (index % RATES)) / 100,
      Amount: 5_000 + (index % AMOUNTS),
      InstallmentsNo: CONTRACT_ROWS,
      PeriodicityType: 'Monthly',
      InstallmentDay: day,
      ActivationDate: `2024-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
      CalculateDAE: 2,
    },
  };
}

/** The same as the ingress reads it. */
export function contractRequest(index: number): RepaymentScheduleRequest {
  const read = repaymentScheduleRequest.read(contractBody(index));
  if (read.kind !== 'valid') throw new Error(`the contract is not valid: ${JSON.stringify(read.faults)}`);
  return read.payload;
}
