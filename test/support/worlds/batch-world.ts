import { expect, onTestFinished } from 'vitest';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import { createMessageCodec, type MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { REQUEST_BATCH } from '../../../shared/messaging/codec/request-batch.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import type { StartWorker } from '../../../workers/runtime/worker.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from './ingress-system.ts';

export const REPLY_TOPIC = 'an.upstream.system.replies';
/** The time from which schedules without dates are counted (D2): 2024-01-15. */
const ORIGIN = String(Date.UTC(2024, 0, 15));
/** On a busy machine a calculation thread takes seconds to start. */
const REPLY_LIMIT_MS = 30_000;

export interface BatchMessage {
  readonly value: Buffer;
  readonly headers?: MessageHeaders;
  readonly topic?: string;
  /** Of the record, then without the header of the origin; default: now. */
  readonly timestampMs?: number;
  /** By default, all messages have the same key. */
  readonly key?: string;
  /** Where the reply goes; default: {@link REPLY_TOPIC}. */
  readonly replyTopic?: string;
}

export type BatchWorld = Awaited<ReturnType<typeof createUpstream>>;

/** An upstream system that sends requests to a worker over the embedded broker. */
export async function createBatchWorld(
  options: { start?: StartWorker; replyConfig?: Readonly<Record<string, string>> } = {},
): Promise<BatchWorld> {
  const broker = await createSharedBroker(3);
  await startOn(broker, options.start ?? startScheduleWorker);
  return createUpstream(broker, options.replyConfig);
}

/** An upstream system that sends requests with the correlation id `batch-1`, and reads the replies of its own topic. */
export async function createUpstream(broker: Broker, config: Readonly<Record<string, string>> = {}) {
  await broker.admin.createTopics([{ topic: REPLY_TOPIC, partitions: 2, config }]);
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
  const replies = await collect(broker, REPLY_TOPIC);
  const send = ({ headers, replyTopic = REPLY_TOPIC, ...given }: BatchMessage) => {
    const address = { [HEADER.replyTopic]: replyTopic, [HEADER.correlationId]: 'batch-1' };
    const time = given.timestampMs === undefined ? { [HEADER.originTimestamp]: ORIGIN } : {};
    const all = { ...address, ...time, ...headers };
    return publisher.publish([{ topic: TOPIC.scheduleBulkRequests, key: 'k', ...given, headers: all }]);
  };
  const ask = async (message: BatchMessage): Promise<LogMessage> => {
    const before = replies.length;
    await send(message);
    await expect.poll(() => replies.length, { timeout: REPLY_LIMIT_MS }).toBe(before + 1);
    const reply = replies.at(-1);
    if (reply === undefined) throw new Error('no reply');
    return reply;
  };
  /** Sends a request in Avro and decodes its reply. */
  const askAvro = async (type: string, request: unknown, message: Omit<BatchMessage, 'value'> = {}) => {
    const { value, headers } = await codec.encode(type, request, 'avro');
    const reply = await ask({ ...message, value, headers });
    const decoded = await codec.decode({ value: reply.value, headers: reply.headers });
    if (decoded.kind !== 'decoded') throw new Error(JSON.stringify(decoded));
    return { reply, decoded };
  };
  const deadLetters = await collect(broker, TOPIC.scheduleDeadLetters);
  return { broker, codec, replies, deadLetters, send, ask, askAvro };
}

/** The records of a topic, also those to come. */
export async function collect(broker: Broker, topic: string): Promise<readonly LogMessage[]> {
  const messages: LogMessage[] = [];
  const tail = broker.createTail({ clientId: `test-${topic}`, topics: [topic], from: 'earliest' });
  await tail.start((message) => messages.push(message));
  return messages;
}

/** A request in JSON, or an array of them, under the type of its items. */
export function jsonBatch(
  body: unknown,
  type = 'CalculateRepaymentScheduleRequest',
  message: Partial<BatchMessage> = {},
): BatchMessage {
  const value = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { ...message, value, headers: { [HEADER.messageType]: type, ...message.headers } };
}

/** What a handler gets for the terms of a request. */
export function payloadOf(jsonParam: object, type = 'CalculateRepaymentScheduleRequest'): unknown {
  const read = MESSAGE_FORMS[type]?.parse({ jsonParam });
  if (read?.kind !== 'valid') throw new Error(`not a request: ${JSON.stringify(read)}`);
  return read.payload;
}

/** A RequestBatch in Avro. */
export async function avroBatch(
  codec: MessageCodec,
  items: readonly { readonly id?: string | number; readonly value: Buffer }[],
): Promise<BatchMessage> {
  return { value: (await codec.encode(REQUEST_BATCH, { items }, 'avro')).value };
}

export interface JsonAnswer {
  readonly id?: string | number;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export const bodyOf = (reply: LogMessage): unknown => JSON.parse(reply.value?.toString() ?? 'null');

export const jsonAnswers = (reply: LogMessage): readonly JsonAnswer[] => bodyOf(reply) as JsonAnswer[];

/** Path and code of each fault of a problem. */
export const faultsOf = (problem: unknown) =>
  (problem as Problem).errors?.map(({ path, code }) => `${path} ${code}`);

export const textOf = (message: LogMessage | undefined, name: string): string | undefined =>
  message && headerText(message.headers, name);
