import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  createProblem,
  isRetryable,
  type ErrorCode,
  type Problem,
  type ProblemExtras,
} from '../../../shared/platform/problem.ts';
import { MessagingError, SystemError } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { HTTP_LIMITS, RETRY_AFTER_SECONDS } from './http-limits.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Sends JSON that is already rendered, as text or bytes. */
export function sendJson(
  reply: FastifyReply,
  status: number,
  body: string | Uint8Array,
  cacheControl = 'no-store',
): void {
  reply.code(status).header('content-type', JSON_TYPE).header('cache-control', cacheControl).send(body);
}

/** Responds with the problem of a code (E1). */
export function refuse(reply: FastifyReply, code: ErrorCode, extras: ProblemExtras = {}): void {
  sendProblem(reply, createProblem(code, extras));
}

/** Logs a failure of the broker and responds with 503. Throws other errors (bugs). `detail`: what cannot be done. */
export function refuseFailed(
  reply: FastifyReply,
  { log, error, event, detail }: { log: Log; error: unknown; event: string; detail: string },
): void {
  if (!(error instanceof SystemError)) throw error;
  log.error({ code: error.code, reason: error.message }, event);
  if (error.canRetry) return refuse(reply, 'broker-unavailable');
  refuse(reply, 'not-ready', { detail: error instanceof MessagingError ? error.message : detail });
}

/** Sets the `Retry-After` of the coming response to a time in milliseconds, rounded up to seconds, at least one. */
export function setRetryAfter(reply: FastifyReply, ms: number): void {
  reply.header('retry-after', Math.max(1, Math.ceil(ms / 1_000)));
}

/** Responds with a problem document (E1); with 500 if its status is not an error. The request may still be arriving. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const isError = Number.isInteger(problem.status) && problem.status >= 400 && problem.status <= 599;
  const status = isError ? problem.status : 500;
  if ((status === 429 || status === 503) && isRetryable(problem) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', RETRY_AFTER_SECONDS);
  const body = JSON.stringify({ ...problem, status, correlationId: reply.request.id });
  reply.code(status).header('content-type', PROBLEM_TYPE).header('cache-control', 'no-store');
  if (hasLongRest(reply)) sendAndDrain(reply, body);
  else reply.send(body);
}

/** The Content-Length; undefined for chunked bodies. Node has already rejected values that are not numbers. */
export function announcedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Discards the rest of the body before it ends the connection: a reset could hide the response (RFC 9112, 9.6). */
function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  let discarded = 0;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.drainBodyMs);
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > HTTP_LIMITS.discardedBodyBytes) socket.destroy();
  });
  request.once('close', () => {
    clearTimeout(timer);
    response.end();
  });
}

/** Matches gzip unless its weight is zero. Names are case-insensitive. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Sends a body compressed if the caller accepts that (RFC 9110 section 12.5.3). */
export function sendCoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, gzip }: { readonly body: Buffer; readonly gzip: Buffer },
): void {
  const accepts = GZIP.test(request.headers['accept-encoding'] ?? '');
  if (accepts) reply.header('content-encoding', 'gzip');
  reply.header('vary', 'accept-encoding').send(accepts ? gzip : body);
}

/** A weak entity tag, because all codings of the content share it. */
export function weakTag(content: string | Buffer): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** Whether If-None-Match (`*` or a list of tags) has the tag, compared weakly (RFC 9110 section 13.1.2). */
export function matchesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = new Set(ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, '')));
  return tags.has('*') || tags.has(etag.replace(/^W\//, ''));
}

/** Whether much of the body may still arrive. Before a close any rest is too much, because it would cause a reset. */
function hasLongRest({ request: { raw: request }, raw: { shouldKeepAlive } }: FastifyReply): boolean {
  if (request.complete || request.destroyed) return false;
  const length = announcedLength(request);
  if (length === undefined) return request.headers['transfer-encoding'] !== undefined;
  return length > (shouldKeepAlive ? HTTP_LIMITS.keptConnectionBodyBytes : 0);
}

function sendAndDrain(reply: FastifyReply, body: string): void {
  reply.header('connection', 'close').header('content-length', Buffer.byteLength(body)).hijack();
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  reply.raw.writeHead(reply.statusCode, headers).write(body);
  endAfterBody(reply.request.raw, reply.raw);
}
