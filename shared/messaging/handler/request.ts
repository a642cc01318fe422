import { createProblem, type Fault, type Warning } from '../../platform/problem.ts';
import type { Decoded, MessageFormat } from '../codec.ts';
import { HEADER, headerNumber, headerText, headerValue } from '../headers.ts';
import type { HeaderValue, LogMessage } from '../message.ts';
import { refused, type Outcome, type WorkProgress } from '../outcome.ts';

export interface Request {
  readonly message: LogMessage;
  readonly attempt: number;
  /** Aborted when the stopping process no longer waits for handlers. */
  readonly signal: AbortSignal;
  /** Any bytes, which the reply echoes. */
  readonly correlationId: HeaderValue | undefined;
  /** When the request was first published, in epoch milliseconds; the same at every redelivery (D2). */
  readonly originTimestampMs: number;
  /** Why `originTimestampMs` does not tell the day of the request (D2); undefined if it does. */
  timeFault?: Fault | undefined;
  /** Epoch milliseconds: after this time the requester no longer waits for the reply. */
  readonly deadlineMs: number | undefined;
  readonly isBatchItem: boolean;
  readonly progress?: WorkProgress | undefined;
  format: MessageFormat;
  type?: string | undefined;
  warnings?: readonly Warning[] | undefined;
}

/** Handles one message type. Calculations return synchronously, which saves a promise. */
export type Handler = (payload: unknown, request: Request) => Outcome | Promise<Outcome>;

export type Handlers = Readonly<Record<string, Handler>>;

const AVRO_MAGIC = 0;

/** Guesses `format` from the first byte. RequestHandling corrects it and sets `timeFault`, `type` and `warnings`. */
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
  };
}

/** Names the requester by its reply topic, which all callers of the ingress share; empty if there is none. */
export function requesterOf({ message }: Request): string {
  return headerText(message.headers, HEADER.replyTopic) ?? '';
}

/** Refuses a message that cannot be decoded, and a type without a handler as `undecodable-message`. */
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

/** Earlier times are in another unit, such as seconds, or stand for a record without a time. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
/** Tolerates a clock in another time zone. Later times are in another unit, such as microseconds. */
const MAX_AHEAD_MS = 86_400_000;
const ALLOWED =
  'must be epoch milliseconds from 2000-01-01 to one day ahead of now, because the answer depends on the day of the request';

/** Whether a time is from the year 2000 up to one day ahead (D2). */
export function isPlausibleTime(timeMs: number, nowMs: number): boolean {
  return timeMs >= EARLIEST_MS && timeMs <= nowMs + MAX_AHEAD_MS;
}

/** Why the time of a request, in its header or else its record, is implausible (D2); undefined if it is not. */
export function findTimeFault({ headers, timestampMs }: LogMessage, nowMs: number): Fault | undefined {
  if (headerValue(headers, HEADER.originTimestamp) === undefined) {
    if (isPlausibleTime(timestampMs, nowMs)) return undefined;
    const message = `of the record ${ALLOWED}; or send the header ${HEADER.originTimestamp}`;
    return { path: 'timestamp', code: 'out-of-range', message };
  }
  const sentMs = headerNumber(headers, HEADER.originTimestamp) ?? Number.NaN;
  if (isPlausibleTime(sentMs, nowMs)) return undefined;
  return { path: HEADER.originTimestamp, code: 'out-of-range', message: ALLOWED };
}
