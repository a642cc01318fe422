import type { LogMessage, OffsetRange, OutgoingMessage, PartitionOffset, TopicPartition } from './message.ts';

/**
 * The promises that every broker adapter keeps (embedded and Kafka pass one conformance suite).
 * All failures are MessagingError with `code`, `canRetry` and `cause`.
 */
export interface Broker {
  readonly kind: 'embedded' | 'kafka';
  /** A publisher of its own connection; bulk, replies to foreign topics and live traffic never share one. */
  createPublisher(options: PublisherOptions): Publisher;
  /** A member of a consumer group, not yet started. One client per consumer. */
  createGroupSource(options: GroupSourceOptions): GroupSource;
  /** A group of one: reads all partitions of its topics, never commits, keeps its own positions. */
  createTail(options: TailOptions): Tail;
  /**
   * Reads what is on the log of these ranges, each in offset order, and waits for `onMessage` before it goes on: what is
   * held in memory is one fetch, however much there is. Resolves when all was handed over or `onMessage` answers `stop`;
   * offsets that are gone are passed over. Rejects with MessagingError, and with what `onMessage` threw.
   */
  readRanges(ranges: readonly OffsetRange[], onMessage: OnRangeMessage): Promise<void>;
  readonly admin: BrokerAdmin;
  /** Closes all that was created from it. Idempotent. */
  close(): Promise<void>;
}

/** Takes one message of a range; says whether there are to be more. */
export type OnRangeMessage = (message: LogMessage) => ReadOn | Promise<ReadOn>;
export type ReadOn = 'more' | 'stop';

export interface PublisherOptions {
  readonly clientId: string;
  /** Total time that one publish may take, retries included, before it is rejected. Default 15,000 ms. */
  readonly deadlineMs?: number;
}

export interface Publisher {
  /** Connects; until then publish() queues. */
  start(): Promise<void>;
  /**
   * Resolves when every message is on the log with acks=all; at least once, in order per key.
   * Rejects with MessagingError: `not-sent` (nothing was stored; without a cause nothing was asked of the leader either, as
   * others were before it), `send-unknown` (some or all may be stored),
   * `message-too-large` or `topic-unknown` (of one message; the others may be stored). Concurrent calls are gathered into one request while one is in flight.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** False while the broker cannot be reached. */
  isHealthy(): boolean;
  /** Sends what is queued, at most for `timeoutMs`, then disconnects. */
  stop(timeoutMs?: number): Promise<void>;
}

export interface GroupSourceOptions {
  readonly groupId: string;
  readonly clientId: string;
  readonly topics: readonly string[];
  /** Default 6,000 ms (interactive); a member not heard of for so long is expelled. */
  readonly sessionTimeoutMs?: number;
  /** Default 30,000 ms. */
  readonly rebalanceTimeoutMs?: number;
  /** Largest time a fetch waits for data. Default 250 ms. */
  readonly maxWaitMs?: number;
}

/**
 * Delivers the partitions that the group assigns to this member. Groups start at the earliest offset of a partition
 * that has no commit. Calls to the sink are synchronous and never overlap.
 */
export interface GroupSource {
  start(sink: GroupSink): Promise<void>;
  /** No further messages of these partitions until resume; messages already handed over stay with the sink. */
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /**
   * Commits for the epoch it was called with; a commit of an older epoch is dropped and answers false.
   * Rejects on lost infrastructure.
   */
  commit(epoch: number, offsets: readonly PartitionOffset[]): Promise<boolean>;
  /** Keeps the membership alive; also called by the runtime's timer. Never rejects: a rejected heartbeat calls onRevoking. */
  heartbeat(): Promise<void>;
  /** Leaves the group, at most after `timeoutMs`. Idempotent. */
  stop(timeoutMs?: number): Promise<void>;
}

export interface GroupSink {
  /** A new generation: `epoch` grows with each; partitions that are not in it are lost. Delivery starts at the commits. */
  onAssigned(epoch: number, partitions: readonly TopicPartition[]): void;
  /**
   * The group is about to rebalance: take no new work, commit what is done once. Missing where the broker gives no early
   * sign: the member was expelled, or a partition's leader moved; onAssigned then comes by itself.
   */
  onRevoking(epoch: number): void;
  /** Messages of one partition in offset order, with the partition's high watermark (the next offset to be written). */
  onMessages(epoch: number, messages: readonly LogMessage[], highWatermark: number): void;
  /**
   * The source has read up to `position` without anything to hand over (control records of a transaction, a compacted
   * tail). Optional for adapters; without it such a tail shows as lag.
   */
  onPosition?(epoch: number, partition: TopicPartition, position: number, highWatermark: number): void;
  /** The consumer ended for good (its group loop crashed); the supervisor discards and rebuilds it. */
  onCrash(error: Error): void;
}

export interface TailOptions {
  readonly clientId: string;
  readonly topics: readonly string[];
  /** `earliest`: everything that is there, then what follows (tables). `latest`: only what follows (replies). */
  readonly from: 'earliest' | 'latest';
  /** Read only this partition of every topic (replies: the instance's own). Absent: all partitions. */
  readonly partition?: number;
}

export interface Tail {
  /**
   * Resolves when every partition is assigned and positioned: a message published after that is delivered.
   * The handler is synchronous; a throw is counted and the message skipped.
   */
  start(onMessage: (message: LogMessage) => void): Promise<void>;
  /** Partitions read, for choosing a reply partition. */
  partitions(): readonly TopicPartition[];
  /** Assigned, positioned and connected. */
  isReady(): boolean;
  /**
   * Resolves when all that was on the log at the time of the call has been handed over: everything that a publisher was
   * told is stored. Messages of transactions that were open then are part of it, and so is what lies behind them: their
   * end is waited for, which Kafka brings about itself after the producer's transaction.timeout.ms (one minute unless the
   * producer sets it). Rejects with MessagingError `tail-behind` after `timeoutMs`, and when the tail is stopped.
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
}

export interface BrokerAdmin {
  /** Makes those that are missing; answers their names. Never changes one that exists. */
  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  listTopics(): Promise<readonly string[]>;
  /** Partition count by topic; topics that do not exist are left out. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * First retained offset of each partition, and the one behind all that can be read: the next to be written, or the
   * first of the oldest transaction that is still open.
   */
  offsets(topic: string): Promise<readonly { partition: number; low: number; high: number }[]>;
  /** The group's committed offsets; partitions without one are left out. */
  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]>;
}
