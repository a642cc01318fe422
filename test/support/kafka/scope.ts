import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Admin, type ITopicConfig, Kafka, logLevel } from 'kafkajs';
import type { TopicSpec } from '../../../shared/messaging/ports.ts';

const { KafkaJSDeleteGroupsError } = kafkajs;

export type KafkaScope = Awaited<ReturnType<typeof openKafkaScope>>;

const DEFAULT_PARTITIONS = 3;
/** Topics of the engine have up to 12 partitions, which a broker on a busy machine takes seconds to create. */
const MOST_PARTITIONS = 3;
/** The group of a killed member becomes empty only after the session timeout of 6 s. */
const DELETE_ATTEMPTS = 20;
const DELETE_PAUSE_MS = 500;
/** Time limit for the leaders of a new topic to be elected on a busy machine. */
const SERVED_MS = 20_000;
const SERVED_PAUSE_MS = 50;

export function withFewPartitions(specs: readonly TopicSpec[]): TopicSpec[] {
  return specs.map((spec) => ({ ...spec, partitions: Math.min(spec.partitions, MOST_PARTITIONS) }));
}

/** The topics and groups of one suite on a shared Kafka; the scope also deletes them. */
export async function openKafkaScope(brokers: readonly string[]) {
  /** Of every topic and group of the suite, also valid as KAFKA_TOPIC_PREFIX. */
  const prefix = `test-${randomUUID().slice(0, 8)}.`;
  /** Each producer and consumer needs its own client, because a client shares state per group. */
  const createClient = (): Kafka =>
    new Kafka({ clientId: prefix, brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = createClient().admin();
  await admin.connect();
  return {
    prefix,
    admin,
    createClient,
    /** Does not create the topic. */
    nameOf: (name: string) => `${prefix}${name}`,
    createTopic: async (name: string, config: Partial<ITopicConfig> = {}) => {
      const topic = `${prefix}${name}`;
      const topics = [{ numPartitions: DEFAULT_PARTITIONS, ...config, topic }];
      await admin.createTopics({ waitForLeaders: false, topics });
      await untilServed(createClient().admin(), topic, config.numPartitions ?? DEFAULT_PARTITIONS);
      return topic;
    },
    /** Consumers must have left. */
    close: async () => {
      await deleteGroups(admin, prefix);
      const ownTopics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
      if (ownTopics.length > 0) await admin.deleteTopics({ topics: ownTopics });
      await admin.disconnect();
    },
  };
}

/** Without a leader consumers rejoin and producers send twice. Such a client queries all topics it ever used. */
async function untilServed(admin: Admin, topic: string, partitions: number): Promise<void> {
  const giveUpAt = performance.now() + SERVED_MS;
  await admin.connect();
  for (;;) {
    try {
      if ((await admin.fetchTopicOffsets(topic)).length === partitions) break;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
    await sleep(SERVED_PAUSE_MS);
  }
  await admin.disconnect();
}

async function deleteGroups(admin: Admin, prefix: string): Promise<void> {
  const { groups } = await admin.listGroups();
  const own = groups.map((group) => group.groupId).filter((id) => id.startsWith(prefix));
  for (let attempt = 1; own.length > 0; attempt += 1) {
    try {
      await admin.deleteGroups(own);
      return;
    } catch (error) {
      if (!(error instanceof KafkaJSDeleteGroupsError) || attempt === DELETE_ATTEMPTS) throw error;
      const left = new Set(error.groups.map((group) => group.groupId));
      own.splice(0, own.length, ...own.filter((id) => left.has(id)));
      await sleep(DELETE_PAUSE_MS);
    }
  }
}
