/**
 * The broker port. A new adapter is a folder beside `kafka/` and `embedded/` with one function that creates a `Broker`. It keeps
 * the promises of this file, with the times of client-defaults.ts, and passes test/conformance (`all.ts`) with a ConformanceTarget. Failures are
 * MessagingErrors with a BrokerErrorCode. Functions of broker-errors.ts create those that all adapters have.
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
  /** The record is larger than its topic allows. Other records of the call may be stored. */
  | 'message-too-large'
  /** The topic or partition does not exist. Other records of the call may be stored. */
  | 'topic-unknown'
  /** The topic does not accept the record, for example without a key on a compacted topic. */
  | 'invalid-message'
  /** The name or configuration of a new topic is not allowed. */
  | 'invalid-topic'
  /** The broker cannot be reached or is not ready. The call can be retried. */
  | 'broker-unavailable'
  /** The credentials or permissions of this client do not suffice. */
  | 'broker-refused'
  /** A consumer was started twice, or after it was stopped. */
  | 'consumer-used'
  /** A consumer made no progress and showed no activity for longer than a rebalance may take. */
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
  /** A publisher with its own connection. Bulk messages, replies to foreign topics and live traffic never share one. */
  createPublisher(options: PublisherOptions): Publisher;
  createGroupSource(options: GroupSourceOptions): GroupSource;
  /** A reader without a group: it never commits, and keeps its own positions over reconnects. */
  createTail(options: TailOptions): Tail;
  /** Each range in offset order, with one fetch in memory, until 'stop'. Rejects with MessagingError or the error of `onMessage`. */
  readRanges(ranges: readonly OffsetRange[], onMessage: OnRangeMessage): Promise<void>;
  readonly admin: BrokerAdmin;
  /** Whether the broker's own storage takes records. Absent if the broker runs in other processes or has no storage. */
  health?(): Health;
  /** Stops everything that was created from it. Idempotent. */
  close(): Promise<void>;
}

export type OnRangeMessage = (message: LogMessage) => ReadOn | Promise<ReadOn>;
export type ReadOn = 'more' | 'stop';

export interface PublisherOptions {
  readonly clientId: string;
  /** Default: CLIENT_DEFAULTS.publishDeadlineMs. */
  readonly deadlineMs?: number;
}

export interface Publisher {
  /** Connects. Until then publish() queues. Rejects with `broker-unavailable` after the publish deadline. */
  start(): Promise<void>;
  /**
   * Resolves when all in-sync replicas have every message, at least once, in order per key. Messages that are published while a
   * request is in flight are sent together in the next one. Rejects with
   * - `not-sent`: no message was stored, because the broker could not be reached in time or the queue is full
   *   (QUEUE_LIMITS.publisher). Without a `cause` none was sent to its leader: only sends of earlier messages failed;
   * - `send-unknown`: some or all messages may be stored;
   * - `message-too-large`, `topic-unknown` or `invalid-message`: one message is at fault. The others may be stored.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** False while the broker cannot be reached. An idle publisher may notice that only when it sends. */
  isHealthy(): boolean;
  /** Sends what is queued, at most for `timeoutMs`, then disconnects. Later calls of publish() reject with `not-sent`. */
  stop(timeoutMs?: number): Promise<void>;
}

export interface GroupSourceOptions {
  readonly groupId: string;
  readonly clientId: string;
  readonly topics: readonly string[];
  /** Default: CLIENT_DEFAULTS.sessionTimeoutMs. */
  readonly sessionTimeoutMs?: number;
}

/** Without a commit, reading starts at the earliest offset of a partition. Calls to the sink never overlap. */
export interface GroupSource {
  /** Joins the group. Rejects with MessagingError, `consumer-used` if it was started or stopped before. */
  start(sink: GroupSink): Promise<void>;
  /** No further messages of these partitions until resume. Messages already delivered stay with the sink. */
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** False if the generation is over: nothing was committed. Rejects with MessagingError if the broker is unavailable. */
  commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean>;
  stop(timeoutMs?: number): Promise<void>;
}

export interface GroupSink {
  /** Partitions that are not listed are lost. Delivery starts at the committed offsets, and no partition is paused. */
  onAssigned(generation: number, partitions: readonly TopicPartition[]): void;
  /** The sink starts nothing new and commits completed work once. Not called without notice (expelled member, moved leader). */
  onRevoking(generation: number): void;
  /** Messages of one partition, in offset order. If `highWatermark` is at or below a delivered offset, they are from a new log. */
  onMessages(generation: number, messages: readonly LogMessage[], highWatermark: number): void;
  /** All messages below `position` are delivered. Without this call, control records and aborted or compacted ones count as lag. */
  onPosition?(generation: number, partition: TopicPartition, position: number, highWatermark: number): void;
  /** The source ended permanently. The consumer replaces it by a new one. */
  onCrash(error: Error): void;
}

