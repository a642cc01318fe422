/** The headers of HTTP calls and of messages, for documents. */

import type { MessageFormat } from '../../messaging/codec.ts';
import { CONTENT_TYPE } from '../../messaging/codec/message-codec.ts';
import { HEADER } from '../../messaging/headers.ts';
import type { AnswerHeader } from '../../messaging/outcome.ts';
import { ERROR_CODES } from '../../platform/problem.ts';

interface HttpHeader {
  readonly description: string;
  readonly schema: { readonly type: string; readonly maximum?: number; readonly minimum?: number };
  readonly example?: unknown;
}

const text = (description: string, example?: string): HttpHeader => ({
  description,
  schema: { type: 'string' },
  ...(example === undefined ? {} : { example }),
});

/** Headers that a caller may send, by name. */
export const REQUEST_HEADERS = {
  Prefer: text(
    '`wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.',
    'wait=5',
  ),
  'X-Correlation-Id': text(
    'Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.',
    'loan-4711',
  ),
  traceparent: text(
    'W3C trace context; passed on with the request.',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ),
  'If-None-Match': text(
    'The `ETag` of an earlier answer: 304 if the answer would be the same.',
    'W/"5Ka7cYbGvqUaVNpzkKJxBg"',
  ),
};

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** Headers of answers, by name. */
export const RESPONSE_HEADERS = {
  'X-Correlation-Id': text('The id of this request in the logs.'),
  Warnings: text(
    'Fields without effect, or with values from the catalogue: a comma-separated list of `code;path`, ASCII, truncated at 4 KiB with `truncated` at its end. Codes: `unknown-member`, `no-effect`, `unknown-name`, `ambiguous-name`, `from-catalogue`, `unknown-filter`.',
    'unknown-member;jsonParam.amount, no-effect;jsonParam.ContractPeriod',
  ),
  'Holiday-Calendar': text(
    'The holiday calendar that the due dates were checked against and the version of its holidays: `name;version=...`, ASCII, at most 1,024 characters. Absent without a calendar.',
    'RO;version=2026.1',
  ),
  Location: text('Address of the result.'),
  'Preference-Applied': text('The preference that was followed.'),
  'Retry-After': {
    description: 'Whole seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: text('The methods that the path supports.'),
  'Accept-Post': text('The content type that the path accepts.'),
  'WWW-Authenticate': text('The required kind of token, or the scope that it lacks.'),
  'Content-Security-Policy': text(
    'The sandbox in which a browser shows the page, without scripts and without requests.',
  ),
  ETag: text('Identifies the content of the answer.'),
  'Referrer-Policy': text('`no-referrer`.'),
} satisfies Record<string, HttpHeader>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** One header of a message. Values are UTF-8 text unless the description says bytes. */
export interface MessageHeader {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  /** Keywords of JSON Schema for its text. */
  readonly pattern?: string;
  readonly enum?: readonly string[];
}

const header = (
  name: string,
  description: string,
  { required = false, ...schema }: Partial<MessageHeader> = {},
): MessageHeader => ({ name, required, description, ...schema });

const REQUIRED = { required: true };
/** Milliseconds since 1970 as decimal text. */
const EPOCH_MS = { pattern: '^[0-9]{1,15}$' };

const MESSAGE_TYPE = header(
  HEADER.messageType,
  'Record name of the message, such as CalculateRepaymentScheduleRequest. JSON messages need it, and all replies have it; other Avro messages are recognised by their schema id.',
);

/** The format of a message that other systems may write. */
const FORMAT = [
  MESSAGE_TYPE,
  header(
    HEADER.contentType,
    'In Avro `application/vnd.apache.avro`, `application/avro` or `avro/binary`; in JSON `application/json` or a type that ends in `+json`. Also `application/octet-stream`. The first byte of the value determines the format; a type that contradicts it is refused.',
  ),
];

/** The format of a message that the engine writes. */
const OWN_CONTENT_TYPE = header(HEADER.contentType, 'The format of the value.', REQUIRED);

/** Headers of a record that only the engine writes. */
export const RECORD_MESSAGE_HEADERS: readonly MessageHeader[] = [OWN_CONTENT_TYPE];

/** Headers of a catalogue record. */
export const CATALOGUE_MESSAGE_HEADERS: readonly MessageHeader[] = FORMAT;

/** Headers of a request. */
export const REQUEST_MESSAGE_HEADERS: readonly MessageHeader[] = [
  header(HEADER.correlationId, 'Bytes of your choice, echoed unchanged on the reply.'),
  header(
    HEADER.replyTopic,
    'Existing topic for the reply. Without it the request becomes a dead letter.',
    REQUIRED,
  ),
  header(
    HEADER.replyPartition,
    'Partition for the reply: 4 bytes big-endian, or decimal text. Absent: chosen by the key.',
  ),
  ...FORMAT,
  header(
    HEADER.deadline,
    'Epoch milliseconds until which the requester waits: after it, the reply is an error. The clock of the requester may differ from that of the worker by 2 s.',
    EPOCH_MS,
  ),
  header(
    HEADER.originTimestamp,
    'Epoch milliseconds as decimal text at which the request was first produced. Absent: the timestamp of the record. Its UTC day is the day of the request, so it must be from 2000-01-01 to one day ahead: otherwise a request that needs its day is refused, and an invalid header is reported as a warning.',
    EPOCH_MS,
  ),
  header(
    HEADER.traceParent,
    'W3C trace context of the HTTP request, for tools that read the topic. The engine does not read it.',
  ),
];

/** Headers of a command; only a refused command gets a reply. */
export const COMMAND_MESSAGE_HEADERS: readonly MessageHeader[] = [
  ...REQUEST_MESSAGE_HEADERS.filter(({ name }) => name !== HEADER.replyTopic && name !== HEADER.deadline),
  header(
    HEADER.replyTopic,
    'Existing topic for the error reply. Without it, a refused command becomes a dead letter.',
  ),
  header(HEADER.notificationId, 'The id, if the command itself does not have it.'),
];

/** Headers of every reply. */
const REPLY_MESSAGE_HEADERS: readonly MessageHeader[] = [
  header(
    HEADER.correlationId,
    'The correlation id of the request, unchanged; absent if the request has none.',
  ),
  MESSAGE_TYPE,
  OWN_CONTENT_TYPE,
  header(HEADER.warnings, 'Fields without effect: a comma-separated list of `code;path`.'),
  header(
    HEADER.nestIsDisposed,
    'One zero byte. Marks the single reply of a request, for NestJS clients.',
    REQUIRED,
  ),
];

/** Headers of some answers only: over HTTP, and of the reply message. */
const ANSWER_HEADERS: Readonly<
  Record<AnswerHeader, { readonly http: ResponseHeader; readonly message: MessageHeader }>
> = {
  holidayCalendar: {
    http: 'Holiday-Calendar',
    message: header(
      HEADER.holidayCalendar,
      'The holiday calendar that the due dates were checked against and the version of its holidays, such as `RO;version=2026.1`.',
    ),
  },
};

/** Headers of the HTTP answer of an action that reports `answerHeaders`. */
export function answerHttpHeaders(answerHeaders: readonly AnswerHeader[] = []): readonly ResponseHeader[] {
  return ['X-Correlation-Id', 'Warnings', ...answerHeaders.map((name) => ANSWER_HEADERS[name].http)];
}

/** Headers of the reply message of an action that reports `answerHeaders`. */
export function replyMessageHeaders(answerHeaders: readonly AnswerHeader[] = []): readonly MessageHeader[] {
  return [...REPLY_MESSAGE_HEADERS, ...answerHeaders.map((name) => ANSWER_HEADERS[name].message)];
}

/** Headers of an error reply. */
export const ERROR_MESSAGE_HEADERS: readonly MessageHeader[] = [
  ...REPLY_MESSAGE_HEADERS,
  header(HEADER.errorCode, 'Stable code of the problem.', { ...REQUIRED, enum: Object.keys(ERROR_CODES) }),
  header(HEADER.errorRetryable, '`true` when the same request may succeed later, otherwise `false`.', {
    ...REQUIRED,
    enum: ['true', 'false'],
  }),
  header(
    HEADER.nestError,
    'The problem document as JSON (one line of text if it is longer than 4,096 characters), for NestJS clients.',
    REQUIRED,
  ),
];

/** How a message states its type in {@link HEADER.messageType}. */
export interface StatedType {
  /** The values that the header may have. */
  readonly types: readonly string[];
  /** True for JSON messages and for replies, which always have the header. */
  readonly required: boolean;
  /** The format of the message, which the engine states in its own {@link OWN_CONTENT_TYPE}. */
  readonly format: MessageFormat;
}

/** JSON Schema of a message's headers. */
export function headersSchema(headers: readonly MessageHeader[], stated: StatedType): object {
  const [only, ...others] = stated.types;
  const type = others.length === 0 ? { const: only } : { enum: stated.types };
  const properties = headers.map((one) => {
    const { name, required: _, ...schema } = one;
    const value = one === OWN_CONTENT_TYPE ? { const: CONTENT_TYPE[stated.format] } : {};
    return [name, { type: 'string', ...schema, ...(name === HEADER.messageType ? type : value) }] as const;
  });
  const required = headers
    .filter((one) => (one.name === HEADER.messageType ? stated.required : one.required))
    .map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}
