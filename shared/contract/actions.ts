/**
 * The actions of the interface: one entry each says all that ingress, workers and documents have to know, so that a
 * further action is a further entry.
 */

import type { RepaymentSchedule } from '../lending/repayment-schedule.ts';
import type { TopicKey } from '../messaging/topic-names.ts';
import type { z } from 'zod';
import { actionInput } from './action-input.ts';
import { readRepaymentScheduleRequest } from './read-repayment-schedule-request.ts';
import { renderRepaymentSchedule } from './render-repayment-schedule.ts';
import { REPAYMENT_SCHEDULE_EXAMPLES, type Example } from './repayment-schedule-examples.ts';
import { repaymentScheduleReply } from './repayment-schedule-reply-shape.ts';
import { repaymentScheduleBody } from './repayment-schedule-request-shape.ts';
import type { ReadRequest } from './request-reading.ts';

/** One action of the interface. */
export interface Action {
  /** The name in the interface's own spelling; it is matched in any case (E4). */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Topic of its requests. */
  readonly topic: TopicKey;
  /** Topic of requests that come by the thousand and nobody waits for. */
  readonly bulkTopic: TopicKey;
  /** Record names of request and reply in the catalogue of messages. */
  readonly requestType: string;
  readonly replyType: string;
  /** Definitions of the direct body and of the reply's body. */
  readonly requestShape: z.ZodObject;
  readonly replyShape: z.ZodType;
  readonly examples: readonly [Example, ...Example[]];
  /**
   * Reads a parsed body in the direct or the generic form (E2) into the payload of the request message. Never throws;
   * the access parameters of the generic form are {@link actionInput}'s business.
   */
  read(body: unknown): ReadRequest<unknown>;
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
  read: readEitherForm(repaymentScheduleBody, readRepaymentScheduleRequest),
  render: (payload) => renderRepaymentSchedule(payload as RepaymentSchedule),
};

/** All actions, in the order in which documents list them. */
export const ACTIONS: readonly Action[] = [calculateRepaymentSchedule];

/** All actions by their name in lower case. */
export const ACTIONS_BY_NAME: ReadonlyMap<string, Action> = new Map(
  ACTIONS.map((action) => [action.name.toLowerCase(), action]),
);

/** The action of that name in any case (E4), or undefined. */
export function findAction(name: string): Action | undefined {
  return ACTIONS_BY_NAME.get(name.toLowerCase());
}

/** Accepts the direct and the generic form; warnings about the form come first. */
function readEitherForm<Payload>(
  shape: z.ZodObject,
  readInput: (input: unknown) => ReadRequest<Payload>,
): (body: unknown) => ReadRequest<Payload> {
  const inputMembers: ReadonlySet<string> = new Set(Object.keys(shape.shape));
  return (body) => {
    const form = actionInput(body, inputMembers);
    if (form.kind === 'invalid') return form;
    const read = readInput(form.input);
    if (read.kind === 'invalid' || form.warnings.length === 0) return read;
    return { ...read, warnings: [...form.warnings, ...read.warnings] };
  };
}