export interface TailOptions {
  readonly clientId: string;
  readonly topics: readonly string[];
  /** `earliest`: everything on the log, then new messages (tables). `latest`: only new messages (replies). */
  readonly from: 'earliest' | 'latest';
  /** Where to begin in these partitions instead of `from`. A removed offset stands for the first retained one. */
  readonly positions?: readonly PartitionOffset[];
  /** Read only this partition of every topic (replies: the instance's own). Absent: all partitions. */
  readonly partition?: number;
}

/** Delivers every message of its partitions once, in offset order per partition, also over reconnects. */
export interface Tail {
  /** Resolves when every partition is positioned; rejects with MessagingError. A message whose handler throws is logged and skipped. */
  start(onMessage: (message: LogMessage) => void): Promise<void>;
  isReady(): boolean;
  /**
   * Resolves when every message that was on the log at the call is delivered, and thus every acknowledged one. Waits for open transactions,
   * which Kafka ends after transaction.timeout.ms (default: a minute). Rejects with `tail-behind` or `tail-stopped`.
   */
  caughtUp(timeoutMs: number): Promise<void>;
  stop(timeoutMs?: number): Promise<void>;
}

export interface TopicSpec {
  readonly topic: string;
  readonly partitions: number;
  /** Topic configuration by Kafka's names, e.g. `cleanup.policy`. */
  readonly config?: Readonly<Record<string, string>>;
  /** Absent: min(3, brokers). */
  readonly replicationFactor?: number;
  /**
   * On the embedded broker. `memory`: not stored, because the readers end with the process. `as-reply`: a request is stored if its reply is.
   * Requests are read before they are on the disk. A crash may remove them and later records, so readers may have no effects but messages.
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
  /** Used share (0 to 1) of the limits beyond which records of any age are removed. Absent: only settings limit the topic. */
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
  /** Partitions of the topics that exist. `committed`: the next offset that is not completed; absent: there is no commit. */
  readonly partitions: readonly (TopicPartition & PartitionRange & { readonly committed?: number })[];
}

export interface BrokerAdmin {
  /** Creates the missing topics and returns their names. Never changes an existing topic. Rejects with `invalid-topic`. */
  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]>;
  /** The names of all topics except the broker's internal ones. */
  listTopics(): Promise<readonly string[]>;
  /** Partition count by topic. Topics that do not exist are left out. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The state by topic. Topics that do not exist are left out. Optional: absent where topics have no configuration. */
  topicStates?(topics: readonly string[]): Promise<ReadonlyMap<string, TopicState>>;
  /** `high`: the next offset to be written, or the first of the oldest open transaction. Rejects with `topic-unknown`. */
  offsets(topic: string): Promise<readonly PartitionRange[]>;
  /** The group's committed offsets. Partitions without one are left out. */
  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]>;
  /** The state of these groups, in their order. Members, commits and ends are read one after another, not at one moment. */
  groups(reads: readonly GroupReads[]): Promise<readonly GroupState[]>;
}

export interface Queued {
  readonly messages: number;
  readonly bytes: number;
}

/** Records above this size leave a quarter of the queue to smaller ones. */
const SMALL_RECORD_BYTES = 1_048_576;

/** Whether a call fits into the queue of a publisher. A call that is larger than the queue never does. */
export function hasRoom(queued: Queued, added: Queued, limits: Queued = QUEUE_LIMITS.publisher): boolean {
  const share = added.bytes <= added.messages * SMALL_RECORD_BYTES ? 1 : 0.75;
  const hasBytes = queued.bytes + added.bytes <= limits.bytes * share;
  return hasBytes && queued.messages + added.messages <= limits.messages;
}

/** Where a tail begins in a partition with the records from `low` up to but not including `high`. */
export function firstPosition(
  { from, positions = [] }: Pick<TailOptions, 'from' | 'positions'>,
  { topic, partition, low, high }: TopicPartition & { readonly low: number; readonly high: number },
): number {
  const given = positions.find((position) => position.topic === topic && position.partition === partition);
  if (given !== undefined) return Math.min(Math.max(given.offset, low), high);
  return from === 'earliest' ? low : high;
}
