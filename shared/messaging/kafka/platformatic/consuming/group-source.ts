import { Consumer, offsetCommitV7 } from '@platformatic/kafka';
import type { BaseOptions, ConsumerGroupJoinPayload } from '@platformatic/kafka';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagingError } from '../../../../platform/errors.ts';
import { consumerUsed } from '../../../broker-errors.ts';
import { isGenerationOver, toMessagingError } from '../../common/connection/errors.ts';
import { startConsumer } from '../../common/consuming/consumer-start.ts';
import type { PartitionOffset, TopicPartition } from '../../../message.ts';
import {
  CLIENT_DEFAULTS,
  type BrokerAdmin,
  type GroupSink,
  type GroupSource,
  type GroupSourceOptions,
} from '../../../ports.ts';
import { existingTopics } from '../../../topics/required-topics.ts';
import {
  ANSWER_TIMEOUT_MS,
  closeNow,
  ignoreConnectionErrors,
  type LibraryOptions,
  type PlatformaticParts,
} from '../connection/client.ts';
import type { ClusterMetadata } from '../connection/cluster.ts';
import type { FetchedRecords } from './fetch.ts';
import { PartitionFetcher, type FetchListener } from './fetcher.ts';

/** A member notices a rebalance within this time. */
const HEARTBEAT_INTERVAL_MS = 1_000;
/** How long a rebalance waits for a member that sends heartbeats and does not join: those of this adapter join at once. */
const REBALANCE_TIMEOUT_MS = 10_000;
/** The library repeats a request to the coordinator this often, also a join during which another member joins. */
const RETRIES = 10;
const RETRY_INTERVAL_MS = 200;
/** Time for a failed source to leave its group, so that its partitions are assigned anew before the session ends. */
const LEAVE_MS = 1_000;
/** Heartbeats do not wait for metadata, which a broker that does not answer may be asked for; onMetadata() notices new partitions. */
const METADATA_MAX_AGE_MS = 600_000;
/**
 * Name and version of the assignor of kafkajs: members of both adapters are in one group while KAFKA_CLIENT is changed process by
 * process.
 */
const ASSIGNOR = { name: 'RoundRobinAssigner', version: 0, metadata: Buffer.alloc(0) };
/** No static membership: members that leave and come back get a new id. */
const NO_INSTANCE_ID = null;
const NO_LEADER_EPOCH = -1;

interface GroupSourceParts extends PlatformaticParts<GroupSource> {
  readonly libraryOptions: LibraryOptions;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
}

/** This member's part in a generation of its group, by Kafka's count. */
interface Membership {
  readonly generationId: number;
  readonly memberId: string;
  /** Partitions by topic as this member divided them; undefined if another member is the leader of the group. */
  readonly divided: ReadonlyMap<string, number> | undefined;
}

/**
 * A member of a consumer group: the library joins, divides and sends heartbeats. Each generation has its own fetcher with its own
 * connections, so that no response of an earlier generation can arrive in it. A rebalance ends the fetches, and calls onRevoking, whose
 * commit is sent before the library joins again.
 */
export class PlatformaticGroupSource implements GroupSource, FetchListener {
  readonly #options: GroupSourceOptions;
  readonly #parts: GroupSourceParts;
  #consumer: Consumer | undefined;
  #sink: GroupSink | undefined;
  #isStopped = false;
  #generation = 0;
  #membership: Membership | undefined;
  #fetcher: PartitionFetcher | undefined;
  /** From the end of a generation until the next. */
  #isRebalancing = true;
  /** Resolves when the generation of the last join has begun. */
  #beginning: Promise<void> | undefined;

  constructor(options: GroupSourceOptions, parts: GroupSourceParts) {
    this.#options = options;
    this.#parts = parts;
  }

