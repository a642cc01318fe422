import type { RepaymentScheduleRequest } from '../lending/repayment-schedule-request.ts';
import { requestRenderer } from './render-request.ts';
import { repaymentScheduleMembers } from './repayment-schedule-request-shape.ts';

/** `{"jsonParam":{...}}` as text: the inverse of reading a repayment schedule request. */
export const renderRepaymentScheduleRequest: (request: RepaymentScheduleRequest) => string =
  requestRenderer(repaymentScheduleMembers);
