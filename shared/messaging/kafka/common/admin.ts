import { setTimeout as sleep } from 'node:timers/promises';
import { MessagingError } from '../../../platform/errors.ts';
import type { PartitionOffset, TopicPartition } from '../../message.ts';
import type {
  BrokerAdmin,
  GroupReads,
  GroupState,
  PartitionRange,
  TopicSpec,
  TopicState,
} from '../../ports.ts';
import { existingTopics } from '../../topics/required-topics.ts';
import { brokerErrorType, toMessagingError } from './connection/errors.ts';
import { newTopics, type NewTopic } from './new-topics.ts';

/** Time limit of the request that creates topics, and for the leaders of new topics. */
export const CREATE_TIMEOUT_MS = 15_000;
/** The broker that answers a query for offsets knows a new topic within this time. */
const OFFSETS_SPREAD_MS = 2_000;
/** Prefix of the broker's internal topics. */
const INTERNAL_PREFIX = '__';
/** A new topic has its leaders after about 10 ms on an idle broker. */
const POLL_MS = 50;
/** How long a call is repeated while no broker can be reached: its callers repeat it too. */
const RECONNECT_MS = 5_000;
/** A leader, coordinator or controller that moves is available again within seconds; on a busy machine, a new topic takes as long. */
const LEADER_MOVE_MS = 15_000;
/** Errors while one of them moves, or while the answering broker does not know a new topic, by the names of both clients. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'NOT_LEADER_OR_FOLLOWER',
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'GROUP_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR',
  'NOT_COORDINATOR_FOR_GROUP',
  'NOT_CONTROLLER',
]);

/** A group as Kafka describes it. */
export interface DescribedGroup {
  /** Such as Stable, PreparingRebalance or Dead. */
  readonly state: string;
  readonly members: readonly {
    readonly memberId: string;
    readonly clientId: string;
    readonly clientHost: string;
    readonly assigned: readonly TopicPartition[];
  }[];
}

/** The requests of a client library. All reject with its errors. */
export interface AdminRequests {
  topics(): Promise<readonly string[]>;
  liveBrokers(): Promise<number>;
  /** Node id of each partition's leader, -1 where there is none; topics that do not exist, or that this client may not see, are absent. */
  leaders(topics: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Topics that exist already are no error. */
  create(topics: readonly NewTopic[]): Promise<void>;
  /** The end of a partition is before its first open transaction. */
  offsets(topic: string): Promise<readonly PartitionRange[]>;
  /** Offsets of a group in these topics; -1 where it has none. */
  commits(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]>;
  describe(groupId: string): Promise<DescribedGroup | undefined>;
  configuration(topics: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>>;
}

/** Gives the requests of a client library to a call, on a connection that works. */
export interface AdminConnection {
  use<T>(call: (requests: AdminRequests) => Promise<T>): Promise<T>;
  /** Pending calls are abandoned. */
  close(): void;
}

/**
 * Topics, offsets and groups. A call is repeated while a leader or coordinator moves or no broker can be reached: all may be repeated,
 * since topics that exist are not created again. Every call rejects with MessagingError.
 */
export class KafkaAdmin implements BrokerAdmin {
  readonly #connection: AdminConnection;
  #isClosed = false;

  constructor(connection: AdminConnection) {
    this.#connection = connection;
  }

  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]> {
    /** Those that did not exist at the first attempt, whose reply may have been late. */
    let missing: readonly TopicSpec[] | undefined;
    const create = async (requests: AdminRequests): Promise<readonly string[]> => {
      const existing = new Set(await requests.topics());
      const absent = specs.filter(({ topic }) => !existing.has(topic));
      missing ??= absent;
      if (missing.length === 0) return [];
      if (absent.length > 0) await requests.create(newTopics(absent, await requests.liveBrokers()));
      await waitForLeaders(requests, missing);
      return missing.map(({ topic }) => topic);
    };
    return this.#call('create topics', create, CREATE_TIMEOUT_MS);
  }

  listTopics(): Promise<readonly string[]> {
    return this.#call('list topics', async (requests) => {
      const topics = await requests.topics();
      return topics.filter((topic) => !topic.startsWith(INTERNAL_PREFIX));
    });
  }

  /** The answering broker may not know a new topic yet. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#call('partition counts', (requests) => partitionCounts(requests, topics));
  }

  /** A newly elected leader answers only after it knows all acknowledged records. */
  offsets(topic: string): Promise<readonly PartitionRange[]> {
    return this.#call(`offsets of ${topic}`, async (requests) => {
      const counting = { partitionCounts: (names: readonly string[]) => partitionCounts(requests, names) };
      await existingTopics(counting, [topic], { spreadMs: OFFSETS_SPREAD_MS });
      return ranges(requests, topic);
    });
  }

  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]> {
    return this.#call(`commits of ${groupId}`, (requests) => commits(requests, { groupId, topics }));
  }

  groups(reads: readonly GroupReads[]): Promise<readonly GroupState[]> {
    return this.#call('describe groups', async (requests) => {
      const counts = await partitionCounts(
        requests,
        reads.flatMap(({ topics }) => topics),
      );
      const found = new Map<string, readonly PartitionRange[]>();
      for (const topic of counts.keys()) found.set(topic, await ranges(requests, topic));
      const states: GroupState[] = [];
      for (const read of reads) {
        const topics = read.topics.filter((topic) => counts.has(topic));
        const committed = topics.length === 0 ? [] : await commits(requests, { ...read, topics });
        states.push(groupState(read, found, { described: await requests.describe(read.groupId), committed }));
      }
      return states;
    });
  }

  topicStates(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>> {
    return this.#call('describe topics', async (requests) => {
      const counts = await partitionCounts(requests, topics);
      const configuration = counts.size === 0 ? new Map() : await requests.configuration([...counts.keys()]);
      return new Map(
        [...counts].map(([topic, partitions]) => [
          topic,
          { partitions, config: configuration.get(topic) ?? new Map() },
        ]),
      );
    });
  }

  /** Abandons pending calls without waiting for them. */
  close(): void {
    this.#isClosed = true;
    this.#connection.close();
  }

  async #call<T>(
    what: string,
    query: (requests: AdminRequests) => Promise<T>,
    reconnectMs = RECONNECT_MS,
  ): Promise<T> {
    const startedAt = performance.now();
    for (;;) {
      if (this.#isClosed) {
        const text = `${what}: the admin client is closed`;
        throw new MessagingError('broker-unavailable', text, { canRetry: false });
      }
      try {
        return await this.#connection.use(query);
      } catch (error) {
        const isFinal = performance.now() - startedAt > retryLimitMs(error, reconnectMs);
        if (isFinal && !this.#isClosed) throw toMessagingError(what, error);
      }
      await sleep(POLL_MS);
    }
  }
}

