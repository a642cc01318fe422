import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { createProblem, isRetryable, type Problem } from '../../platform/problem.ts';
import { safeHeaderText, warningsList } from '../../platform/header-text.ts';
import type { Codec, Encoded } from '../codec.ts';
import { REPLY_BATCH } from '../codec/request-batch.ts';
import { HEADER } from '../headers.ts';
import type { HeaderValue, OutgoingMessage, TopicPartition } from '../message.ts';
import type { ReplyBody } from '../outcome.ts';
import { andThen, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import type { Request } from './request.ts';

/** NestJS ends a reply when this header is present, with any value; its own value is one zero byte. */
const DISPOSED = Buffer.alloc(1);
/** NestJS passes only this header of an error to its callers: the complete problem if it fits, otherwise one line. */
const MAX_ERROR_CHARACTERS = 4_096;
const MAX_ERROR_LINE_CHARACTERS = 500;
/** A correlation id that can be part of a JSON document; others are only echoed as bytes. */
const VISIBLE_ID = /^[\x21-\x7e]{1,128}$/;

/** In the format of the request. A payload that does not fit its schema is a bug: throws or rejects. */
export function createReply(
  codec: Codec,
  request: Request,
  destination: TopicPartition,
  body: ReplyBody,
): SyncOrAsync<OutgoingMessage> {
  const encoding = body.encoded ?? codec.encode(body.type, body.payload, request.format);
  return andThen(encoding, (encoded) => {
    const headers = writeHeaders(request, { ...encoded, type: body.type }, body.warnings);
    if (body.holidayCalendar !== undefined) {
      headers[HEADER.holidayCalendar] = safeHeaderText(body.holidayCalendar);
    }
    return address(request, destination, encoded.value, headers);
  });
}

/** Creates an error reply: the problem as body, and headers for callers that do not read the body. */
export async function createErrorReply(
  codec: Codec,
  request: Request,
  destination: TopicPartition,
  problem: Problem,
): Promise<OutgoingMessage> {
  const named = withCorrelationId(problem, request.correlationId);
  const encoded = await codec.encode(PROBLEM_TYPE, named, request.format);
  const headers = writeHeaders(request, { ...encoded, type: PROBLEM_TYPE });
  headers[HEADER.errorCode] = problem.code;
  headers[HEADER.errorRetryable] = String(isRetryable(problem));
  headers[HEADER.nestError] = nestErrorText(named);
  return address(request, destination, encoded.value, headers);
}

export function replyTooLarge(type: string): Problem {
  if (type !== REPLY_BATCH) return createProblem('reply-too-large');
  const detail =
    'The replies to the requests of this batch exceed the size limit of a message: send smaller batches.';
  return createProblem('reply-too-large', { detail });
}

/** Adds the correlation id of the request to a problem if it is visible ASCII (E1). */
export function withCorrelationId(problem: Problem, correlationId: HeaderValue | undefined): Problem {
  const id = correlationId?.toString('latin1') ?? '';
  return problem.correlationId === undefined && VISIBLE_ID.test(id)
    ? { ...problem, correlationId: id }
    : problem;
}

type Headers = Record<string, HeaderValue>;

/** The headers of the format, and the type also in Avro: a requester can tell an error reply without its schema. */
function writeHeaders(
  request: Request,
  encoded: Encoded & { readonly type: string },
  further?: string,
): Headers {
  const headers = { ...encoded.headers, [HEADER.messageType]: encoded.type } as Headers;
  const warnings = warningsList(request.warnings ?? [], further);
  if (warnings !== undefined) headers[HEADER.warnings] = warnings;
  return headers;
}

function nestErrorText(problem: Problem): string {
  const whole = JSON.stringify(problem);
  if (whole.length <= MAX_ERROR_CHARACTERS) return whole;
  return `${problem.code}: ${problem.detail ?? problem.title}`.slice(0, MAX_ERROR_LINE_CHARACTERS);
}

function address(
  { message, correlationId }: Request,
  { topic, partition }: TopicPartition,
  value: Buffer,
  headers: Headers,
): OutgoingMessage {
  if (correlationId !== undefined) headers[HEADER.correlationId] = correlationId;
  headers[HEADER.nestIsDisposed] = DISPOSED;
  return { topic, partition, key: message.key, value, headers };
}
