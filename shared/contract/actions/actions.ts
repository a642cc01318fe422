/**
 * The actions of the interface: one entry each says all that ingress, workers and documents have to know, so that a
 * further action is a further entry.
 */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { PaymentValue } from '../../lending/request/payment-value-request.ts';
import type { ProvenRate, RateRequest } from '../../lending/request/rate-request.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import { rateEffort, scheduleEffort, type RequestEffort } from '../../lending/request-effort.ts';
import type { RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import type { TopicKey } from '../../messaging/topics/topics.ts';
import type { z } from 'zod';
import type { ResponseHeader } from '../documents/http-headers.ts';
import { readEitherForm } from '../json/read-either-form.ts';
import { PAYMENT_VALUE_EXAMPLES } from '../payment-value/payment-value-examples.ts';
import { paymentValueReply, renderPaymentValue } from '../payment-value/payment-value-reply.ts';
import { paymentValueBody } from '../payment-value/calculate-pmt.ts';
import { paymentValueInput } from '../payment-value/read-payment-value-request.ts';
import { PRODUCT_ACTIONS } from '../product/look-ups.ts';
import { RATE_EXAMPLES } from '../rate/rate-examples.ts';
import { rateReply, renderRate } from '../rate/rate-reply.ts';
import { rateBody } from '../rate/calculate-rate.ts';
import { rateInput } from '../rate/read-rate-request.ts';
import { readRepaymentScheduleRequest } from '../schedule/calculate-repayment-schedule.ts';
import { renderRepaymentSchedule } from '../schedule/render-schedule.ts';
import { REPAYMENT_SCHEDULE_EXAMPLES, type Example } from '../schedule/examples.ts';
import { repaymentScheduleReply } from '../schedule/reply-fields.ts';
import { repaymentScheduleBody } from '../schedule/request-fields.ts';
import type { ReadRequest } from '../json/request-contract.ts';
import { SIMULATE_ACTION } from '../simulate/simulate.ts';

/** One action of the interface. */
export interface Action {
  /** The name in the interface's own spelling; it is matched in any case (E4). */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Topic of its requests. */
  readonly topic: TopicKey;
  /** Topic of requests that come by the thousand and nobody waits for; absent: there is none. */
  readonly bulkTopic?: TopicKey;
  /** Record names of request and reply in the catalogue of messages. */
  readonly requestType: string;
  readonly replyType: string;
  /** Definitions of the direct body and of the reply's body. */
  readonly requestShape: z.ZodObject;
  readonly replyShape: z.ZodType;
  readonly examples: readonly [Example, ...Example[]];
  /** What an answer may tell in headers of its own. */
  readonly answerHeaders?: readonly ResponseHeader[];
  /**
   * Reads a parsed body in the direct or the generic form (E2) into the payload of the request message. Never throws;
   * the access parameters of the generic form are `actionInput`'s business.
   */
  read(body: unknown): ReadRequest<unknown>;
  /** What a read payload will cost (E6); absent: next to nothing. */
  readonly effort?: (payload: unknown, requestDay: CalendarDate) => RequestEffort;
  /** The payload of the reply message as the JSON text of the answer. */
  render(payload: unknown): string;
}

const calculateRepaymentSchedule: Action = {
  name: 'PLAT_BP_CalculateRepaymentSchedule',
  summary: 'Calculates the installments of a repayment schedule',
  description:
    'Answers one record for each installment. CalculateDAE decides the spelling of the members and which effective ' +
    'rate is shown. Nothing is stored: the same request always gets the same answer.',
  topic: 'scheduleRequests',
  bulkTopic: 'scheduleBulkRequests',
  requestType: 'CalculateRepaymentScheduleRequest',
  replyType: 'CalculateRepaymentScheduleReply',
  requestShape: repaymentScheduleBody,
  replyShape: repaymentScheduleReply,
  examples: REPAYMENT_SCHEDULE_EXAMPLES,
  answerHeaders: ['Holiday-Calendar'],
  read: readEitherForm(repaymentScheduleBody, readRepaymentScheduleRequest),
  effort: (payload, requestDay) => scheduleEffort(payload as RepaymentScheduleRequest, requestDay),
  render: (payload) => renderRepaymentSchedule(payload as RepaymentSchedule),
};

const calculatePMT: Action = {
  name: 'PLAT_BP_CalculatePMT',
  summary: 'Calculates the equal payment of a loan or of a savings plan',
  description:
    'Answers one object with the payment and the equal part of the principal, from the terms alone: no dates, no ' +
    'schedule. Without FinancedAmount it is what has to be paid in to reach FutureValue.',
  topic: 'scheduleRequests',
  bulkTopic: 'scheduleBulkRequests',
  requestType: 'CalculatePMTRequest',
  replyType: 'CalculatePMTReply',
  requestShape: paymentValueBody,
  replyShape: paymentValueReply,
  examples: PAYMENT_VALUE_EXAMPLES,
  read: readEitherForm(paymentValueBody, paymentValueInput.read),
  render: (payload) => renderPaymentValue(payload as PaymentValue),
};

const calculateRate: Action = {
  name: 'PLAT_BP_CalculateRate',
  summary: 'Calculates the rate of cash flows, with its proof',
  description:
    'An extension, which lets anyone check a rate that is disclosed to a consumer: the effective annual rate (DAE), ' +
    'XIRR or IRR of flows that are sent, and each flow discounted with it. Of several rates the one nearest zero counts.',
  topic: 'scheduleRequests',
  bulkTopic: 'scheduleBulkRequests',
  requestType: 'CalculateRateRequest',
  replyType: 'CalculateRateReply',
  requestShape: rateBody,
  replyShape: rateReply,
  examples: RATE_EXAMPLES,
  read: readEitherForm(rateBody, rateInput.read),
  effort: (payload) => rateEffort(payload as RateRequest),
  render: (payload) => renderRate(payload as ProvenRate),
};

/** All actions, in the order in which documents list them. */
export const ACTIONS: readonly Action[] = [
  calculateRepaymentSchedule,
  calculatePMT,
  calculateRate,
  ...PRODUCT_ACTIONS,
  SIMULATE_ACTION,
];

/** All actions by their name in lower case. */
export const ACTIONS_BY_NAME: ReadonlyMap<string, Action> = new Map(
  ACTIONS.map((action) => [action.name.toLowerCase(), action]),
);

/** The action of that name in any case (E4), or undefined. */
export function findAction(name: string): Action | undefined {
  return ACTIONS_BY_NAME.get(name.toLowerCase());
}
