import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { createProblem, isRetryable, type Problem } from '../../platform/problem.ts';
import { safeHeaderText, warningsList } from '../header-text.ts';
import type { Codec, Encoded } from '../codec.ts';
import { REPLY_BATCH } from '../codec/request-batch.ts';
import { HEADER } from '../headers.ts';
import type { HeaderValue, OutgoingMessage, TopicPartition } from '../message.ts';
import type { ReplyBody } from '../outcome.ts';
import { andThen, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import { formatVersions } from './answer-versions.ts';
import type { Request } from './request.ts';

/** For NestJS, the header kafka_nest-is-disposed with any value ends a reply. NestJS itself writes a zero byte. */
const DISPOSED = Buffer.alloc(1);
/** Longest problem in the header kafka_nest-err, the only part of an error reply that NestJS passes to its callers. */
const MAX_ERROR_CHARACTERS = 4_096;
/** Maximum length of the line that the header has instead of a longer problem. */
const MAX_ERROR_LINE_CHARACTERS = 500;
/** Correlation ids that a problem document may contain. Others are only echoed in the header. */
const VISIBLE_ID = /^[\x21-\x7e]{1,128}$/;

/** Encodes the reply in the request's format. Throws or rejects with PayloadError (a bug) if it does not fit. */
export function createReply(
  codec: Codec,
  request: Request,
  destination: TopicPartition,
  body: ReplyBody,
): SyncOrAsync<OutgoingMessage> {
  const encoding = body.encoded ?? codec.encode(body.type, body.payload, request.format);
  const { type, warnings, sources } = body;
  const calendar = body.holidayCalendar === undefined ? undefined : safeHeaderText(body.holidayCalendar);
  return andThen(encoding, (encoded) => {
    const headers = {
      ...(calendar === undefined ? {} : { [HEADER.holidayCalendar]: calendar }),
      [HEADER.versions]: formatVersions(sources, calendar),
    };
    return toMessage(request, destination, { ...encoded, type, warnings }, headers);
  });
}

export async function createErrorReply(
  codec: Codec,
  request: Request,
  destination: TopicPartition,
  problem: Problem,
): Promise<OutgoingMessage> {
  const named = withCorrelationId(problem, request.correlationId);
  const encoded = await codec.encode(PROBLEM_TYPE, named, request.format);
  const whole = JSON.stringify(named);
  const line = `${problem.code}: ${problem.detail ?? problem.title}`.slice(0, MAX_ERROR_LINE_CHARACTERS);
  const headers = {
    [HEADER.errorCode]: problem.code,
    [HEADER.errorRetryable]: String(isRetryable(problem)),
    [HEADER.nestError]: whole.length <= MAX_ERROR_CHARACTERS ? whole : line,
  };
  return toMessage(request, destination, { ...encoded, type: PROBLEM_TYPE }, headers);
}

export function replyTooLarge(type: string): Problem {
  if (type !== REPLY_BATCH) return createProblem('reply-too-large');
  const detail =
    'The replies to the requests of this batch exceed the size limit of a message: send smaller batches.';
  return createProblem('reply-too-large', { detail });
}

/** Adds the correlation id of the request to a problem if the id is visible ASCII (E1). */
export function withCorrelationId(problem: Problem, correlationId: HeaderValue | undefined): Problem {
  const id = correlationId?.toString('latin1') ?? '';
  return problem.correlationId === undefined && VISIBLE_ID.test(id)
    ? { ...problem, correlationId: id }
    : problem;
}

/** Key and correlation id may be any bytes. The type header marks error replies even for readers without the schema. */
function toMessage(
  request: Request,
  { topic, partition }: TopicPartition,
  encoded: Encoded & { readonly type: string; readonly warnings?: string | undefined },
  further: Readonly<Record<string, HeaderValue>>,
): OutgoingMessage {
  const { message, correlationId } = request;
  const warnings = warningsList(request.warnings ?? [], encoded.warnings);
  const headers = {
    ...encoded.headers,
    [HEADER.messageType]: encoded.type,
    ...(warnings === undefined ? {} : { [HEADER.warnings]: warnings }),
    ...further,
    ...(correlationId === undefined ? {} : { [HEADER.correlationId]: correlationId }),
    [HEADER.nestIsDisposed]: DISPOSED,
  };
  return { topic, partition, key: message.key, value: encoded.value, headers };
}
