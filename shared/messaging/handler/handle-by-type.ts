import { createProblem } from '../../platform/problem.ts';
import type { MessageFormat } from '../codec.ts';
import type { HeaderValue, LogMessage } from '../message.ts';
import { refused, type Outcome } from '../outcome.ts';
import type { Policy } from './policy.ts';
import type { Request } from './request.ts';

/** What a handler is told beside the payload. */
export interface RequestContext {
  /** As text, for logs; the reply echoes the bytes. */
  readonly correlationId: string | undefined;
  /** When the request entered the log, in epoch milliseconds: the same at every redelivery (D2). */
  readonly originTimestampMs: number;
  /** Epoch milliseconds after which nobody waits for the reply. */
  readonly deadlineMs: number | undefined;
  readonly traceParent: string | undefined;
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborted when the process stops waiting for what is still running. */
  readonly signal: AbortSignal;
  readonly message: LogMessage;
  /** Format of the reply: that of the request. */
  readonly format: MessageFormat;
  /** The request is one of many in its message. */
  readonly isBatchItem: boolean;
}

/** Serves one message type. Synchronous where it can be: pure work then costs no promise. */
export type Handler = (payload: unknown, context: RequestContext) => Outcome | Promise<Outcome>;

/** Handlers by message type (record name in the catalogue of messages). */
export type Handlers = Readonly<Record<string, Handler>>;

/** Visible ASCII and blanks, of a length that a log line bears. */
const PRINTABLE = /^[\x20-\x7e]{1,128}$/;
/** Bytes of an unprintable correlation id that logs show. */
const SHOWN_BYTES = 32;

/** Calls the handler of the message's type; a type that nobody serves here is refused. */
export function handleByType(handlers: Handlers): Policy {
  return (request) => {
    const { decoded } = request;
    if (decoded === undefined) return undefined;
    const handler = Object.hasOwn(handlers, decoded.type) ? handlers[decoded.type] : undefined;
    if (handler === undefined) return refuseType(decoded.type);
    return handler(decoded.payload, contextOf(request));
  };
}

/** The refusal of a type that nobody serves here. */
export function refuseType(type: string): Outcome {
  const detail = `messages of type ${type} are not served here`;
  return refused(createProblem('undecodable-message', { detail }));
}

function contextOf(request: Request): RequestContext {
  const { message, attempt, signal, originTimestampMs, deadlineMs, traceParent, format } = request;
  const correlationId = shownId(request.correlationId);
  const told = { correlationId, originTimestampMs, deadlineMs, traceParent, attempt, signal, message };
  return { ...told, format, isBatchItem: false };
}

function shownId(id: HeaderValue | undefined): string | undefined {
  if (id === undefined) return undefined;
  const text = id.toString();
  return PRINTABLE.test(text) ? text : Buffer.from(id).subarray(0, SHOWN_BYTES).toString('hex');
}
