import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConfigResourceTypes,
  createTopicsV5,
  deleteTopicsV4,
  describeConfigsV2,
  describeGroupsV5,
  listOffsetsV5,
  offsetFetchV5,
} from '@platformatic/kafka';
import { MessagingError } from '../../../platform/errors.ts';
import { brokerErrorType, toMessagingError } from '../common/connection/errors.ts';
import type { KafkaBrokerAdmin } from '../common/kafka-broker.ts';
import { groupState, type DescribedGroup } from '../common/group-states.ts';
import { newTopics } from '../common/new-topics.ts';
import type { PartitionOffset } from '../../message.ts';
import type { GroupReads, GroupState, TopicSpec, TopicState } from '../../ports.ts';
import { existingTopics } from '../../topics/required-topics.ts';
import { answerOf, type CreatePlatformaticClient, type PlatformaticClient } from './connection/client.ts';
import { clusterMetadata, findCoordinator, type ClusterMetadata } from './connection/cluster.ts';
import type { BrokerAddress } from './connection/connections.ts';
import { brokerError, brokerErrorName } from './connection/errors.ts';
import { decodeAssignment } from './consuming/group-protocol.ts';

/** Time limit of the request that creates or deletes topics, and for the leaders of new topics. */
const CREATE_TIMEOUT_MS = 15_000;
/** The broker that answers a query for offsets knows a new topic within this time. */
const OFFSETS_SPREAD_MS = 2_000;
/** Prefix of the broker's internal topics. */
const INTERNAL_PREFIX = '__';
/** A new topic has its leaders after about 10 ms on an idle broker. */
const POLL_MS = 50;
/** How long a call is repeated while no broker can be reached: its callers repeat it too. */
const RECONNECT_MS = 5_000;
/** A leader, coordinator or controller that moves is available again within seconds, on a busy machine too. */
const MOVE_MS = 15_000;
/** Errors while one of them moves, or while the answering broker does not know a new topic. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'NOT_LEADER_OR_FOLLOWER',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR',
  'NOT_CONTROLLER',
]);
/** Errors of a topic in metadata that mean that it does not exist, or that this client may not see it. */
const MISSING: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_AUTHORIZATION_FAILED',
]);

/** Versions that Kafka 2.4 to 4 supports; newer ones only add fields that are not used here. */
const CREATE_TOPICS = [createTopicsV5.api];
const DELETE_TOPICS = [deleteTopicsV4.api];
const DESCRIBE_CONFIGS = [describeConfigsV2.api];
const DESCRIBE_GROUPS = [describeGroupsV5.api];
const LIST_OFFSETS = [listOffsetsV5.api];
const OFFSET_FETCH = [offsetFetchV5.api];

/** Kafka's number for a client among the replicas. */
const NO_REPLICA = -1;
/** Kafka's numbers for isolation levels, and for the first and the next offset of a partition instead of a time. */
const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;
const EARLIEST = -2n;
const LATEST = -1n;
/** The client does not know which epoch the leader is in, and the leader does not check it. */
const NO_EPOCH = -1;

/**
 * Topics, offsets and groups. One client, whose connections are opened by the first call. Every call rejects with
 * MessagingError.
 */
export class PlatformaticAdmin implements KafkaBrokerAdmin {
  readonly #client: PlatformaticClient;
  #closed = false;

