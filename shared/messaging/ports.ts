/**
 * The broker port. A new adapter is a folder beside `kafka/` and `embedded/` with one function that creates a `Broker`.
 * The adapter uses the times of client-defaults.ts and passes test/conformance/scenarios/all.ts as a ConformanceTarget.
 * Failures are MessagingErrors with a BrokerErrorCode; broker-errors.ts creates those that all adapters have.
 */

import type { Health } from '../platform/health.ts';
import type { LogMessage, OffsetRange, OutgoingMessage, PartitionOffset, TopicPartition } from './message.ts';
import { QUEUE_LIMITS } from '../platform/queue-limits.ts';

/** What a caller may conclude from a failure. */
export type BrokerErrorCode =
  /** No record of the call was stored. */
  | 'not-sent'
  /** Some or all records of the call may be stored. */
  | 'send-unknown'
  /** A record is larger than its topic allows. Other records of the call may be stored. */
  | 'message-too-large'
  /** A topic or partition does not exist. Other records of the call may be stored. */
  | 'topic-unknown'
  /** A compacted topic does not accept a record without a key. The Kafka adapter reports `not-sent` instead. */
  | 'invalid-message'
  /** The embedded broker does not allow the name or configuration of a new topic. */
  | 'invalid-topic'
  /** The broker cannot be reached or is not ready (the call can be retried), or the client was closed (it cannot). */
  | 'broker-unavailable'
  /** The credentials or permissions of this client do not suffice. */
  | 'broker-refused'
  /** A consumer was started twice, or was stopped before its start had ended. */
  | 'consumer-used'
  /** A group member sent no heartbeat and did not join for longer than a rebalance may take. */
  | 'consumer-stalled'
  | 'tail-stopped'
  | 'tail-behind'
  /** Another process has the data folder of the embedded broker open. */
  | 'data-in-use'
  /** A file of the data folder that holds acknowledged records is damaged. */
  | 'data-damaged'
  /** The data folder cannot be read or written, or is of another version. */
  | 'data-unusable';

/** Creates clients, which connect only when they are started or called. */
export interface Broker {
  readonly kind: 'embedded' | 'kafka';
  /** A publisher has its own queue and connection, so that bulk messages or a slow topic delay no other publisher. */
  createPublisher(options: PublisherOptions): Publisher;
  createGroupSource(options: GroupSourceOptions): GroupSource;
  /** A reader without a group: it never commits, and keeps its positions in memory across reconnects. */
  createTail(options: TailOptions): Tail;
  /** Reads the ranges in turn, by offset, one fetch at a time. Rejects with MessagingError or the `onMessage` error. */
  readRanges(ranges: readonly OffsetRange[], onMessage: OnRangeMessage): Promise<void>;
  readonly admin: BrokerAdmin;
  /** The health of the broker's own storage. Absent if the broker runs in other processes or has no storage. */
  health?(): Health;
  /** Stops every client that this broker created. Idempotent. */
  close(): Promise<void>;
}

export type OnRangeMessage = (message: LogMessage) => ReadOn | Promise<ReadOn>;
/** `stop` ends readRanges(), not only the current range. */
export type ReadOn = 'more' | 'stop';

export interface PublisherOptions {
  readonly clientId: string;
  /** Time limit of one publish(). Default: CLIENT_DEFAULTS.publishDeadlineMs. */
  readonly deadlineMs?: number;
}

export interface Publisher {
  /** Connects. Until then publish() queues. Rejects with MessagingError if not connected within `deadlineMs`. */
  start(): Promise<void>;
  /**
   * Resolves when all in-sync replicas have every message, at least once, in order per key. Messages that are published
   * while a request is in flight share the next one. Rejects with
   * - `not-sent`: no message was stored. The publisher is stopped, its queue is full (QUEUE_LIMITS.publisher), or the
   *   broker rejected a message or stored none in time. Without a `cause`, no message of the call was sent to a leader;
   * - `send-unknown`: some or all messages may be stored;
   * - `message-too-large`, `topic-unknown` or `invalid-message`: one message is at fault. The others may be stored.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** False while the broker cannot be reached. An idle publisher may notice an outage only when it sends. */
  isHealthy(): boolean;
  /** Sends what is queued, for at most `timeoutMs`, then disconnects. A later publish() rejects with `not-sent`. */
  stop(timeoutMs?: number): Promise<void>;
}

export interface GroupSourceOptions {
  readonly groupId: string;
  readonly clientId: string;
  readonly topics: readonly string[];
  /** Default: CLIENT_DEFAULTS.sessionTimeoutMs. */
  readonly sessionTimeoutMs?: number;
}

/** A partition without a commit is read from its earliest offset. Calls to the sink never overlap. */
export interface GroupSource {
  /** Joins the group. Rejects with MessagingError: `consumer-used` if this source was started or stopped before. */
  start(sink: GroupSink): Promise<void>;
  /** Delivers no further messages of these partitions until resume(). Delivered messages stay with the sink. */
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** Commits nothing and resolves to false if the generation is over. Rejects with MessagingError on other failures. */
  commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean>;
  stop(timeoutMs?: number): Promise<void>;
}

