import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HTTP_LIMITS } from './http-limits.ts';

/** Visible ASCII without blanks: it is written to a header, to logs and to problem documents as it came. */
const VALID_ID = new RegExp(`^[\\x21-\\x7e]{1,${HTTP_LIMITS.correlationIdLength}}$`);
const TRACE_PARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/**
 * The id that a request is traced by: the caller's own `X-Correlation-Id`, else `X-Request-Id`, else a new UUID. An
 * id that is not 1 to 128 visible ASCII characters (or was sent twice) is replaced.
 */
export function chooseCorrelationId(headers: IncomingHttpHeaders): string {
  return sentId(headers) ?? randomUUID();
}

/**
 * The id that the same request has on the log. Two callers may choose the same id and each has to get its own reply,
 * so a chosen one is followed by a UUID; a new one is unique as it is.
 */
export function createLogCorrelationId(headers: IncomingHttpHeaders, correlationId: string): string {
  return sentId(headers) === undefined ? correlationId : `${correlationId}.${randomUUID()}`;
}

/** The W3C trace context to propagate: `{ traceParent }` if the caller sent a valid one, else `{}`. */
export function readTraceContext({ traceparent }: IncomingHttpHeaders): { readonly traceParent?: string } {
  const isValid = typeof traceparent === 'string' && TRACE_PARENT.test(traceparent);
  return isValid ? { traceParent: traceparent } : {};
}

function sentId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-correlation-id'] ?? headers['x-request-id'];
  return typeof id === 'string' && VALID_ID.test(id) ? id : undefined;
}
