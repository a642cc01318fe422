import { createProblem, isRetryable, type Problem } from '../../platform/problem.ts';
import { warningsList } from '../../platform/header-text.ts';
import { writeAnswerHeaders } from '../answer-headers.ts';
import type { Codec } from '../codec.ts';
import { HEADER } from '../header-names.ts';
import type { HeaderValue, MessageHeaders, OutgoingMessage } from '../message.ts';
import type { ReplyBody } from '../outcome.ts';
import { REPLY_BATCH } from '../codec/request-batch.ts';
import type { ReplyRoute } from './reply-router.ts';
import type { Request } from './request.ts';

/** Record name of error replies in the catalogue of messages: the problem document (E1). */
export const PROBLEM_TYPE = 'ProblemReply';

/** NestJS takes the presence of the header as the end of an answer, and writes one zero byte itself. */
const DISPOSED = Buffer.alloc(1);
/**
 * NestJS gives its callers nothing but this header of an error, and reads it as JSON where it is JSON: the whole problem
 * as long as it fits, else one line of it.
 */
const MAX_ERROR_CHARACTERS = 4_096;
const MAX_ERROR_LINE_CHARACTERS = 500;
/** A correlation id that can stand in a document as text; others are only echoed as bytes. */
const VISIBLE_ID = /^[\x21-\x7e]{1,128}$/;

type Route = Extract<ReplyRoute, { kind: 'route' }>;

/**
 * Builds the reply of a body, in the request's format; what decoding found without effect is told before what the
 * handler did (E3). Rejects with a bug when the payload does not fit its schema.
 */
export async function createReply(
  codec: Codec,
  request: Request,
  route: Route,
  body: ReplyBody,
): Promise<OutgoingMessage> {
  const encoded = body.encoded ?? (await codec.encode(body.type, body.payload, request.format));
  const warnings = warningsList(request.decoded?.warnings ?? [], body.warnings);
  return address(request, route, encoded.value, {
    ...encoded.headers,
    ...(warnings === undefined ? {} : { [HEADER.warnings]: warnings }),
    ...writeAnswerHeaders(body.headers),
  });
}

/** Builds an error reply: the problem as its body, typed headers for callers that read no body, and warnings (E3). */
export async function createErrorReply(
  codec: Codec,
  request: Request,
  route: Route,
  problem: Problem,
): Promise<OutgoingMessage> {
  const named = withCorrelationId(problem, request.correlationId);
  const encoded = await codec.encode(PROBLEM_TYPE, named, request.format);
  const warnings = warningsList(request.decoded?.warnings ?? [], undefined);
  return address(request, route, encoded.value, {
    ...encoded.headers,
    ...(warnings === undefined ? {} : { [HEADER.warnings]: warnings }),
    [HEADER.errorCode]: problem.code,
    [HEADER.errorRetryable]: String(isRetryable(problem)),
    [HEADER.nestError]: nestErrorText(named),
  });
}

/** The problem of a reply of this type that is larger than its topic takes. */
export function replyTooLarge(type: string): Problem {
  if (type !== REPLY_BATCH) return createProblem('reply-too-large');
  const detail =
    'The answers to the requests of this message are larger than a message may be: send fewer in one.';
  return createProblem('reply-too-large', { detail });
}

/** The problem with the id of the request's message, where it can stand in a document (E1). */
export function withCorrelationId(problem: Problem, correlationId: HeaderValue | undefined): Problem {
  const id = correlationId?.toString('latin1') ?? '';
  return problem.correlationId === undefined && VISIBLE_ID.test(id)
    ? { ...problem, correlationId: id }
    : problem;
}

function nestErrorText(problem: Problem): string {
  const whole = JSON.stringify(problem);
  if (whole.length <= MAX_ERROR_CHARACTERS) return whole;
  return `${problem.code}: ${problem.detail ?? problem.title}`.slice(0, MAX_ERROR_LINE_CHARACTERS);
}

/** The request's key and correlation id come back unchanged, whatever bytes they are. */
function address(request: Request, route: Route, value: Buffer, headers: MessageHeaders): OutgoingMessage {
  const correlation: Record<string, HeaderValue> = {};
  if (request.correlationId !== undefined) correlation[HEADER.correlationId] = request.correlationId;
  return {
    topic: route.topic,
    partition: route.partition,
    key: request.message.key,
    value,
    headers: { ...headers, ...correlation, [HEADER.nestIsDisposed]: DISPOSED },
  };
}
