import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import { requestRenderer } from '../json/render-request.ts';
import { repaymentScheduleMembers } from './request-fields.ts';

/** `{"jsonParam":{...}}` as text: the inverse of reading a repayment schedule request. */
export const renderRepaymentScheduleRequest: (request: RepaymentScheduleRequest) => string =
  requestRenderer(repaymentScheduleMembers);
