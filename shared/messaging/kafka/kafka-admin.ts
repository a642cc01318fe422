import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs, { AssignerProtocol, type Admin, type GroupDescription, type ITopicConfig } from 'kafkajs';
import { MessagingError } from '../../platform/errors.ts';
import type { PartitionOffset, TopicPartition } from '../message.ts';
import type { BrokerAdmin, GroupReads, GroupState, PartitionRange, TopicSpec, TopicState } from '../ports.ts';
import { existingTopics } from '../topics/check-topics.ts';
import { brokerErrorType, isTopicUnknown, toMessagingError } from './kafka-errors.ts';
import type { CreateKafkajsClient, KafkajsClient } from './kafkajs-client.ts';

const RETRY = { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 };
const CREATE_TIMEOUT_MS = 15_000;
const WANTED_REPLICAS = 3;
/** Of three replicas, two must have a record before it counts as stored: one broker may fail without loss. */
const MIN_IN_SYNC_REPLICAS = '2';
const RETRY_MS = 50;
/** A call is repeated for this long if no broker can be reached. */
const UNREACHED_LIMIT_MS = 5_000;
/** A call is repeated for this long if a broker answers with an error: leaders may be moving, or a topic may be new. */
const RETRY_LIMIT_MS = 15_000;
/** Every broker learns of a new topic within this time. */
const SPREAD_MS = 2_000;

/** Each attempt has a new client, because kafkajs does not look up new leaders. It is safe to repeat createTopics(). */
export class KafkaAdmin implements BrokerAdmin {
  readonly #createClient: CreateKafkajsClient;
  readonly #clientId: string;
  readonly #open = new Set<KafkajsClient>();
  #isClosed = false;

  constructor(createClient: CreateKafkajsClient, clientId: string) {
    this.#createClient = createClient;
    this.#clientId = clientId;
  }

  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]> {
    /** Topics that the first attempt found missing. It may have created them although it failed. */
    let missing: readonly TopicSpec[] | undefined;
    const create = async (admin: Admin): Promise<readonly string[]> => {
      const existing = new Set(await admin.listTopics());
      const absent = specs.filter(({ topic }) => !existing.has(topic));
      missing ??= absent;
      if (absent.length > 0) {
        const { brokers } = await admin.describeCluster();
        await admin.createTopics({ topics: newTopics(absent, brokers.length), timeout: CREATE_TIMEOUT_MS });
      }
      if (missing.length > 0) await checkLeaders(admin, missing);
      return missing.map(({ topic }) => topic);
    };
    return this.#call('create topics', create);
  }

  listTopics(): Promise<readonly string[]> {
    return this.#call('list topics', async (admin) => {
      const topics = await admin.listTopics();
      return topics.filter((topic) => !topic.startsWith('__'));
    });
  }

  /** A new topic may be left out, because brokers learn of it with a delay. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#call('partition counts', (admin) => partitionCounts(admin, topics));
  }

  /** No acknowledged record is missed: a new leader answers only when it knows all of them. */
  async offsets(topic: string): Promise<readonly PartitionRange[]> {
    await existingTopics(this, [topic], { spreadMs: SPREAD_MS });
    return this.#call(`offsets of ${topic}`, (admin) => ranges(admin, topic));
  }

  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]> {
    return this.#call(`commits of ${groupId}`, (admin) => commits(admin, { groupId, topics }));
  }

  groups(reads: readonly GroupReads[]): Promise<readonly GroupState[]> {
    return this.#call('describe groups', async (admin) => {
      const named = reads.flatMap(({ topics }) => topics);
      const known = new Map<string, readonly PartitionRange[]>();
      for (const topic of (await partitionCounts(admin, named)).keys())
        known.set(topic, await ranges(admin, topic));
      const { groups } = await admin.describeGroups(reads.map(({ groupId }) => groupId));
      const states: GroupState[] = [];
      for (const { groupId, topics: all } of reads) {
        const topics = all.filter((topic) => known.has(topic));
        const committed = topics.length === 0 ? [] : await commits(admin, { groupId, topics });
        const partitions = topics.flatMap((topic) =>
          (known.get(topic) ?? []).map((range) => {
            const own = committed.find((one) => one.topic === topic && one.partition === range.partition);
            return { topic, ...range, ...(own === undefined ? {} : { committed: own.offset }) };
          }),
        );
        const described = groups.find((one) => one.groupId === groupId);
        states.push({ groupId, partitions, ...membersOf(described) });
      }
      return states;
    });
  }

  topicStates(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>> {
    return this.#call('describe topics', async (admin) => {
      const counts = await partitionCounts(admin, topics);
      if (counts.size === 0) return new Map<string, TopicState>();
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [...counts.keys()].map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
      });
      return new Map(
        resources.map(({ resourceName, configEntries }) => {
          const config = new Map(
            configEntries.map(({ configName, configValue }) => [configName, configValue]),
          );
          return [resourceName, { partitions: counts.get(resourceName) ?? 0, config }];
        }),
      );
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const { connections } of this.#open) connections.destroy();
  }

  async #call<T>(what: string, query: (admin: Admin) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    while (!this.#isClosed) {
      try {
        return await this.#attempt(query);
      } catch (error) {
        const failure = toMessagingError(what, error);
        const type = brokerErrorType(error);
        const limitMs = type === undefined ? UNREACHED_LIMIT_MS : RETRY_LIMIT_MS;
        const isTemporary = failure.canRetry || type === 'UNKNOWN_TOPIC_OR_PARTITION';
        const isFinal = failure === error || !isTemporary || performance.now() - startedAt > limitMs;
        if (isFinal && !this.#isClosed) throw failure;
      }
      await sleep(RETRY_MS);
    }
    const text = `${what}: the admin client is closed`;
    throw new MessagingError('broker-unavailable', text, { canRetry: false });
  }

  async #attempt<T>(query: (admin: Admin) => Promise<T>): Promise<T> {
    const client = this.#createClient({ clientId: this.#clientId, retry: RETRY });
    const admin = client.kafka.admin();
    this.#open.add(client);
    try {
      await admin.connect();
      return await query(admin);
    } finally {
      this.#open.delete(client);
      client.connections.destroy();
      admin.disconnect().catch(() => undefined);
    }
  }
}

