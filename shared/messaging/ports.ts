import type { LogMessage, OffsetRange, OutgoingMessage, PartitionOffset, TopicPartition } from './message.ts';

/**
 * The port that every broker adapter implements (the embedded broker and Kafka pass one conformance suite).
 * All failures are MessagingError with `code`, `canRetry` and `cause`.
 */
export interface Broker {
  readonly kind: 'embedded' | 'kafka';
  /** A publisher with a connection of its own; bulk, replies to foreign topics and live traffic never share one. */
  createPublisher(options: PublisherOptions): Publisher;
  /** A member of a consumer group, not yet started. One client per consumer. */
  createGroupSource(options: GroupSourceOptions): GroupSource;
  /** A reader without a group: reads all partitions of its topics, never commits, tracks its own positions. */
  createTail(options: TailOptions): Tail;
  /**
   * Reads these ranges, each in offset order, and waits for `onMessage` before it continues: no more than one fetch is in
   * memory at a time. Resolves when everything was delivered or `onMessage` returned `stop`; deleted offsets are skipped.
   * Rejects with MessagingError, and with what `onMessage` threw.
   */
  readRanges(ranges: readonly OffsetRange[], onMessage: OnRangeMessage): Promise<void>;
  readonly admin: BrokerAdmin;
  /** Closes everything that was created from it. Idempotent. */
  close(): Promise<void>;
}

/** Handles one message of a range; returns whether to continue. */
export type OnRangeMessage = (message: LogMessage) => ReadOn | Promise<ReadOn>;
export type ReadOn = 'more' | 'stop';

export interface PublisherOptions {
  readonly clientId: string;
  /** Total time of one publish, retries included, before it is rejected. Default 15,000 ms. */
  readonly deadlineMs?: number;
}

export interface Publisher {
  /** Connects; until then publish() queues. */
  start(): Promise<void>;
  /**
   * Resolves when every message is on the log with acks=all; at least once, in order per key.
   * Rejects with MessagingError: `not-sent` (nothing was stored; without a cause the leader received no request either,
   * since others were queued before it), `send-unknown` (some or all may be stored), `message-too-large` or
   * `topic-unknown` (of one message; the others may be stored). Calls during a request in flight are combined into the next.
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
  /** Default 6,000 ms (interactive); a member without heartbeats for this time is expelled. */
  readonly sessionTimeoutMs?: number;
  /** Default 30,000 ms. */
  readonly rebalanceTimeoutMs?: number;
  /** Largest time a fetch waits for data. Default 250 ms. */
  readonly maxWaitMs?: number;
}

/**
 * Delivers the partitions that the group assigns to this member. Groups start at the earliest offset of a partition
 * without a commit. Calls to the sink are synchronous and never overlap.
 */
export interface GroupSource {
  start(sink: GroupSink): Promise<void>;
  /** No further messages of these partitions until resume; messages already delivered stay with the sink. */
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /**
   * Commits for this generation; a commit of an older generation is dropped and resolves with false.
   * Rejects when the broker is unavailable.
   */
  commit(generation: number, offsets: readonly PartitionOffset[]): Promise<boolean>;
  /** Keeps the membership alive; also called by the runtime's timer. Never rejects: a rejected heartbeat calls onRevoking. */
  heartbeat(): Promise<void>;
  /** Leaves the group, at most after `timeoutMs`. Idempotent. */
  stop(timeoutMs?: number): Promise<void>;
}

export interface GroupSink {
  /** A new generation, with a growing number; partitions that are not in it are lost. Delivery starts at the commits. */
  onAssigned(generation: number, partitions: readonly TopicPartition[]): void;
  /**
   * The group is about to rebalance: start no new work, commit what is done once. Not called where the broker gives no
   * notice: the member was expelled, or a partition's leader moved; onAssigned then follows by itself.
   */
  onRevoking(generation: number): void;
  /** Messages of one partition in offset order, with the partition's high watermark (the next offset to be written). */
  onMessages(generation: number, messages: readonly LogMessage[], highWatermark: number): void;
  /**
   * The source has read up to `position` without any message to deliver (control records of a transaction, a compacted
   * end of the log). Optional for adapters; without it such records show as lag.
   */
  onPosition?(generation: number, partition: TopicPartition, position: number, highWatermark: number): void;
  /** The consumer ended permanently (its group loop crashed); the supervisor discards and rebuilds it. */
  onCrash(error: Error): void;
}

export interface TailOptions {
  readonly clientId: string;
  readonly topics: readonly string[];
  /** `earliest`: everything on the log, then what follows (tables). `latest`: only what follows (replies). */
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
   * Resolves when everything that was on the log at the time of the call has been delivered, including every message whose
   * publish was acknowledged. Messages of transactions that were open then are part of it, and so is what follows them:
   * it waits for their end, which Kafka enforces after the producer's transaction.timeout.ms (one minute unless the
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
  /** Creates the missing ones and returns their names. Never changes an existing topic. */
  createTopics(specs: readonly TopicSpec[]): Promise<readonly string[]>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  listTopics(): Promise<readonly string[]>;
  /** Partition count by topic; topics that do not exist are left out. */
  partitionCounts(topics: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * First retained offset of each partition, and the end of what can be read: the next offset to be written, or the first
   * of the oldest transaction that is still open.
   */
  offsets(topic: string): Promise<readonly { partition: number; low: number; high: number }[]>;
  /** The group's committed offsets; partitions without one are left out. */
  committed(groupId: string, topics: readonly string[]): Promise<readonly PartitionOffset[]>;
}
