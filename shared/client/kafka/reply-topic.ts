/** The reply topic of a client: makes it, and reads what arrives from now on. */
import type { Consumer, Kafka, KafkaMessage } from 'kafkajs';
import { wait, type ClientSystem } from '../client-system.ts';

export interface ReplyTopicOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  /** The group of this reader alone: two readers in a group would share out the replies. */
  readonly groupId: string;
  readonly onReply: (message: KafkaMessage) => void;
  /** Called once if the reader ends for good. */
  readonly onBroken: (error: Error) => void;
  readonly system: ClientSystem;
}

/** A reply is at most 8 MiB before compression. */
const REPLY_BYTES = 8 * 1_024 * 1_024;
/** Replies are of no use once their request has ended. */
const RETENTION_MS = 24 * 3_600_000;
/** A broker that has not heard of a new topic yet calls it unknown. */
const LOOK_EVERY_MS = 250;
const MAX_LOOKS = 80;

/**
 * Creates the topic unless it exists, and reads all of its partitions, committed messages only, from their present ends.
 * Resolves once no later reply can be missed; rejects if the reader ends before, such as without permission for its group. Returns
 * what ends the reader.
 */
export async function readReplyTopic(options: ReplyTopicOptions): Promise<() => Promise<void>> {
  const { kafka, topic, groupId, onReply, onBroken } = options;
  const positions = await prepareTopic(options);
  const consumer = kafka.consumer({ groupId, readUncommitted: false, allowAutoTopicCreation: false });
  // Each join seeks: the group commits nothing, so kafkajs would continue at the end and skip what came meanwhile.
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    for (const partition of payload.memberAssignment[topic] ?? []) {
      consumer.seek({ topic, partition, offset: positions.get(partition) ?? '0' });
    }
  });
  const broken = Promise.withResolvers<never>();
  // Later, nothing waits for it any more.
  broken.promise.catch(() => undefined);
  consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
    if (restart) return;
    onBroken(error);
    broken.reject(error);
  });
  try {
    await consumer.connect();
    await untilKnown(options, () => consumer.subscribe({ topic, fromBeginning: false }));
    await Promise.race([run(consumer, positions, onReply), broken.promise]);
  } catch (error) {
    await consumer.disconnect();
    throw error;
  }
  return () => consumer.disconnect();
}

/** Resolves when the reader has joined its group; kafkajs does not report here that it never will. */
async function run(
  consumer: Consumer,
  positions: Map<number, string>,
  onReply: (message: KafkaMessage) => void,
): Promise<void> {
  const { promise: joined, resolve } = Promise.withResolvers<void>();
  consumer.on(consumer.events.GROUP_JOIN, () => resolve());
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      positions.set(partition, String(BigInt(message.offset) + 1n));
      onReply(message);
    },
  });
  await joined;
}

/** Creates the topic unless it exists; returns the ends of its partitions. */
async function prepareTopic(options: ReplyTopicOptions): Promise<Map<number, string>> {
  const { kafka, topic } = options;
  const admin = kafka.admin();
  await admin.connect();
  try {
    if (!(await admin.listTopics()).includes(topic)) {
      const configEntries = [
        { name: 'max.message.bytes', value: String(REPLY_BYTES) },
        { name: 'retention.ms', value: String(RETENTION_MS) },
      ];
      await admin.createTopics({ topics: [{ topic, configEntries }], waitForLeaders: false });
    }
    const ends = await untilKnown(options, () => admin.fetchTopicOffsets(topic));
    return new Map(ends.map(({ partition, high }) => [partition, high]));
  } finally {
    await admin.disconnect();
  }
}

/** Repeats a call while the broker does not know the topic. */
async function untilKnown<Value>({ system }: ReplyTopicOptions, call: () => Promise<Value>): Promise<Value> {
  const { signal } = new AbortController();
  for (let looks = 1; ; looks += 1) {
    try {
      return await call();
    } catch (error) {
      const { type } = error as { type?: string };
      const isNew = type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'LEADER_NOT_AVAILABLE';
      if (!isNew || looks === MAX_LOOKS) throw error;
    }
    await wait(system, LOOK_EVERY_MS, signal);
  }
}