  constructor(createClient: CreatePlatformaticClient, clientId: string) {
    this.#client = createClient({ clientId, requestTimeoutMs: CREATE_TIMEOUT_MS });
  }

  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]> {
    return this.#call('create topics', async (client) => {
      const { topics: existing, brokers, controller } = await clusterMetadata(client);
      const missing = specs.filter(({ topic }) => !existing.has(topic));
      if (missing.length === 0) return [];
      const wanted = newTopics(missing, brokers.size).map(({ topic, partitions, config, ...rest }) => ({
        ...rest,
        name: topic,
        numPartitions: partitions,
        assignments: [],
        configs: config,
      }));
      const { topics } = await answerOf(
        client.send(known(controller), CREATE_TOPICS, wanted, CREATE_TIMEOUT_MS, false),
      );
      const failed = topics.find(
        ({ errorCode }) => errorCode !== 0 && brokerErrorName(errorCode) !== 'TOPIC_ALREADY_EXISTS',
      );
      if (failed !== undefined) throw brokerError(failed.errorCode, failed.errorMessage);
      await waitForLeaders(client, missing);
      return missing.map(({ topic }) => topic);
    });
  }

  deleteTopics(topics: readonly string[]): Promise<void> {
    return this.#call('delete topics', async (client) => {
      const { topics: existing, controller } = await clusterMetadata(client);
      const present = topics.filter((topic) => existing.has(topic)).map((name) => ({ name }));
      if (present.length > 0) await client.send(known(controller), DELETE_TOPICS, present, CREATE_TIMEOUT_MS);
    });
  }

  listTopics(): Promise<readonly string[]> {
    return this.#call('list topics', async (client) => {
      const { topics } = await clusterMetadata(client);
      return [...topics.keys()].filter((topic) => !topic.startsWith(INTERNAL_PREFIX));
    });
  }

  /** The answering broker may not know a new topic yet. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#call('partition counts', (client) => partitionCounts(client, topics));
  }

  offsets(topic: string): Promise<readonly { partition: number; low: number; high: number }[]> {
    return this.#offsets(topic, READ_COMMITTED);
  }

  /**
   * The high watermark of each partition: the next offset to be written, including transactions that are still open. A newly
   * elected leader answers only after it knows all acknowledged records.
   */
  highWatermarks(topic: string): Promise<readonly { partition: number; high: number }[]> {
    return this.#offsets(topic, READ_UNCOMMITTED);
  }

  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]> {
    return this.#call(`commits of ${groupId}`, async (client) => {
      const coordinator = await findCoordinator(client, groupId);
      const answer = await client.send(coordinator, OFFSET_FETCH, [{ groupId, topics: null }], false);
      return (answer.groups[0]?.topics ?? answer.topics)
        .filter(({ name }) => topics.includes(name))
        .flatMap(({ name, partitions }) =>
          partitions
            .map(({ partitionIndex, committedOffset }) => ({
              topic: name,
              partition: partitionIndex,
              offset: Number(committedOffset),
            }))
            .filter(({ offset }) => offset >= 0),
        );
    });
  }

  groups(reads: readonly GroupReads[]): Promise<readonly GroupState[]> {
    return this.#call('describe groups', async (client) => {
      const counts = await partitionCounts(
        client,
        reads.flatMap(({ topics }) => topics),
      );
      const found = await Promise.all(
        reads.map(async (read) => {
          const described = await describeGroup(client, read.groupId);
          return { read, described, commits: await this.committed(read.groupId, read.topics) };
        }),
      );
      const ranges = new Map(
        await Promise.all(
          [...counts.keys()].map(async (topic) => [topic, await this.offsets(topic)] as const),
        ),
      );
      return found.map(({ read, ...answers }) =>
        groupState(read, { ...answers, ranges, decode: decodeAssignment }),
      );
    });
  }

  topicStates(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>> {
    return this.#call('describe topics', async (client) => {
      const counts = await partitionCounts(client, topics);
      const resources = [...counts.keys()].map((topic) => ({
        resourceType: ConfigResourceTypes.TOPIC,
        resourceName: topic,
        configurationKeys: null,
      }));
      if (resources.length === 0) return new Map();
      const { results } = await client.sendToAny(DESCRIBE_CONFIGS, resources, false, false);
      return new Map(
        results.map(({ resourceName, configs }) => [
          resourceName,
          {
            partitions: counts.get(resourceName) ?? 0,
            config: new Map(configs.map(({ name, value }) => [name, value ?? ''])),
          },
        ]),
      );
    });
  }

  /** Abandons pending calls without waiting for them. */
  close(): Promise<void> {
    this.#closed = true;
    this.#client.destroy();
    return Promise.resolve();
  }

  #offsets(
    topic: string,
    isolationLevel: number,
  ): Promise<readonly { partition: number; low: number; high: number }[]> {
    return this.#call(`offsets of ${topic}`, async (client) => {
      const counting = { partitionCounts: (names: readonly string[]) => partitionCounts(client, names) };
      await existingTopics(counting, [topic], { spreadMs: OFFSETS_SPREAD_MS });
      const metadata = await clusterMetadata(client, [topic]);
      const [lows, highs] = await Promise.all([
        listOffsets(client, metadata, { topic, timestamp: EARLIEST, isolationLevel }),
        listOffsets(client, metadata, { topic, timestamp: LATEST, isolationLevel }),
      ]);
      return highs.map((high, partition) => ({ partition, low: lows[partition] ?? 0, high }));
    });
  }

  /**
   * Repeats a query while a leader or coordinator moves or no broker can be reached. All queries may be repeated: topics that
   * exist are not created again.
   */
  async #call<T>(what: string, query: (client: PlatformaticClient) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (;;) {
      if (this.#closed) {
        const text = `${what}: the admin client is closed`;
        throw new MessagingError('broker-unavailable', text, { canRetry: false });
      }
      try {
        return await query(this.#client);
      } catch (error) {
        const isFinal = performance.now() - startedAt > retryLimitMs(error);
        if (isFinal && !this.#closed) throw toMessagingError(what, error);
      }
      await sleep(POLL_MS);
    }
  }
}

