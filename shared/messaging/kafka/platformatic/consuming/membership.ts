import { Consumer, offsetCommitV7 } from '@platformatic/kafka';
import type { ConsumerGroupJoinPayload } from '@platformatic/kafka';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicLeaders } from '../../common/consuming/fetch.ts';
import type {
  CreateMembership,
  Membership,
  MembershipListener,
  MembershipOptions,
} from '../../common/consuming/group-source.ts';
import { consumerUsed } from '../../../broker-errors.ts';
import type { PartitionOffset, TopicPartition } from '../../../message.ts';
import {
  ANSWER_TIMEOUT_MS,
  closeNow,
  ignoreConnectionErrors,
  type LibraryOptions,
} from '../connection/client.ts';

/** A member notices a rebalance within this time. */
const HEARTBEAT_INTERVAL_MS = 1_000;
/** How long a rebalance waits for a member that sends heartbeats and does not join: those of this adapter join at once. */
const REBALANCE_TIMEOUT_MS = 10_000;
/** The library repeats a request to the coordinator this often, also a join during which another member joins. */
const RETRIES = 10;
const RETRY_INTERVAL_MS = 200;
/** Heartbeats do not wait for metadata, which a broker that does not answer may be asked for; onLeaders() notices new partitions. */
const METADATA_MAX_AGE_MS = 600_000;
/**
 * Name and version of the assignor of kafkajs: members of both adapters are in one group while KAFKA_CLIENT is changed process by
 * process.
 */
const ASSIGNOR = { name: 'RoundRobinAssigner', version: 0, metadata: Buffer.alloc(0) };
/** No static membership: members that leave and come back get a new id. */
const NO_INSTANCE_ID = null;
const NO_LEADER_EPOCH = -1;

export function platformaticMemberships(libraryOptions: LibraryOptions): CreateMembership {
  return (options, listener) => new PlatformaticMembership(options, libraryOptions, listener);
}

/** A consumer of the library that never fetches: it joins, divides the partitions and sends heartbeats. */
class PlatformaticMembership implements Membership {
  readonly #options: MembershipOptions;
  readonly #libraryOptions: LibraryOptions;
  readonly #listener: MembershipListener;
  #consumer: Consumer | undefined;
  #hasLeft = false;
  /** This member's part in a generation of its group, by Kafka's count. */
  #generation: { readonly generationId: number; readonly memberId: string } | undefined;
  /** Partitions by topic as this member divided them; undefined if another member is the leader of the group. */
  #divided: ReadonlyMap<string, number> | undefined;

  constructor(options: MembershipOptions, libraryOptions: LibraryOptions, listener: MembershipListener) {
    this.#options = options;
    this.#libraryOptions = libraryOptions;
    this.#listener = listener;
  }

  async join(): Promise<void> {
    const { clientId, groupId } = this.#options;
    const options = await this.#libraryOptions(clientId, groupId);
    if (this.#hasLeft) throw consumerUsed(clientId);
    const consumer = this.#makeConsumer(options);
    this.#consumer = consumer;
    await consumer.joinGroup({});
  }

  async committed(partitions: readonly TopicPartition[]): Promise<readonly PartitionOffset[]> {
    const topics = [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, list]) => ({
      topic,
      partitions: list.map(({ partition }) => partition),
    }));
    const found = (await this.#consumer?.listCommittedOffsets({ topics })) ?? new Map();
    return partitions.map(({ topic, partition }) => {
      return { topic, partition, offset: Number(found.get(topic)?.[partition] ?? -1) };
    });
  }

  async commit(offsets: readonly PartitionOffset[]): Promise<void> {
    const [consumer, generation] = [this.#consumer, this.#generation];
    const coordinator = consumer?.currentMetadata?.brokers.get(consumer.coordinatorId ?? -1);
    const connection = coordinator && consumer?.connections.getEstablishedConnection(coordinator);
    if (connection?.isConnected() !== true || generation === undefined) {
      throw new Error('the coordinator is not connected');
    }
    const topics = [...Map.groupBy(offsets, ({ topic }) => topic)].map(([name, list]) => ({
      name,
      partitions: list.map(({ partition, offset }) => ({
        partitionIndex: partition,
        committedOffset: BigInt(offset),
        committedLeaderEpoch: NO_LEADER_EPOCH,
        committedMetadata: null,
      })),
    }));
    const { groupId } = this.#options;
    const { generationId, memberId } = generation;
    await offsetCommitV7.api.async(connection, groupId, generationId, memberId, NO_INSTANCE_ID, topics);
  }

  /** The leader of the group divides the partitions anew when their number has changed. */
  onLeaders(topics: TopicLeaders): void {
    const [divided, consumer] = [this.#divided, this.#consumer];
    if (divided === undefined || consumer === undefined) return;
    // A topic that was deleted has none; it may be created again with fewer.
    const hasOthers = [...topics].some(
      ([topic, { leaders }]) => leaders.length > 0 && leaders.length !== (divided.get(topic) ?? 0),
    );
    if (!hasOthers) return;
    this.#listener.onRebalancing();
    consumer.clearMetadata();
    consumer.joinGroup({}).catch((error: unknown) => this.#listener.onLost(error));
  }

  async leave(timeoutMs: number): Promise<void> {
    this.#hasLeft = true;
    const consumer = this.#consumer;
    if (consumer === undefined) return;
    const timeout = new AbortController();
    const timer = sleep(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([consumer.close(true).catch(() => undefined), timer]);
    timeout.abort();
    closeNow(consumer);
  }

  #makeConsumer(options: Awaited<ReturnType<LibraryOptions>>): Consumer {
    const { groupId, topics, sessionTimeoutMs } = this.#options;
    const consumer = new Consumer({
      ...options,
      groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_INTERVAL_MS,
      // Without an accepted heartbeat for this time the group has expelled this member.
      heartbeatStallTimeout: sessionTimeoutMs,
      requestTimeout: REBALANCE_TIMEOUT_MS + ANSWER_TIMEOUT_MS,
      metadataMaxAge: METADATA_MAX_AGE_MS,
      retries: RETRIES,
      retryDelay: RETRY_INTERVAL_MS,
      protocols: [ASSIGNOR],
      assignmentUserData: Buffer.alloc(0),
    });
    ignoreConnectionErrors(consumer);
    consumer.topics.trackAll(...topics);
    const afterJoin = (call: (error: unknown) => void) => (error: unknown) => {
      if (!this.#hasLeft && this.#generation !== undefined) call(error);
    };
    const onLost = afterJoin((error) => this.#listener.onLost(error));
    consumer.on('consumer:group:join', (payload) => this.#onJoined(consumer, payload));
    consumer.on(
      'consumer:group:rebalance',
      afterJoin(() => this.#listener.onRebalancing()),
    );
    consumer.on('consumer:heartbeat:stalled', () => {
      onLost(new Error('the coordinator accepts no heartbeat'));
    });
    // A join of the library has failed.
    consumer.on('error', onLost);
    return consumer;
  }

  #onJoined(
    consumer: Consumer,
    { assignments = [], generationId = 0, memberId, isLeader }: ConsumerGroupJoinPayload,
  ): void {
    if (this.#hasLeft) return;
    const known = consumer.currentMetadata?.topics ?? new Map();
    const divided = new Map([...known].map(([topic, { partitionsCount }]) => [topic, partitionsCount]));
    // Before the new generation is known: the last one may still commit.
    this.#listener.onRebalancing();
    this.#generation = { generationId, memberId };
    this.#divided = isLeader === true ? divided : undefined;
    this.#listener.onJoined(
      assignments.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition }))),
    );
  }
}