  async start(sink: GroupSink): Promise<void> {
    const { clientId, topics } = this.#options;
    if (this.#isStopped || this.#sink !== undefined) throw consumerUsed(clientId);
    this.#sink = sink;
    try {
      await existingTopics(this.#parts.admin, topics);
      await startConsumer(
        () => this.#join(),
        () => this.#isStopped,
      );
    } catch (error) {
      const isStopped = this.#isStopped;
      this.#isStopped = true;
      this.#parts.onStopped(this);
      throw isStopped ? consumerUsed(clientId) : error;
    }
    if (this.#isStopped) throw consumerUsed(clientId);
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.#fetcher?.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.#fetcher?.resume(partitions);
  }

  /** The library would join again where the generation is over, and commit in the next one. */
  async commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean> {
    const [consumer, membership] = [this.#consumer, this.#membership];
    if (generation !== this.#generation || this.#isStopped || this.#isRebalancing) return false;
    if (consumer === undefined || membership === undefined) return false;
    try {
      await commitOffsets(consumer, membership, offsets);
      return true;
    } catch (error) {
      if (!isGenerationOver(error)) throw toMessagingError(`commit of ${this.#options.clientId}`, error);
      // The next heartbeat joins again.
      this.#revoke();
      return false;
    }
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#isStopped) return;
    await this.#end(timeoutMs);
  }

  onFetched({ topic, partition, from, position, messages, stableEnd }: FetchedRecords): void {
    const generation = this.#generation;
    const last = messages.at(-1);
    this.#guard((sink) => {
      if (last !== undefined) sink.onMessages(generation, messages, stableEnd);
      const isPassed = position > (last === undefined ? from : last.offset + 1);
      if (isPassed) sink.onPosition?.(generation, { topic, partition }, position, stableEnd);
    });
  }

  /** The leader of the group divides the partitions anew when their number has changed. */
  onMetadata(metadata: ClusterMetadata): void {
    const divided = this.#membership?.divided;
    if (divided === undefined || this.#isRebalancing) return;
    // A topic that was deleted has none; it may be created again with fewer.
    const hasOthers = [...metadata.topics].some(
      ([topic, { leaders }]) => leaders.length > 0 && leaders.length !== (divided.get(topic) ?? 0),
    );
    if (!hasOthers) return;
    this.#revoke();
    this.#consumer?.clearMetadata();
    this.#consumer?.joinGroup({}).catch((error: unknown) => this.#fail(error));
  }

  onRefused(error: Error): void {
    this.#fail(error);
  }

  async #join(): Promise<void> {
    const { clientId, groupId } = this.#options;
    try {
      const options = await this.#parts.libraryOptions(clientId, groupId);
      if (this.#isStopped) throw consumerUsed(clientId);
      this.#consumer = this.#makeConsumer(options);
      await this.#consumer.joinGroup({});
      await this.#beginning;
    } catch (error) {
      if (this.#consumer !== undefined) await leave(this.#consumer, LEAVE_MS);
      throw toMessagingError(`consumer ${clientId}`, error);
    }
  }

  #makeConsumer(options: BaseOptions): Consumer {
    const { groupId, topics, sessionTimeoutMs = CLIENT_DEFAULTS.sessionTimeoutMs } = this.#options;
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
    const current = (call: (error: unknown) => void) => (error: unknown) => {
      if (this.#consumer === consumer && this.#membership !== undefined) call(error);
    };
    consumer.on('consumer:group:join', (payload) => {
      this.#beginning = this.#begin(consumer, payload);
      this.#beginning.catch(current((error) => this.#fail(error)));
    });
    consumer.on(
      'consumer:group:rebalance',
      current(() => this.#revoke()),
    );
    consumer.on(
      'consumer:heartbeat:stalled',
      current(() => {
        this.#fail(new Error('the coordinator accepts no heartbeat'));
      }),
    );
    // A join of the library has failed.
    consumer.on(
      'error',
      current((error) => this.#fail(error)),
    );
    return consumer;
  }

  async #begin(
    consumer: Consumer,
    { assignments = [], generationId = 0, memberId, isLeader }: ConsumerGroupJoinPayload,
  ): Promise<void> {
    this.#revoke();
    const known = consumer.currentMetadata?.topics ?? new Map();
    const divided = new Map([...known].map(([topic, { partitionsCount }]) => [topic, partitionsCount]));
    const committed =
      assignments.length === 0 ? new Map() : await consumer.listCommittedOffsets({ topics: assignments });
    if (this.#isStopped || consumer.generationId !== generationId) return;
    const partitions = assignments.flatMap(({ topic, partitions: own }) =>
      own.map((partition) => ({ topic, partition })),
    );
    // Offset 0 stands for the first retained one.
    const positions = partitions.map(({ topic, partition }) => {
      const offset = Number(committed.get(topic)?.[partition] ?? 0);
      return { topic, partition, offset: Math.max(0, offset) };
    });
    this.#generation += 1;
    this.#membership = { generationId, memberId, divided: isLeader === true ? divided : undefined };
    this.#isRebalancing = false;
    const { createClient, log } = this.#parts;
    const { clientId, topics } = this.#options;
    this.#fetcher = new PartitionFetcher(positions, { clientId, topics, createClient, log }, this);
    this.#guard((sink) => sink.onAssigned(this.#generation, partitions));
    this.#fetcher.start();
  }

  /** The generation is over: a commit that the sink sends now is the last one. */
  #revoke(): void {
    if (this.#isRebalancing || this.#isStopped) return;
    this.#fetcher?.stop();
    this.#guard((sink) => sink.onRevoking(this.#generation));
    this.#isRebalancing = true;
  }

  /** An error of the sink ends the source. */
  #guard(call: (sink: GroupSink) => void): void {
    if (this.#isStopped || this.#sink === undefined) return;
    try {
      call(this.#sink);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    const failure: MessagingError = toMessagingError(`consumer ${this.#options.clientId}`, error);
    void this.#end(LEAVE_MS);
    this.#sink?.onCrash(failure);
  }

  async #end(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    this.#fetcher?.stop();
    if (this.#consumer !== undefined) await leave(this.#consumer, timeoutMs);
    this.#parts.onStopped(this);
  }
}

/** Leaves the group, at most for `timeoutMs`, and closes all connections. Never rejects. */
async function leave(consumer: Consumer, timeoutMs: number): Promise<void> {
  const timeout = new AbortController();
  const timer = sleep(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined);
  await Promise.race([consumer.close(true).catch(() => undefined), timer]);
  timeout.abort();
  closeNow(consumer);
}

/** Sends the commit in this turn of the event loop, before anything that the library sends later. */
async function commitOffsets(
  consumer: Consumer,
  { generationId, memberId }: Membership,
  offsets: readonly PartitionOffset[],
): Promise<void> {
  const coordinator = consumer.currentMetadata?.brokers.get(consumer.coordinatorId ?? -1);
  const connection = coordinator && consumer.connections.getEstablishedConnection(coordinator);
  if (connection?.isConnected() !== true) throw new Error('the coordinator is not connected');
  const topics = [...Map.groupBy(offsets, ({ topic }) => topic)].map(([name, list]) => ({
    name,
    partitions: list.map(({ partition, offset }) => ({
      partitionIndex: partition,
      committedOffset: BigInt(offset),
      committedLeaderEpoch: NO_LEADER_EPOCH,
      committedMetadata: null,
    })),
  }));
  await offsetCommitV7.api.async(
    connection,
    consumer.groupId,
    generationId,
    memberId,
    NO_INSTANCE_ID,
    topics,
  );
}