/** How long a query is repeated after this error; less than 0: not at all. */
function retryLimitMs(error: unknown, reconnectMs: number): number {
  if (error instanceof MessagingError) return -1;
  const type = brokerErrorType(error);
  if (type !== undefined) return TRANSIENT.has(type) ? LEADER_MOVE_MS : -1;
  return toMessagingError('', error).code === 'broker-unavailable' ? reconnectMs : -1;
}

/** Resolves when every partition of the new topics has a leader. Rejects after CREATE_TIMEOUT_MS. */
async function waitForLeaders(requests: AdminRequests, specs: readonly TopicSpec[]): Promise<void> {
  const endsAt = performance.now() + CREATE_TIMEOUT_MS;
  const names = specs.map(({ topic }) => topic);
  for (;;) {
    const known = await requests.leaders(names).catch(noneWhileMoving);
    const late = specs.find(({ topic, partitions }) => {
      const leaders = known.get(topic) ?? [];
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

function noneWhileMoving(error: unknown): ReadonlyMap<string, readonly number[]> {
  if (TRANSIENT.has(brokerErrorType(error) ?? '')) return new Map();
  throw error;
}

async function partitionCounts(
  requests: AdminRequests,
  topics: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (topics.length === 0) return new Map();
  const known = await requests.leaders([...new Set(topics)]);
  return new Map([...known].map(([topic, leaders]) => [topic, leaders.length]));
}

async function ranges(requests: AdminRequests, topic: string): Promise<readonly PartitionRange[]> {
  const offsets = await requests.offsets(topic);
  return offsets.toSorted((one, other) => one.partition - other.partition);
}

async function commits(
  requests: AdminRequests,
  { groupId, topics }: GroupReads,
): Promise<readonly PartitionOffset[]> {
  const found = await requests.commits(groupId, topics);
  return found.filter(({ topic, offset }) => offset >= 0 && topics.includes(topic));
}

/** The state of a group from the answers of its brokers. */
function groupState(
  { groupId, topics }: GroupReads,
  known: ReadonlyMap<string, readonly PartitionRange[]>,
  answers: {
    readonly described: DescribedGroup | undefined;
    readonly committed: readonly PartitionOffset[];
  },
): GroupState {
  const { state, members: found } = answers.described ?? { state: 'Dead', members: [] };
  const members = found.map(({ clientHost, ...member }) => ({
    ...member,
    host: clientHost.replace(/^\//, ''),
  }));
  const partitions = topics.flatMap((topic) =>
    (known.get(topic) ?? []).map(({ partition, low, high }) => {
      const { offset } =
        answers.committed.find((one) => one.topic === topic && one.partition === partition) ?? {};
      return { topic, partition, low, high, ...(offset === undefined ? {} : { committed: offset }) };
    }),
  );
  if (members.length === 0) return { groupId, state: 'empty', members, partitions };
  return { groupId, state: state === 'Stable' ? 'stable' : 'rebalancing', members, partitions };
}
