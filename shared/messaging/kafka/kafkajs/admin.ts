import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { AssignerProtocol, type Admin } from 'kafkajs';
import { MessagingError } from '../../../platform/errors.ts';
import type { CreateKafkajsClient, KafkajsClient } from './connection/client.ts';
import { brokerErrorType, isTopicUnknown, toMessagingError } from '../common/connection/errors.ts';
import { kafkajsModule, replaceFunction } from './patches/internals.ts';
import type { KafkaBrokerAdmin } from '../common/kafka-broker.ts';
import { groupState } from '../common/group-states.ts';
import { newTopics } from '../common/new-topics.ts';
import { existingTopics } from '../../topics/required-topics.ts';
import type { PartitionOffset, TopicPartition } from '../../message.ts';
import type { GroupReads, GroupState, PartitionRange, TopicSpec, TopicState } from '../../ports.ts';

/** kafkajs retries an admin call while a controller or coordinator moves, for about 3 s in all. */
const RETRY = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };
/** Time limit for the leaders of new topics. */
const CREATE_TIMEOUT_MS = 15_000;
/** The broker that answers a query for offsets knows a new topic within this time. */
const OFFSETS_SPREAD_MS = 2_000;
/** Prefix of the broker's internal topics. */
const INTERNAL_PREFIX = '__';
/** Kafka's number for the isolation level under which the end of a partition is its high watermark. */
const READ_UNCOMMITTED = 0;

/** A new topic has its leaders after about 10 ms on an idle broker. */
const LEADER_POLL_MS = 50;
/** A leader or coordinator that moves is available again within seconds; on a busy machine, a new topic takes as long. */
const LEADER_MOVE_MS = 15_000;
/** Error codes while a leader or coordinator moves. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
]);

/**
 * Topics, offsets and groups through the admin client of kafkajs. One connection, opened by the first call and replaced after
 * a failed one; queries for offsets have their own connections. Every call rejects with MessagingError.
 */
export class KafkajsAdmin implements KafkaBrokerAdmin {
  readonly #createClient: CreateKafkajsClient;
  readonly #clientId: string;
  #current: Promise<{ admin: Admin; client: KafkajsClient }> | undefined;
  /** Clients that are connecting: kafkajs retries for seconds and cannot be aborted. */
  readonly #connecting = new Set<KafkajsClient>();
  #closed = false;

  constructor(createClient: CreateKafkajsClient, clientId: string) {
    this.#createClient = createClient;
    this.#clientId = clientId;
  }

  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]> {
    return this.#call('create topics', async (admin) => {
      const existing = new Set(await admin.listTopics());
      const missing = specs.filter(({ topic }) => !existing.has(topic));
      if (missing.length === 0) return [];
      const { brokers } = await admin.describeCluster();
      const topics = newTopics(missing, brokers.length).map(({ partitions, config, ...rest }) => ({
        ...rest,
        numPartitions: partitions,
        configEntries: config,
      }));
      try {
        // kafkajs' own wait for leaders fails on a broker that does not know the new topic yet.
        await admin.createTopics({ topics, timeout: CREATE_TIMEOUT_MS, waitForLeaders: false });
      } catch (error) {
        if (brokerErrorType(error) !== 'TOPIC_ALREADY_EXISTS') throw error;
      }
      await waitForLeaders(admin, missing);
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

  /** The answering broker may not know a new topic yet. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#call('partition counts', (admin) => partitionCounts(admin, topics));
  }

  offsets(topic: string): Promise<readonly { partition: number; low: number; high: number }[]> {
    return this.#callAlone(`offsets of ${topic}`, async (admin) => {
      // fetchTopicOffsets retries for seconds when the topic is missing.
      await existingTopics({ partitionCounts: (names) => partitionCounts(admin, names) }, [topic], {
        spreadMs: OFFSETS_SPREAD_MS,
      });
      return topicOffsets(admin, topic);
    });
  }

  /**
   * The high watermark of each partition: the next offset to be written, including transactions that are still open. A newly
   * elected leader answers only after it knows all acknowledged records.
   */
  highWatermarks(topic: string): Promise<readonly { partition: number; high: number }[]> {
    useIsolationLevelOfCall();
    return isolationLevels.run(READ_UNCOMMITTED, () => this.offsets(topic));
  }

  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]> {
    return this.#callAlone(`commits of ${groupId}`, (admin) => commits(admin, groupId, topics));
  }

  /** One connection for all groups, and one query after another, as the metadata of kafkajs requires. */
  groups(reads: readonly GroupReads[]): Promise<readonly GroupState[]> {
    return this.#callAlone('describe groups', async (admin) => {
      const groupIds = reads.map(({ groupId }) => groupId);
      const described = await admin.describeGroups(groupIds);
      const counts = await partitionCounts(
        admin,
        reads.flatMap(({ topics }) => topics),
      );
      const committed = new Map<string, readonly PartitionOffset[]>();
      for (const { groupId, topics } of reads) {
        const present = topics.filter((topic) => counts.has(topic));
        committed.set(groupId, present.length === 0 ? [] : await commits(admin, groupId, present));
      }
      const ranges = new Map<string, readonly PartitionRange[]>();
      for (const topic of counts.keys()) ranges.set(topic, await topicOffsets(admin, topic));
      return reads.map((read) =>
        groupState(read, {
          described: described.groups.find(({ groupId }) => groupId === read.groupId),
          commits: committed.get(read.groupId) ?? [],
          ranges,
          decode: decodeAssignment,
        }),
      );
    });
  }

  topicStates(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>> {
    return this.#call('describe topics', async (admin) => {
      const states = new Map<string, TopicState>();
      for (const [topic, partitions] of await partitionCounts(admin, topics)) {
        states.set(topic, {
          partitions,
          config: await retryTransient(() => topicConfiguration(admin, topic)),
        });
      }
      return states;
    });
  }

  /** Abandons a pending connection attempt without waiting for it. */
  async close(): Promise<void> {
    this.#closed = true;
    const isConnecting = this.#connecting.size > 0;
    for (const client of this.#connecting) client.connections.destroy();
    const discarded = this.#discard();
    if (!isConnecting) await discarded;
  }

  async #call<T>(what: string, query: (admin: Admin) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed(what);
    const current = (this.#current ??= this.#connect());
    try {
      const { admin } = await current;
      return await query(admin);
    } catch (error) {
      const isConnectionUsable = error instanceof MessagingError || isTopicUnknown(error);
      if (this.#current === current && !isConnectionUsable) void this.#discard();
      throw toMessagingError(what, error);
    }
  }

  /**
   * A call with its own connection, for queries that depend on the metadata of kafkajs: it keeps only the metadata of its last
   * query, so a concurrent call for another topic would make this one fail or miss partitions. A repetition connects anew,
   * because kafkajs does not look up the new leader after a refusal of the former one.
   */
  async #callAlone<T>(what: string, query: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      return await retryTransient(async () => {
        if (this.#closed) throw closed(what);
        const { admin, client } = await this.#connect();
        try {
          return await query(admin);
        } finally {
          client.connections.destroy();
          admin.disconnect().catch(() => undefined);
        }
      });
    } catch (error) {
      throw toMessagingError(what, error);
    }
  }

  async #connect(): Promise<{ admin: Admin; client: KafkajsClient }> {
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
      const connected = await current;
      connected?.client.connections.destroy();
      await connected?.admin.disconnect();
    } catch {
      // The connection is abandoned either way.
    }
  }
}

