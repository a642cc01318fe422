/** The headers of HTTP calls and of messages, as /openapi.json, /asyncapi.json and /docs describe them. */

import type { MessageFormat } from '../../messaging/codec.ts';
import { CONTENT_TYPE } from '../../messaging/codec/message-codec.ts';
import { HEADER } from '../../messaging/headers.ts';
import type { AnswerHeader } from '../../messaging/outcome.ts';
import { ERROR_CODES } from '../../platform/problem.ts';
import TEXTS from './header-texts.json' with { type: 'json' };

export const REQUEST_HEADERS = TEXTS.request;
export type RequestHeader = keyof typeof REQUEST_HEADERS;

export const RESPONSE_HEADERS = TEXTS.response;
export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** A header of a message. Its value is UTF-8 text unless the description says that it is bytes. */
export interface MessageHeader {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
}

const header = (
  name: string,
  description: string,
  { required = false, ...schema }: Partial<MessageHeader> = {},
): MessageHeader => ({ name, required, description, ...schema });

const REQUIRED = { required: true };
const EPOCH_MS = { pattern: '^[0-9]{1,15}$' };

const MESSAGE_TYPE = header(HEADER.messageType, TEXTS.message.messageType);
const FORMAT = [MESSAGE_TYPE, header(HEADER.contentType, TEXTS.message.contentType)];
const OWN_CONTENT_TYPE = header(HEADER.contentType, TEXTS.message.ownContentType, REQUIRED);

export const RECORD_MESSAGE_HEADERS: readonly MessageHeader[] = [MESSAGE_TYPE, OWN_CONTENT_TYPE];
export const CATALOGUE_MESSAGE_HEADERS: readonly MessageHeader[] = FORMAT;

export const REQUEST_MESSAGE_HEADERS: readonly MessageHeader[] = [
  header(HEADER.correlationId, TEXTS.message.correlationId),
  header(HEADER.replyTopic, TEXTS.message.replyTopic, REQUIRED),
  header(HEADER.replyPartition, TEXTS.message.replyPartition),
  ...FORMAT,
  header(HEADER.deadline, TEXTS.message.deadline, EPOCH_MS),
  header(HEADER.originTimestamp, TEXTS.message.originTimestamp, EPOCH_MS),
  header(HEADER.traceParent, TEXTS.message.traceParent),
];

/** Unlike a request, a command needs no reply topic and has no deadline: it gets a reply only if it is refused. */
export const COMMAND_MESSAGE_HEADERS: readonly MessageHeader[] = [
  ...REQUEST_MESSAGE_HEADERS.filter(({ name }) => name !== HEADER.replyTopic && name !== HEADER.deadline),
  header(HEADER.replyTopic, TEXTS.message.errorReplyTopic),
  header(HEADER.notificationId, TEXTS.message.notificationId),
  header(HEADER.sender, TEXTS.message.sender, { pattern: '^[!-~]{1,100}$' }),
];

const REPLY_MESSAGE_HEADERS: readonly MessageHeader[] = [
  header(HEADER.correlationId, TEXTS.message.replyCorrelationId),
  MESSAGE_TYPE,
  OWN_CONTENT_TYPE,
  header(HEADER.warnings, TEXTS.message.warnings),
  header(HEADER.nestIsDisposed, TEXTS.message.nestIsDisposed, REQUIRED),
];

const VERSIONS = header(HEADER.versions, TEXTS.message.versions);

const ANSWER_HEADERS = {
  holidayCalendar: {
    http: 'Holiday-Calendar',
    message: header(HEADER.holidayCalendar, TEXTS.message.holidayCalendar),
  },
} as const satisfies Record<AnswerHeader, { http: ResponseHeader; message: MessageHeader }>;

/** The names of the HTTP headers of an answer: those that every answer may have, and the given ones. */
export function answerHttpHeaders(answerHeaders: readonly AnswerHeader[] = []): readonly ResponseHeader[] {
  return [
    'X-Correlation-Id',
    'Warnings',
    'Versions',
    ...answerHeaders.map((name) => ANSWER_HEADERS[name].http),
  ];
}

/** The headers of a reply over Kafka: those that every reply may have, and the given ones. */
export function replyMessageHeaders(answerHeaders: readonly AnswerHeader[] = []): readonly MessageHeader[] {
  return [...REPLY_MESSAGE_HEADERS, VERSIONS, ...answerHeaders.map((name) => ANSWER_HEADERS[name].message)];
}

export const ERROR_MESSAGE_HEADERS: readonly MessageHeader[] = [
  ...REPLY_MESSAGE_HEADERS,
  header(HEADER.errorCode, TEXTS.message.errorCode, { ...REQUIRED, enum: Object.keys(ERROR_CODES) }),
  header(HEADER.errorRetryable, TEXTS.message.errorRetryable, { ...REQUIRED, enum: ['true', 'false'] }),
  header(HEADER.nestError, TEXTS.message.nestError, REQUIRED),
];

/** The types that {@link HEADER.messageType} may name, whether a message needs this header, and the message format. */
export interface StatedType {
  readonly types: readonly string[];
  readonly required: boolean;
  readonly format: MessageFormat;
}

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
