/** The headers of messages as documents list them. */

import { HEADER } from '../../messaging/header-names.ts';
import type { ResponseHeader } from './http-headers.ts';

/** One header of a message. Values are UTF-8 text unless the description says bytes. */
export interface MessageHeader {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
}

const header = (name: string, description: string, required = false): MessageHeader => ({
  name,
  required,
  description,
});

const FORMAT = [
  header(
    HEADER.messageType,
    'Record name of the message, such as CalculateRepaymentScheduleRequest. JSON messages need it; Avro messages carry a schema id.',
  ),
  header(
    HEADER.contentType,
    '`application/vnd.apache.avro` or `application/json`. Only confirms what the first byte says.',
  ),
];

/** Headers of a catalogue record. */
export const CATALOGUE_MESSAGE_HEADERS: readonly MessageHeader[] = FORMAT;

/** Headers of a request. */
export const REQUEST_MESSAGE_HEADERS: readonly MessageHeader[] = [
  header(HEADER.correlationId, 'Bytes of your choice, echoed on the reply as they came.'),
  header(
    HEADER.replyTopic,
    'Topic that the reply goes to; it exists already. Without it nobody is answered.',
    true,
  ),
  header(
    HEADER.replyPartition,
    'Partition that the reply goes to: 4 bytes big-endian, or decimal text. Absent: decided by the key.',
  ),
  ...FORMAT,
  header(HEADER.deadline, 'Epoch milliseconds after which nobody waits: later work gets an error reply.'),
  header(
    HEADER.originTimestamp,
    'Epoch milliseconds at which the request first entered the log. Absent: the time of the message.',
  ),
  header(HEADER.traceParent, 'W3C trace context.'),
  header(HEADER.traceState, 'W3C trace context.'),
];

/** Headers of a command, which is answered only when it is refused. */
export const COMMAND_MESSAGE_HEADERS: readonly MessageHeader[] = [
  ...REQUEST_MESSAGE_HEADERS.filter(({ name }) => name !== HEADER.replyTopic),
  header(
    HEADER.replyTopic,
    'Topic that a refusal goes to; it exists already. Without it a refused command becomes a dead letter.',
  ),
  header(HEADER.notificationId, 'The id, where the command itself does not hold it.'),
];

/** Headers of every reply. */
const REPLY_MESSAGE_HEADERS: readonly MessageHeader[] = [
  header(HEADER.correlationId, 'The bytes of the request.', true),
  ...FORMAT,
  header(HEADER.warnings, 'What had no effect: a comma list of `code;path`.'),
  header(HEADER.nestIsDisposed, 'Marks the only message of an answer for clients made with NestJS.', true),
];

/** Headers of replies that tell what only some answers do. */
const ANSWER_MESSAGE_HEADERS: Readonly<Partial<Record<ResponseHeader, MessageHeader>>> = {
  'Holiday-Calendar': header(
    HEADER.holidayCalendar,
    'The holiday calendar that the due dates were held against and the version of its holidays, such as `RO;version=2026.1`.',
  ),
};

/** Headers of the reply of an action that tells `answerHeaders` over HTTP. */
export function replyMessageHeaders(answerHeaders: readonly ResponseHeader[] = []): readonly MessageHeader[] {
  const told = answerHeaders.flatMap((name) => ANSWER_MESSAGE_HEADERS[name] ?? []);
  return [...REPLY_MESSAGE_HEADERS, ...told];
}

/** Headers of an error reply. */
export const ERROR_MESSAGE_HEADERS: readonly MessageHeader[] = [
  ...REPLY_MESSAGE_HEADERS.filter(({ name }) => name !== HEADER.warnings),
  header(HEADER.errorCode, 'Stable code of the problem.', true),
  header(HEADER.errorRetryable, '`true` when the same request may succeed later, else `false`.', true),
  header(
    HEADER.nestError,
    'The problem document as JSON (one line of text when it is longer than 4,096 characters), for clients made with NestJS.',
  ),
];

/** JSON Schema of a message's headers. */
export function headersSchema(headers: readonly MessageHeader[]): object {
  const properties = headers.map(({ name, description }) => [name, { type: 'string', description }] as const);
  const required = headers.filter((one) => one.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}