export interface GroupSink {
  /** The member now owns exactly these partitions. Delivery starts at the committed offsets, and none is paused. */
  onAssigned(generation: number, partitions: readonly TopicPartition[]): void;
  /** Start nothing new, and commit what is done. Comes late after an expulsion, and not before every onCrash(). */
  onRevoking(generation: number): void;
  /** Messages of one partition, in offset order. If earlier ones had reached `highWatermark`, the log was replaced. */
  onMessages(generation: number, messages: readonly LogMessage[], highWatermark: number): void;
  /** All messages below `position` were delivered. Reported because offsets without a message would count as lag. */
  onPosition?(generation: number, partition: TopicPartition, position: number, highWatermark: number): void;
  /** The source has ended permanently. The consumer replaces it with a new one. */
  onCrash(error: Error): void;
}

export interface TailOptions {
  readonly clientId: string;
  readonly topics: readonly string[];
  /** `earliest`: everything on the log, then new messages (for tables). `latest`: only new messages (for replies). */
  readonly from: 'earliest' | 'latest';
  /** Where to begin in these partitions instead of `from`. An offset outside the log stands for the nearest one. */
  readonly positions?: readonly PartitionOffset[];
  /** The only partition to read of every topic (for replies: that of this instance). Default: all partitions. */
  readonly partition?: number;
}

/** Delivers every message of its partitions once, in offset order per partition, even across reconnects. */
export interface Tail {
  /** Resolves when every partition has its position. Rejects with MessagingError. Errors of `onMessage` are logged. */
  start(onMessage: (message: LogMessage) => void): Promise<void>;
  isReady(): boolean;
  /**
   * Resolves when all messages below the `high` of BrokerAdmin.offsets() at the call are delivered: all acknowledged
   * ones, unless a transaction was open. Rejects with `tail-behind`, `tail-stopped` or a permanent error of offsets().
   */
  caughtUp(timeoutMs: number): Promise<void>;
  stop(timeoutMs?: number): Promise<void>;
}

export interface TopicSpec {
  readonly topic: string;
  readonly partitions: number;
  /** Topic configuration by Kafka's names, such as `cleanup.policy`. */
  readonly config?: Readonly<Record<string, string>>;
  /** Default: min(3, brokers). */
  readonly replicationFactor?: number;
  /**
   * For the embedded broker. `memory`: no record is stored, because the readers end with the process. `as-reply`: a
   * request is stored if its reply is. In both cases, records are delivered before they are stored, and a crash or a
   * full disk may remove them and later ones: their readers may have no effects other than messages.
   */
  readonly storage?: 'memory' | 'as-reply';
}

export interface TopicState {
  readonly partitions: number;
  /** Configuration by Kafka's names, defaults included. */
  readonly config: ReadonlyMap<string, string>;
}

export interface PartitionRange {
  readonly partition: number;
  /** The first retained offset. */
  readonly low: number;
  readonly high: number;
  /** Used share of the embedded broker's limits. From 1 on, it may remove records of any age. Absent on Kafka. */
  readonly usedShare?: number;
}

export interface GroupReads {
  readonly groupId: string;
  readonly topics: readonly string[];
}

export interface GroupState {
  readonly groupId: string;
  /** `rebalancing`: the partitions are being divided again. `empty`: no member, or no such group. */
  readonly state: 'stable' | 'rebalancing' | 'empty';
  readonly members: readonly {
    /** Unique within the group. A member that joins again may have another one. */
    readonly memberId: string;
    readonly clientId: string;
    /** The address of the member; absent if it runs in this process. */
    readonly host?: string;
    /** The partitions that the member reads; empty while the group rebalances. */
    readonly assigned: readonly TopicPartition[];
  }[];
  /** The partitions of existing topics. All messages below `committed` are done; absent if there is no commit. */
  readonly partitions: readonly (TopicPartition & PartitionRange & { readonly committed?: number })[];
}

export interface BrokerAdmin {
  /** Creates the missing topics and returns their names. Never changes an existing topic. */
  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]>;
  /** The names of all topics except the broker's internal ones. */
  listTopics(): Promise<readonly string[]>;
  /** Partition count by topic. Topics that do not exist are left out. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The state by topic. Topics that do not exist are left out. Absent on the embedded broker. */
  topicStates?(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>>;
  /** `high`: the next offset to be written, or the first one of an open transaction. Rejects with `topic-unknown`. */
  offsets(topic: string): Promise<readonly PartitionRange[]>;
  /** The group's committed offsets. Partitions without one are left out. */
  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]>;
  /** In the order of `reads`. Members, commits and ends may be read at different moments. */
  groups(reads: readonly GroupReads[]): Promise<readonly GroupState[]>;
}

export interface Queued {
  readonly messages: number;
  readonly bytes: number;
}

/** A call whose messages are larger on average leaves a quarter of the queue's bytes to others. */
const SMALL_RECORD_BYTES = 1_048_576;

/** Whether a call to publish() fits into the queue. A call that is larger than the queue never does. */
export function hasRoom(queued: Queued, added: Queued, limits: Queued = QUEUE_LIMITS.publisher): boolean {
  const share = added.bytes <= added.messages * SMALL_RECORD_BYTES ? 1 : 0.75;
  const hasBytes = queued.bytes + added.bytes <= limits.bytes * share;
  return hasBytes && queued.messages + added.messages <= limits.messages;
}

/** Where a tail begins in a partition that has the records from `low` up to but not including `high`. */
export function firstPosition(
  { from, positions = [] }: Pick<TailOptions, 'from' | 'positions'>,
  { topic, partition, low, high }: TopicPartition & { readonly low: number; readonly high: number },
): number {
  const given = positions.find((position) => position.topic === topic && position.partition === partition);
  if (given !== undefined) return Math.min(Math.max(given.offset, low), high);
  return from === 'earliest' ? low : high;
}
