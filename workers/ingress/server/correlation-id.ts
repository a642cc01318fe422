import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HTTP_LIMITS } from './http-limits.ts';

/** Visible ASCII without blanks: it is written to a header, to logs and to problem documents as it came. */
const SANE = new RegExp(`^[\\x21-\\x7e]{1,${HTTP_LIMITS.correlationIdLength}}$`);

/**
 * The id that a request is traced by: the caller's own `X-Correlation-Id`, else `X-Request-Id`, else a new UUID. An
 * id that is not 1 to 128 visible ASCII characters (or was sent twice) is replaced.
 */
export function correlationIdOf(headers: IncomingHttpHeaders): string {
  return givenId(headers) ?? randomUUID();
}

/**
 * The id that the same request has on the log. Two callers may choose the same id and each has to get its own reply,
 * so a chosen one is followed by a UUID; a new one is unique as it is.
 */
export function logCorrelationId(headers: IncomingHttpHeaders, correlationId: string): string {
  return givenId(headers) === undefined ? correlationId : `${correlationId}.${randomUUID()}`;
}

function givenId(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['x-correlation-id'] ?? headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : undefined;
}
