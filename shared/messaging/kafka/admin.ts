import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs';
import { MessagingError } from '../../platform/errors.ts';
import type { CreateKafkaClient, KafkaClient } from './connection/client.ts';
import { brokerErrorType, isTopicUnknown, toMessagingError } from './connection/errors.ts';
import { existingTopics } from '../topics/required-topics.ts';
import { untilLed, whileSettling } from './leaders.ts';
import type { PartitionOffset } from '../message.ts';
import type { BrokerAdmin, TopicSpec } from '../ports.ts';
import type { TopicState } from '../topics/topic-settings.ts';

/** An admin call repeats inside kafkajs while a controller or coordinator moves: about 3 s in all. */
const RETRY = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };
/** Creating topics waits for their leaders no longer than this. */
const CREATE_TIMEOUT_MS = 15_000;
/** How many replicas topics get where the cluster has enough brokers. */
const WANTED_REPLICAS = 3;
/** With so many replicas, two must have a record before it counts as stored: one broker may fail without loss. */
const MIN_IN_SYNC_REPLICAS = '2';
/** Offsets of a topic that was made a moment ago wait so long for the broker that answers to hear of it. */
const OFFSETS_SPREAD_MS = 2_000;
/** What topics of the brokers themselves start with. */
const INTERNAL_PREFIX = '__';
/** Kafka's number of the isolation level under which the end of a partition is its high watermark. */
const READ_UNCOMMITTED = 0;

/**
 * Topics, offsets and groups by kafkajs' admin. One connection, opened by the first call and replaced after a failed
 * one; offsets by connections of their own. Every call rejects with MessagingError.
 */
export class KafkaAdmin implements BrokerAdmin {
  readonly #createClient: CreateKafkaClient;
  readonly #clientId: string;
  #current: Promise<{ admin: Admin; client: KafkaClient }> | undefined;
  /** Clients whose connection is being made: kafkajs tries for seconds, and cannot be told to give up. */
  readonly #connecting = new Set<KafkaClient>();
  #closed = false;

  constructor(createClient: CreateKafkaClient, clientId: string) {
    this.#createClient = createClient;
    this.#clientId = clientId;
  }

  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]> {
    return this.#call('create topics', async (admin) => {
      const existing = new Set(await admin.listTopics());
      const missing = specs.filter(({ topic }) => !existing.has(topic));
      if (missing.length === 0) return [];
      const { brokers } = await admin.describeCluster();
      requireBrokers(missing, brokers.length);
      const replicas = Math.min(WANTED_REPLICAS, brokers.length);
      const topics = missing.map((spec) => topicConfig(spec, replicas));
      try {
        // kafkajs' own wait for leaders gives up on a broker that has not heard of the new topic yet.
        await admin.createTopics({ topics, timeout: CREATE_TIMEOUT_MS, waitForLeaders: false });
      } catch (error) {
        if (brokerErrorType(error) !== 'TOPIC_ALREADY_EXISTS') throw error;
      }
      await untilLed(admin, missing, CREATE_TIMEOUT_MS);
      return missing.map(({ topic }) => topic);
    });
  }

  deleteTopics(topics: readonly string[]): Promise<void> {
    return this.#call('delete topics', async (admin) => {
      const existing = new Set(await admin.listTopics());
      const present = topics.filter((topic) => existing.has(topic));
      if (present.length > 0) await admin.deleteTopics({ topics: present });
    });
  }

  listTopics(): Promise<readonly string[]> {
    return this.#call('list topics', async (admin) => {
      const topics = await admin.listTopics();
      return topics.filter((topic) => !topic.startsWith(INTERNAL_PREFIX));
    });
  }

  /** As the broker that answers knows them at this moment; who needs a topic that may be new asks again. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#call('partition counts', (admin) => partitionCounts(admin, topics));
  }

  offsets(topic: string): Promise<readonly { partition: number; low: number; high: number }[]> {
    return this.#callAlone(`offsets of ${topic}`, async (admin) => {
      // fetchTopicOffsets repeats itself for seconds when the topic is missing.
      await existingTopics(
        { partitionCounts: (names) => partitionCounts(admin, names) },
        [topic],
        OFFSETS_SPREAD_MS,
      );
      const offsets = await whileSettling(() => admin.fetchTopicOffsets(topic));
      return offsets
        .map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }))
        .toSorted((one, other) => one.partition - other.partition);
    });
  }

  /**
   * The high watermark of each partition: the next offset to be written, however many transactions are open below it. A
   * leader that was just elected answers only when it knows of everything that was confirmed before.
   */
  highWatermarks(topic: string): Promise<readonly { partition: number; high: number }[]> {
    readIsolationLevelOfCall();
    return isolationLevels.run(READ_UNCOMMITTED, () => this.offsets(topic));
  }

  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]> {
    return this.#callAlone(`commits of ${groupId}`, async (admin) => {
      const answer = await whileSettling(() => admin.fetchOffsets({ groupId, topics: [...topics] }));
      return answer.flatMap(({ topic, partitions }) =>
        partitions
          .map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) }))
          .filter(({ offset }) => offset >= 0),
      );
    });
  }

  /** The named topics as they are; those that do not exist are left out. */
  topicStates(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>> {
    return this.#call('describe topics', async (admin) => {
      const states = new Map<string, TopicState>();
      for (const [topic, partitions] of await partitionCounts(admin, topics)) {
        states.set(topic, { partitions, config: await whileSettling(() => topicSettings(admin, topic)) });
      }
      return states;
    });
  }

  /** A connection that is still being made is given up, and not waited for. */
  async close(): Promise<void> {
    this.#closed = true;
    const isConnecting = this.#connecting.size > 0;
    for (const client of this.#connecting) client.connections.destroy();
    const discarded = this.#discard();
    if (!isConnecting) await discarded;
  }

  async #call<T>(what: string, ask: (admin: Admin) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed(what);
    const current = (this.#current ??= this.#connect());
    try {
      const { admin } = await current;
      return await ask(admin);
    } catch (error) {
      if (this.#current === current && !isOurs(error)) void this.#discard();
      throw toMessagingError(what, error);
    }
  }

  /**
   * A call by a connection of its own, for what kafkajs looks up in its metadata: it keeps that of the last question
   * only, whatever topic it was for, so that any other call meanwhile would make this one fail, or miss partitions.
   */
  async #callAlone<T>(what: string, ask: (admin: Admin) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed(what);
    try {
      const { admin, client } = await this.#connect();
      try {
        return await ask(admin);
      } finally {
        client.connections.destroy();
        admin.disconnect().catch(() => undefined);
      }
    } catch (error) {
      throw toMessagingError(what, error);
    }
  }

  async #connect(): Promise<{ admin: Admin; client: KafkaClient }> {
    const client = this.#createClient({ clientId: this.#clientId, retry: RETRY });
    const admin = client.kafka.admin();
    admin.on(admin.events.REQUEST_TIMEOUT, ({ payload }) => client.onSilent(payload.broker));
    this.#connecting.add(client);
    try {
      await admin.connect();
    } catch (error) {
      client.connections.destroy();
      throw error;
    } finally {
      this.#connecting.delete(client);
    }
    return { admin, client };
  }

  async #discard(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    try {
      const made = await current;
      if (made === undefined) return;
      made.client.connections.destroy();
      await made.admin.disconnect();
    } catch {
      // The connection is given up either way.
    }
  }
}

