import type { IncomingHttpHeaders } from 'node:http';
import { HTTP_LIMITS } from './http-limits.ts';

/** Visible ASCII without spaces, since the id is copied to a header, to logs and to problem documents. */
const VALID_ID = new RegExp(`^[\\x21-\\x7e]{1,${HTTP_LIMITS.correlationIdLength}}$`);
/** W3C Trace Context, 3.2.2: neither version ff nor ids of zeros only. */
const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

type NewId = () => string;

/**
 * The id for tracing a request: the caller's `X-Correlation-Id`, or `X-Request-Id`, or a new UUID. An id that is not 1
 * to 128 visible ASCII characters, or that was sent twice, is replaced by a new one.
 */
export function chooseCorrelationId(headers: IncomingHttpHeaders, newId: NewId): string {
  return sentId(headers) ?? newId();
}

/**
 * The correlation id of the request message. Two callers may send the same id, and each must get the reply to its own
 * request, so a UUID is appended to a sent id; a generated id is already unique.
 */
export function createLogCorrelationId(
  headers: IncomingHttpHeaders,
  correlationId: string,
  newId: NewId,
): string {
  return sentId(headers) === undefined ? correlationId : `${correlationId}.${newId()}`;
}

/** The W3C trace context to propagate: `{ traceParent }` if the caller sent a valid one, otherwise `{}`. */
export function readTraceContext({ traceparent }: IncomingHttpHeaders): { readonly traceParent?: string } {
  const isValid = typeof traceparent === 'string' && TRACE_PARENT.test(traceparent);
  return isValid ? { traceParent: traceparent } : {};
}

function sentId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-correlation-id'] ?? headers['x-request-id'];
  return typeof id === 'string' && VALID_ID.test(id) ? id : undefined;
}
