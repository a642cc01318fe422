/** What an action of the interface consists of. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { RequestEffort } from '../../lending/request-effort.ts';
import type { AnswerHeader } from '../../messaging/reply.ts';
import type { TopicKey } from '../../messaging/topics/topics.ts';
import type { z } from 'zod';
import { readEitherForm } from './generic-form.ts';
import type { ReadRequest, RequestContract } from './request-contract.ts';

/** A call and its answer, as documents show them. */
export interface Example {
  /** Key of the example in documents. */
  readonly key: string;
  readonly summary: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly reply: unknown;
}

/** All that ingress, workers and documents need to know of an action. */
export interface Action extends ActionDefinition<unknown, unknown> {
  /** Definition of the direct body. */
  readonly requestShape: z.ZodObject;
  /** Reads a parsed body in the direct or the generic form (E2) into the payload of the request message. Never throws. */
  read(body: unknown): ReadRequest<unknown>;
}

/** What one action has of its own; `Reply` is the payload of its reply message. */
export interface ActionDefinition<Request, Reply> {
  /** The name in the interface's own spelling; it is matched in any case (E4). */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Topic of its requests. */
  readonly topic: TopicKey;
  /** Topic of requests that come by the thousand and have no waiting caller; absent: there is none. */
  readonly bulkTopic?: TopicKey;
  /** Record names of request and reply in the list of messages. */
  readonly requestType: string;
  readonly replyType: string;
  readonly request: RequestContract<Request>;
  readonly replyShape: z.ZodType;
  readonly examples: readonly [Example, ...Example[]];
  /** What an answer may report in headers of its own. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** What a valid request will cost (E6); absent: next to nothing. */
  effort?(request: Request, requestDay: CalendarDate): RequestEffort;
  /** The payload of the reply message as the JSON text of the answer. */
  render(reply: Reply): string;
}

/** Makes an action from its definition. */
export function defineAction<Request, Reply>(definition: ActionDefinition<Request, Reply>): Action {
  const { request } = definition;
  return { ...definition, requestShape: request.body, read: readEitherForm(request) };
}
