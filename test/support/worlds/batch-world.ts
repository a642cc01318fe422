import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import { createMessageCodec, type MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { Broker, Publisher } from '../../../shared/messaging/ports.ts';
import { REQUEST_BATCH } from '../../../shared/messaging/codec/request-batch.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import type { StartWorker } from '../../../workers/runtime/worker.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from './ingress-system.ts';

export const REPLY_TOPIC = 'an.upstream.system.replies';
/** The time from which schedules without dates are counted (D2): 2024-01-15. */
const ORIGIN = String(Date.UTC(2024, 0, 15));

/** One request message to send. */
export interface BatchMessage {
  readonly value: Buffer;
  readonly headers?: MessageHeaders;
  readonly topic?: string;
  /** Of the record; default: now. */
  readonly timestampMs?: number;
  /** By default, all messages have the same key. */
  readonly key?: string;
  /** Where the reply goes; default: {@link REPLY_TOPIC}. */
  readonly replyTopic?: string;
}

export interface BatchWorld {
  readonly broker: Broker;
  readonly codec: MessageCodec;
  readonly replies: readonly LogMessage[];
  readonly deadLetters: readonly LogMessage[];
  send(message: BatchMessage): Promise<void>;
}

/** An upstream system that sends batches to a worker over the embedded broker. */
export async function createBatchWorld(
  options: { start?: StartWorker; replyConfig?: Readonly<Record<string, string>> } = {},
): Promise<BatchWorld> {
  const broker = await createSharedBroker(3);
  await broker.admin.createTopics([
    { topic: REPLY_TOPIC, partitions: 2, ...(options.replyConfig && { config: options.replyConfig }) },
  ]);
  await startOn(broker, options.start ?? startScheduleWorker);
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  return {
    broker,
    codec: createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock }),
    replies: await collect(broker, REPLY_TOPIC),
    deadLetters: await collect(broker, TOPIC.scheduleDeadLetters),
    send: (message) => sendBatch(publisher, message),
  };
}

function sendBatch(
  publisher: Publisher,
  {
    value,
    headers = {},
    topic = TOPIC.scheduleBulkRequests,
    key = 'k',
    replyTopic = REPLY_TOPIC,
    timestampMs,
  }: BatchMessage,
): Promise<void> {
  const address = {
    [HEADER.replyTopic]: replyTopic,
    [HEADER.correlationId]: 'batch-1',
    [HEADER.originTimestamp]: ORIGIN,
  };
  const time = timestampMs === undefined ? {} : { timestampMs };
  return publisher.publish([{ topic, key, value, headers: { ...address, ...headers }, ...time }]);
}

async function collect(broker: Broker, topic: string): Promise<LogMessage[]> {
  const messages: LogMessage[] = [];
  const tail = broker.createTail({ clientId: `test-${topic}`, topics: [topic], from: 'earliest' });
  await tail.start((message) => messages.push(message));
  return messages;
}

/** An array of requests in JSON, under the type of its items. */
export function jsonBatch(
  items: readonly unknown[] | string,
  type = 'CalculateRepaymentScheduleRequest',
): BatchMessage {
  const text = typeof items === 'string' ? items : JSON.stringify(items);
  return { value: Buffer.from(text), headers: { [HEADER.messageType]: type } };
}

/** A RequestBatch in Avro. */
export async function avroBatch(
  codec: MessageCodec,
  items: readonly { readonly id?: string | number; readonly value: Buffer }[],
): Promise<BatchMessage> {
  return { value: (await codec.encode(REQUEST_BATCH, { items }, 'avro')).value };
}

/** An item of a reply in JSON. */
export interface JsonAnswer {
  readonly id?: string | number;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The items of a reply in JSON. */
export function jsonAnswers(reply: LogMessage | undefined): readonly JsonAnswer[] {
  return JSON.parse(reply?.value?.toString('utf8') ?? 'null') as JsonAnswer[];
}

/** A message header as a string. */
export function textOf(message: LogMessage | undefined, name: string): string | undefined {
  return message === undefined ? undefined : headerText(message.headers, name);
}
