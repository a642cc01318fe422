import type { Clock } from '../../platform/clock.ts';
import { createProblem, type Fault, type Warning } from '../../platform/problem.ts';
import type { Decoded, MessageFormat } from '../codec.ts';
import { HEADER } from '../header-names.ts';
import { headerNumber, headerText, headerValue } from '../headers.ts';
import type { HeaderValue, LogMessage } from '../message.ts';
import { refused, type Outcome } from '../outcome.ts';
import type { WorkProgress } from '../processing-result.ts';

/** The message of a request and its headers, passed to the handler with the payload. */
export interface Request {
  readonly message: LogMessage;
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborted when the stopping process no longer waits for handlers. */
  readonly signal: AbortSignal;
  /** As sent, any bytes; echoed in the reply. */
  readonly correlationId: HeaderValue | undefined;
  /** When the request was first published, in epoch milliseconds; the same at every redelivery (D2). */
  readonly originTimestampMs: number;
  /** Why `originTimestampMs` does not tell the day of the request (D2); undefined if it does. */
  timeFault?: Fault | undefined;
  /** Epoch milliseconds after which the requester no longer waits for the reply. */
  readonly deadlineMs: number | undefined;
  /** Whether the request is an item of a batch, whose message is `message`. */
  readonly isBatchItem: boolean;
  /** Counted by a handler that takes long. */
  readonly progress?: WorkProgress | undefined;
  /** Format of the request and its reply, determined by the decoder. */
  format: MessageFormat;
  /** Type of the decoded message. */
  type?: string | undefined;
  /** Fields that the decoder ignored (E3). */
  warnings?: readonly Warning[] | undefined;
}

/** Handles one message type, synchronously where possible so that calculations do not need a promise. */
export type Handler = (payload: unknown, request: Request) => Outcome | Promise<Outcome>;

/** Handlers by message type (record name in the list of messages). */
export type Handlers = Readonly<Record<string, Handler>>;

/** Tolerance for the clocks of requester and worker: a request is refused this long after its deadline. */
export const DEADLINE_SKEW_MS = 2_000;
/** First byte of a message in the Confluent wire format. */
const AVRO_MAGIC = 0;

/** Reads the headers of a request. Never throws: an invalid header counts as absent. */
export function readRequest(
  message: LogMessage,
  attempt: number,
  signal: AbortSignal,
  progress?: WorkProgress,
): Request {
  const { headers } = message;
  return {
    message,
    attempt,
    signal,
    correlationId: headerValue(headers, HEADER.correlationId),
    originTimestampMs: headerNumber(headers, HEADER.originTimestamp) ?? message.timestampMs,
    deadlineMs: headerNumber(headers, HEADER.deadline),
    isBatchItem: false,
    progress,
    format: message.value?.[0] === AVRO_MAGIC ? 'avro' : 'json',
    type: undefined,
    warnings: undefined,
  };
}

/** Who sent a request: the topic of its reply, which the callers of an ingress share. */
export function requesterOf({ message }: Request): string {
  return headerText(message.headers, HEADER.replyTopic) ?? '';
}

/** Passes a decoded message to the handler of its type. Refuses undecodable messages and types without a handler. */
export function callHandler(
  handlers: Handlers,
  decoded: Decoded,
  request: Request,
): Outcome | Promise<Outcome> {
  if (decoded.kind === 'undecodable') return refused(decoded.problem);
  const { type, payload } = decoded;
  const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
  if (handler !== undefined) return handler(payload, request);
  const detail = `There is no handler for messages of type ${type} on this topic.`;
  return refused(createProblem('undecodable-message', { detail }));
}

/** Whether the requester no longer waits for a reply that was due at `deadlineMs` (epoch milliseconds). */
export function isExpired(deadlineMs: number | undefined, clock: Clock): boolean {
  return deadlineMs !== undefined && clock.now() > deadlineMs + DEADLINE_SKEW_MS;
}
