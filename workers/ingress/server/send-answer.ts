import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { createProblem, type ErrorCode, type Problem, type ProblemExtras } from '../../../shared/platform/problem.ts';
import { RETRY_AFTER_SECONDS } from './http-limits.ts';
import { endAfterBody, hasLongRest } from './linger.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';
const LOWEST_ERROR = 400;
const HIGHEST_ERROR = 599;
const TOO_MANY = 429;
const UNAVAILABLE = 503;

/** Answers with JSON text, or its bytes, that is ready to be sent. */
export function sendJson(reply: FastifyReply, status: number, body: string | Uint8Array): void {
  reply.code(status).header('content-type', JSON_TYPE).header('cache-control', 'no-store').send(body);
}

/** Answers with the problem of a code (E1). */
export function refuse(reply: FastifyReply, code: ErrorCode, extras: ProblemExtras = {}): void {
  sendProblem(reply, createProblem(code, extras));
}

/**
 * Answers with a problem document (E1), under this request's correlation id. What a worker sent is taken as it is but
 * for a status that is none of an error. Works while a body is
 * still under way.
 */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  const status = isErrorStatus(problem.status) ? problem.status : 500;
  if ((status === TOO_MANY || status === UNAVAILABLE) && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', RETRY_AFTER_SECONDS);
  }
  const body = JSON.stringify({ ...problem, status, correlationId: reply.request.id });
  reply.code(status).header('content-type', PROBLEM_TYPE).header('cache-control', 'no-store');
  if (hasLongRest(reply.request.raw)) sendAndLinger(reply, body);
  else reply.send(body);
}

/** Sends the whole answer at once, and ends it when the rest of the request's body has gone by. */
function sendAndLinger(reply: FastifyReply, body: string): void {
  reply.header('connection', 'close').header('content-length', Buffer.byteLength(body)).hijack();
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  reply.raw.writeHead(reply.statusCode, headers).write(body);
  endAfterBody(reply.request.raw, reply.raw);
}

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= LOWEST_ERROR && status <= HIGHEST_ERROR;
}
