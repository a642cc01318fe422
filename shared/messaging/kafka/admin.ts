import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { type Admin, type ITopicConfig } from 'kafkajs';
import { MessagingError } from '../../platform/errors.ts';
import type { CreateKafkaClient, KafkaClient } from './connection/client.ts';
import { brokerErrorType, isTopicUnknown, toMessagingError } from './connection/errors.ts';
import { kafkajsModule, replaceFunction } from './kafkajs/internals.ts';
import { existingTopics } from '../topics/required-topics.ts';
import type { PartitionOffset } from '../message.ts';
import type { BrokerAdmin, TopicSpec } from '../ports.ts';
import type { TopicState } from '../topics/topic-settings.ts';

/** kafkajs retries an admin call while a controller or coordinator moves: about 3 s in all. */
const RETRY = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };
/** Creating topics waits for their leaders no longer than this. */
const CREATE_TIMEOUT_MS = 15_000;
/** How many replicas topics get where the cluster has enough brokers. */
const WANTED_REPLICAS = 3;
/** With this number of replicas, two must have a record before it counts as stored: one broker may fail without loss. */
const MIN_IN_SYNC_REPLICAS = '2';
/** Offsets of a new topic wait this long for the broker that answers to know it. */
const OFFSETS_SPREAD_MS = 2_000;
/** Prefix of the brokers' internal topics. */
const INTERNAL_PREFIX = '__';
/** Kafka's number of the isolation level under which the end of a partition is its high watermark. */
const READ_UNCOMMITTED = 0;

/** A new topic has its leaders within some 10 ms on an idle broker. */
const LEADER_POLL_MS = 50;
/** A leader or a coordinator that moves is settled within seconds. */
const LEADER_MOVE_MS = 5_000;
const SETTLING: ReadonlySet<string> = new Set([
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
]);

/**
 * Topics, offsets and groups through kafkajs' admin. One connection, opened by the first call and replaced after a failed
 * one; queries of offsets have their own connections. Every call rejects with MessagingError.
 */
export class KafkaAdmin implements BrokerAdmin {
  readonly #createClient: CreateKafkaClient;
  readonly #clientId: string;
  #current: Promise<{ admin: Admin; client: KafkaClient }> | undefined;
  /** Clients that are connecting: kafkajs retries for seconds, and cannot be aborted. */
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
        // kafkajs' own wait for leaders fails on a broker that does not know the new topic yet.
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

  /** As known to the broker that answers; a caller that needs a new topic queries again. */
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
    useIsolationLevelOfCall();
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

  /** Gives up a pending connection attempt without waiting for it. */
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
   * A call with its own connection, for what kafkajs looks up in its metadata: it keeps only the metadata of the last query,
   * for whichever topic, so that a concurrent call would make this one fail, or miss partitions.
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

/** A starting cluster would otherwise reject the topics permanently, although its missing brokers are about to join. */
function requireBrokers(specs: readonly TopicSpec[], live: number): void {
  const wanted = Math.max(...specs.map(({ replicationFactor = 1 }) => replicationFactor));
  if (live >= wanted) return;
  throw new MessagingError(
    'broker-unavailable',
    `new topics get ${wanted} replicas, and ${live} of the brokers are up; KAFKA_BROKERS with fewer of them asks for fewer`,
    { canRetry: true },
  );
}

/** Resolves when every partition of the new topics has a leader. Rejects after `timeoutMs`. */
async function untilLed(
  admin: Pick<Admin, 'fetchTopicMetadata'>,
  specs: readonly TopicSpec[],
  timeoutMs: number,
): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  for (const spec of specs) {
    while (!(await isLed(admin, spec))) {
      if (performance.now() > giveUpAt) {
        throw new MessagingError('broker-unavailable', `${spec.topic} was created but has no leader yet`, {
          canRetry: true,
        });
      }
      await sleep(LEADER_POLL_MS);
    }
  }
}

/**
 * Repeats a query about an existing topic while the leader or coordinator in the metadata is not ready, or the broker that
 * answers does not know the topic yet.
 */
async function whileSettling<T>(ask: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + LEADER_MOVE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!SETTLING.has(brokerErrorType(error) ?? '') || performance.now() > giveUpAt) throw error;
      await sleep(LEADER_POLL_MS);
    }
  }
}

async function isLed(
  admin: Pick<Admin, 'fetchTopicMetadata'>,
  { topic, partitions }: TopicSpec,
): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const found = topics.find(({ name }) => name === topic)?.partitions ?? [];
    return found.length >= partitions && found.every(({ leader }) => leader >= 0);
  } catch (error) {
    if (isTopicUnknown(error) || brokerErrorType(error) === 'LEADER_NOT_AVAILABLE') return false;
    throw error;
  }
}

interface BrokerClass {
  readonly prototype: { listOffsets: (request: { isolationLevel?: number }) => Promise<unknown> };
}

const isolationLevels = new AsyncLocalStorage<number>();

/** kafkajs' admin client always queries offsets as a reader of committed records; here the level of the call counts. */
function useIsolationLevelOfCall(): void {
  const { prototype } = kafkajsModule('broker') as BrokerClass;
  replaceFunction(prototype, 'listOffsets', function listOffsetsAsCalled(listOffsets, request) {
    const isolationLevel = isolationLevels.getStore();
    return listOffsets.call(this, isolationLevel === undefined ? request : { ...request, isolationLevel });
  });
}

/** Queries topic by topic: a missing one fails the whole answer of kafkajs. */
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