async function describeGroup(
  client: PlatformaticClient,
  groupId: string,
): Promise<DescribedGroup | undefined> {
  const coordinator = await findCoordinator(client, groupId);
  const { groups } = await client.send(coordinator, DESCRIBE_GROUPS, [groupId], false);
  const [group] = groups;
  return group === undefined ? undefined : { state: group.groupState, members: group.members };
}

/** How long a query is repeated after this error; less than 0: not at all. */
function retryLimitMs(error: unknown): number {
  if (error instanceof MessagingError) return -1;
  const type = brokerErrorType(error);
  if (type !== undefined) return TRANSIENT.has(type) ? MOVE_MS : -1;
  return toMessagingError('', error).code === 'broker-unavailable' ? RECONNECT_MS : -1;
}

/** Resolves when every partition of the new topics has a leader. Rejects after CREATE_TIMEOUT_MS. */
async function waitForLeaders(client: PlatformaticClient, specs: readonly TopicSpec[]): Promise<void> {
  const endsAt = performance.now() + CREATE_TIMEOUT_MS;
  const names = specs.map(({ topic }) => topic);
  for (;;) {
    const { topics } = await clusterMetadata(client, names);
    const late = specs.find(({ topic, partitions }) => {
      const { leaders = [] } = topics.get(topic) ?? {};
      return leaders.length < partitions || leaders.some((leader) => leader < 0);
    });
    if (late === undefined) return;
    if (performance.now() > endsAt) {
      const text = `${late.topic} was created but has no leader yet`;
      throw new MessagingError('broker-unavailable', text, { canRetry: true });
    }
    await sleep(POLL_MS);
  }
}

async function partitionCounts(
  client: PlatformaticClient,
  topics: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  if (topics.length === 0) return counts;
  const metadata = await clusterMetadata(client, [...new Set(topics)]);
  for (const [topic, { error, leaders }] of metadata.topics) {
    if (leaders.length > 0) counts.set(topic, leaders.length);
    else if (error !== undefined && !MISSING.has(error)) throw brokerError(error);
  }
  return counts;
}

/** The offset of each partition at a time, from the leaders. Rejects with the error of a partition. */
async function listOffsets(
  client: PlatformaticClient,
  { brokers, topics }: ClusterMetadata,
  {
    topic,
    timestamp,
    isolationLevel,
  }: { readonly topic: string; readonly timestamp: bigint; readonly isolationLevel: number },
): Promise<number[]> {
  const { leaders = [] } = topics.get(topic) ?? {};
  const offsets: number[] = [];
  await Promise.all(
    [...new Set(leaders)].map(async (leader) => {
      const partitions = [...leaders.keys()]
        .filter((partition) => leaders[partition] === leader)
        .map((partitionIndex) => ({ partitionIndex, currentLeaderEpoch: NO_EPOCH, timestamp }));
      const wanted = [{ name: topic, partitions }];
      const answer = await client.send(
        known(brokers.get(leader)),
        LIST_OFFSETS,
        NO_REPLICA,
        isolationLevel,
        wanted,
      );
      for (const found of answer.topics.flatMap((one) => one.partitions)) {
        offsets[found.partitionIndex] = Number(found.offset);
      }
    }),
  );
  return offsets;
}

/** Throws the error of a moving leader if the broker is not known. */
function known(broker: BrokerAddress | undefined): BrokerAddress {
  if (broker === undefined) throw brokerError('LEADER_NOT_AVAILABLE');
  return broker;
}
