/** What ingress, workers and documents need to know about each action of the interface. */

import { messageDefinition } from '../../../schemas/messages.ts';
import type { AnswerHeader } from '../../messaging/outcome.ts';
import type { TopicKey } from '../../messaging/topics/topic-list.ts';
import type { z } from 'zod';
import { readEitherForm } from './generic-form.ts';
import type { ReadRequest, RequestReader } from './request-reader.ts';

export const JSON_TYPE = 'application/json';

export interface Example {
  readonly key: string;
  readonly summary: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly reply: unknown;
}

export interface Action extends ActionDefinition<unknown, unknown> {
  readonly examples: readonly [Example, ...Example[]];
  readonly topic: TopicKey;
  /** Topic of bulk requests, for which no caller waits; undefined if the action has no such topic. */
  readonly bulkTopic: TopicKey | undefined;
  readonly replyType: string;
  /** Reads a parsed body, in the direct or generic form (E2), into the payload of the request message. Never throws. */
  read(body: unknown): ReadRequest<unknown>;
}

/** A media type, beside JSON, that callers may ask for with `Accept` over HTTP (T6). */
export interface AnswerFormat<Request, Reply> {
  /** Undefined if the reply is not in this format, because its request did not ask for it. */
  render(reply: Reply): string | Uint8Array | undefined;
  /** Asks the worker for this format. @default the worker's reply is the same for all formats */
  select?(request: Request): Request;
}

interface ActionDefinition<Request, Reply> {
  /** The name as the interface spells it; callers may use any case (E4). */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly requestType: string;
  readonly request: RequestReader<Request>;
  readonly replyShape: z.ZodType;
  readonly examples: readonly Example[];
  readonly answerHeaders?: readonly AnswerHeader[];
  /** The units of work of a valid request (E6); absent if the work is negligible. */
  units?(request: Request): number;
  /** Writes the answer as JSON text. */
  render(reply: Reply): string;
  /** By media type, such as `text/csv`. */
  readonly formats?: Readonly<Record<string, AnswerFormat<Request, Reply>>>;
}

/** Renders a reply as a media type, or as JSON if it is not in that format. */
export function renderAs(
  { formats, render }: Pick<Action, 'formats' | 'render'>,
  reply: unknown,
  mediaType: string,
): { readonly body: string | Uint8Array; readonly mediaType: string } {
  const body = formats?.[mediaType]?.render(reply);
  return body === undefined ? { body: render(reply), mediaType: JSON_TYPE } : { body, mediaType };
}

/** Throws Error if schemas/messages.ts has no request with this `requestType`, or the definition has no example. */
export function defineAction<Request, Reply>(definition: ActionDefinition<Request, Reply>): Action {
  const { request, requestType, examples } = definition;
  const [main, ...others] = examples;
  const message = messageDefinition(requestType);
  if (message?.kind !== 'request') throw new Error(`the list of messages has no request ${requestType}`);
  if (main === undefined) throw new Error(`${definition.name} has no example`);
  const { requestTopic: topic, bulkRequestTopic: bulkTopic, replyType } = message;
  return {
    ...definition,
    examples: [main, ...others],
    topic,
    bulkTopic,
    replyType,
    read: readEitherForm(request),
  };
}