/** A cluster that is starting would otherwise refuse the topics for good, and its missing brokers are on their way. */
function requireBrokers(specs: readonly TopicSpec[], live: number): void {
  const wanted = Math.max(...specs.map(({ replicationFactor = 1 }) => replicationFactor));
  if (live >= wanted) return;
  throw new MessagingError(
    'broker-unavailable',
    `new topics get ${wanted} replicas, and ${live} of the brokers are up; KAFKA_BROKERS with fewer of them asks for fewer`,
    { canRetry: true },
  );
}

interface BrokerClass {
  readonly prototype: { listOffsets: (request: { isolationLevel?: number }) => Promise<unknown> };
}

const isolationLevels = new AsyncLocalStorage<number>();
const PATCHED = new WeakSet<object>();

/** The admin client of kafkajs asks for offsets as a reader of committed records, and cannot be told otherwise. */
function readIsolationLevelOfCall(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker') as BrokerClass;
  if (PATCHED.has(prototype)) return;
  PATCHED.add(prototype);
  const { listOffsets } = prototype;
  prototype.listOffsets = function listOffsetsAsCalled(this: object, request) {
    const isolationLevel = isolationLevels.getStore();
    return listOffsets.call(this, isolationLevel === undefined ? request : { ...request, isolationLevel });
  };
}

/** Asks topic by topic: one that is missing fails the whole answer of kafkajs. */
async function partitionCounts(admin: Admin, topics: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const topic of new Set(topics)) {
    try {
      const { topics: found } = await admin.fetchTopicMetadata({ topics: [topic] });
      const count = found.find(({ name }) => name === topic)?.partitions.length;
      if (count !== undefined) counts.set(topic, count);
    } catch (error) {
      if (!isTopicUnknown(error)) throw error;
    }
  }
  return counts;
}

async function topicSettings(admin: Admin, topic: string): Promise<ReadonlyMap<string, string>> {
  const answer = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
  });
  const entries = answer.resources.flatMap(({ configEntries }) => configEntries);
  return new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
}

function topicConfig(
  { topic, partitions, config, replicationFactor }: TopicSpec,
  replicas: number,
): ITopicConfig {
  const factor = replicationFactor ?? replicas;
  const entries = Object.entries({
    ...(factor >= WANTED_REPLICAS ? { 'min.insync.replicas': MIN_IN_SYNC_REPLICAS } : {}),
    ...config,
  });
  return {
    topic,
    numPartitions: partitions,
    replicationFactor: factor,
    configEntries: entries.map(([name, value]) => ({ name, value })),
  };
}

function isOurs(error: unknown): boolean {
  return error instanceof MessagingError || isTopicUnknown(error);
}

function closed(what: string): MessagingError {
  return new MessagingError('broker-unavailable', `${what}: closed`, { canRetry: false });
}
