import type { z } from 'zod';
import { type ADMIN_BODY, logMessageJson } from '../shared/messaging/log-protocol.ts';
import type { LogMessage, OffsetRange, OutgoingMessage } from '../shared/messaging/message.ts';
import type { Broker } from '../shared/messaging/ports.ts';
import { DEAD_LETTER_TOPICS, topicNames, WORK_TOPICS, topicName } from '../shared/messaging/topics/topics.ts';
import { MessagingError } from '../shared/platform/errors.ts';

/** One answer holds so much, and one message at least. */
const READ_BYTES = 1_024 * 1_024;
const READ_MESSAGES = 500;

type Call<T extends z.ZodType> = z.infer<T>;

/** The calls of the admin endpoint. All reject with MessagingError, `topic-refused` for topics that they are not for. */
export interface LogCalls {
  start(): Promise<void>;
  ranges(call: Call<typeof ADMIN_BODY.rangesCall>): Promise<{ readonly ranges: readonly OffsetRange[] }>;
  read(
    call: Call<typeof ADMIN_BODY.readCall>,
  ): Promise<{ readonly messages: unknown[]; readonly next: number }>;
  publish(call: Call<typeof ADMIN_BODY.publishCall>): Promise<object>;
  stop(): Promise<void>;
}

/** The calls over a broker: dead letters, their audit and the topics that work comes from can be read, the last two written. */
export function createLogCalls(broker: Broker, topicPrefix: string): LogCalls {
  const audit = topicName(topicPrefix, 'deadLetterAudit');
  const writable = new Set([...topicNames(topicPrefix, WORK_TOPICS), audit]);
  const readable = new Set([...writable, ...topicNames(topicPrefix, DEAD_LETTER_TOPICS)]);
  const publisher = broker.createPublisher({ clientId: 'admin-endpoint' });
  return {
    start: () => publisher.start(),
    ranges: async ({ topics }) => {
      for (const topic of topics) allow(readable, topic);
      const counts = await broker.admin.partitionCounts(topics);
      const all = await Promise.all([...counts.keys()].map((topic) => rangesOf(broker, topic)));
      return { ranges: all.flat() };
    },
    read: async ({ range }) => {
      allow(readable, range.topic);
      return readStep(broker, range);
    },
    publish: async ({ messages }) => {
      for (const { topic } of messages) allow(writable, topic);
      await publisher.publish(messages.map(withoutGap));
      return {};
    },
    stop: () => publisher.stop(),
  };
}

/** The retained offsets of each partition of a topic. */
async function rangesOf(broker: Broker, topic: string): Promise<OffsetRange[]> {
  const offsets = await broker.admin.offsets(topic);
  return offsets.map(({ partition, low, high }) => ({ topic, partition, from: low, to: high }));
}

async function readStep(broker: Broker, range: OffsetRange) {
  const messages: LogMessage[] = [];
  let bytes = 0;
  await broker.readRanges([range], (message) => {
    messages.push(message);
    bytes += message.value?.length ?? 0;
    return bytes >= READ_BYTES || messages.length >= READ_MESSAGES ? 'stop' : 'more';
  });
  const last = messages.at(-1);
  const isFull = bytes >= READ_BYTES || messages.length >= READ_MESSAGES;
  return {
    messages: messages.map(logMessageJson),
    next: isFull && last !== undefined ? last.offset + 1 : range.to,
  };
}

function allow(topics: ReadonlySet<string>, topic: string): void {
  if (topics.has(topic)) return;
  const text = `the admin endpoint does not serve ${topic} in this way`;
  throw new MessagingError('topic-refused', text, { canRetry: false });
}

function withoutGap(message: Call<typeof ADMIN_BODY.publishCall>['messages'][number]): OutgoingMessage {
  const { partition, ...rest } = message;
  return partition === undefined ? rest : { ...rest, partition };
}