/** Resolves when every partition of the new topics has a leader. Rejects after CREATE_TIMEOUT_MS. */
async function waitForLeaders(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  const endsAt = performance.now() + CREATE_TIMEOUT_MS;
  for (const spec of specs) {
    while (!(await hasLeaders(admin, spec))) {
      if (performance.now() > endsAt) {
        const text = `${spec.topic} was created but has no leader yet`;
        throw new MessagingError('broker-unavailable', text, { canRetry: true });
      }
      await sleep(LEADER_POLL_MS);
    }
  }
}

/**
 * Repeats a query about an existing topic while a leader or coordinator moves, or while the answering broker does not know the
 * topic yet.
 */
async function retryTransient<T>(query: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + LEADER_MOVE_MS;
  for (;;) {
    try {
      return await query();
    } catch (error) {
      if (!TRANSIENT.has(brokerErrorType(error) ?? '') || performance.now() > endsAt) throw error;
      await sleep(LEADER_POLL_MS);
    }
  }
}

/** The retained part of each partition of a topic that exists. */
async function topicOffsets(
  admin: Admin,
  topic: string,
): Promise<{ partition: number; low: number; high: number }[]> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets
    .map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }))
    .toSorted((one, other) => one.partition - other.partition);
}

async function commits(
  admin: Admin,
  groupId: string,
  topics: readonly string[],
): Promise<readonly PartitionOffset[]> {
  const offsets = await admin.fetchOffsets({ groupId, topics: [...topics] });
  return offsets.flatMap(({ topic, partitions }) =>
    partitions
      .map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) }))
      .filter(({ offset }) => offset >= 0),
  );
}

function decodeAssignment(assignment: Buffer): TopicPartition[] {
  const decoded = AssignerProtocol.MemberAssignment.decode(assignment);
  return Object.entries(decoded?.assignment ?? {}).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}

async function hasLeaders(admin: Admin, { topic, partitions }: TopicSpec): Promise<boolean> {
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

/** The admin client of kafkajs always queries offsets with the level READ_COMMITTED; here the caller chooses the level. */
function useIsolationLevelOfCall(): void {
  const { prototype } = kafkajsModule('broker') as BrokerClass;
  replaceFunction(prototype, 'listOffsets', function listOffsetsAsCalled(listOffsets, request) {
    const isolationLevel = isolationLevels.getStore();
    return listOffsets.call(this, isolationLevel === undefined ? request : { ...request, isolationLevel });
  });
}

/** Queries topic by topic: with a missing one kafkajs rejects the whole query. */
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

async function topicConfiguration(admin: Admin, topic: string): Promise<ReadonlyMap<string, string>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
  });
  const entries = resources.flatMap(({ configEntries }) => configEntries);
  return new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
}

function closed(what: string): MessagingError {
  return new MessagingError('broker-unavailable', `${what}: the admin client is closed`, { canRetry: false });
}