/** Throws while a starting cluster lacks brokers, so that no topic gets fewer replicas than wanted. Callers retry. */
function newTopics(specs: readonly TopicSpec[], liveBrokers: number): ITopicConfig[] {
  const wanted = Math.max(...specs.map(({ replicationFactor = 1 }) => replicationFactor));
  if (liveBrokers < wanted) {
    const text = `new topics get ${wanted} replicas, but only ${liveBrokers} brokers are available; for fewer replicas, list fewer brokers in KAFKA_BROKERS`;
    throw new MessagingError('broker-unavailable', text, { canRetry: true });
  }
  const replicas = Math.min(WANTED_REPLICAS, liveBrokers);
  return specs.map(({ topic, partitions, config, replicationFactor = replicas }) => {
    const inSync =
      replicationFactor >= WANTED_REPLICAS ? { 'min.insync.replicas': MIN_IN_SYNC_REPLICAS } : {};
    const configEntries = Object.entries({ ...inSync, ...config }).map(([name, value]) => ({ name, value }));
    return { topic, numPartitions: partitions, replicationFactor, configEntries };
  });
}

async function checkLeaders(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  const { topics } = await admin.fetchTopicMetadata({ topics: specs.map(({ topic }) => topic) });
  const late = topics.find(({ partitions }) => partitions.some(({ leader }) => leader < 0));
  if (late !== undefined) throw new Error(`${late.name} was created but has no leaders yet`);
}

/** Queries one topic at a time: kafkajs rejects a query for several topics if one is missing. */
async function partitionCounts(admin: Admin, topics: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const topic of new Set(topics)) {
    try {
      const [found] = (await admin.fetchTopicMetadata({ topics: [topic] })).topics;
      if (found !== undefined) counts.set(topic, found.partitions.length);
    } catch (error) {
      if (!isTopicUnknown(error)) throw error;
    }
  }
  return counts;
}

async function ranges(admin: Admin, topic: string): Promise<readonly PartitionRange[]> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets
    .map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }))
    .toSorted((one, other) => one.partition - other.partition);
}

async function commits(admin: Admin, { groupId, topics }: GroupReads): Promise<readonly PartitionOffset[]> {
  const found = await admin.fetchOffsets({ groupId, topics: [...topics] });
  return found
    .flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })),
    )
    .filter(({ offset }) => offset >= 0);
}

function membersOf(described: GroupDescription | undefined): Pick<GroupState, 'state' | 'members'> {
  const members = (described?.members ?? []).map(({ memberId, clientId, clientHost, memberAssignment }) => ({
    memberId,
    clientId,
    host: clientHost.replace(/^\//, ''),
    assigned: decodeAssignment(memberAssignment),
  }));
  if (members.length === 0) return { state: 'empty', members };
  return { state: described?.state === 'Stable' ? 'stable' : 'rebalancing', members };
}

/** Empty during a rebalance, when members have no assignment. */
function decodeAssignment(assignment: Buffer): TopicPartition[] {
  const decoded = assignment.length === 0 ? null : AssignerProtocol.MemberAssignment.decode(assignment);
  return Object.entries(decoded?.assignment ?? {}).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}
