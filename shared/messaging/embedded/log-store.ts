/** Where the records of the embedded broker are kept: in memory (memory-log.ts), or on disk (../disk). */

import type { Health } from '../../platform/health.ts';
import type { EmbeddedTopicConfig } from './topic-config.ts';
import type { LogMessage, OutgoingMessage, PartitionOffset } from '../message.ts';
import type { TopicSpec } from '../ports.ts';

export interface LogReader {
  /** Reads records before they are durable. */
  readonly isEager?: boolean;
  /** Delivers one round of messages; returns whether there are more. */
  deliver(): boolean;
}

/** Messages from a position on; `next` is the position after them, beyond any gap that compaction left. */
export interface LogBatch {
  readonly messages: readonly LogMessage[];
  readonly next: number;
}

/**
 * The log of one partition: records in offset order, limited by count, bytes and age, and compacted if the topic is. As on
 * Kafka, offsets are never reused, and removed records leave gaps.
 */
export interface PartitionLog {
  readonly topic: string;
  readonly partition: number;
  /** Woken when records become readable. */
  readonly readers: Set<LogReader>;
  /** The first retained offset. */
  readonly low: number;
  /** The next offset beyond the last durable record. */
  readonly high: number;
  /** The next offset to be written: eager readers read up to it. */
  readonly end: number;
  /** Adds one record. It is durable when LogStore.flushed() has resolved. */
  append(message: OutgoingMessage, key: Buffer | null, nowMs: number): void;
  /** The used part of its limits of count and bytes, whichever is greater. */
  readonly usedShare: number;
  /** Whether the log has reached one of its limits. */
  isFull(): boolean;
  /**
   * Messages from `position` on, up to both limits, but at least one if there is any: durable ones below `high`, others from
   * there on. Throws MessagingError `data-damaged` for a record that cannot be read back.
   */
  read(position: number, maxRecords: number, maxBytes: number): LogBatch;
  /**
   * Makes room: compacts, then removes the oldest records below `keepFrom` until the log is well within its limits. A log
   * with cleanup.policy=compact is only compacted.
   */
  makeRoom(keepFrom: number, nowMs: number): void;
  /** Whether it holds more records than it keeps once they were read; false for state, and where records are on disk. */
  readonly isCrowded: boolean;
  /**
   * Removes the oldest records below `keepFrom`, which were read, down to the number and the bytes that it keeps; none of state,
   * and none on disk.
   */
  forgetRead(keepFrom: number): void;
  /** Removes records that are older than the topic's retention time, read or unread, as Kafka does. */
  expire(nowMs: number): void;
  /**
   * On a compacted topic, keeps only the newest record of each key, and tombstones for their retention time. Returns how many
   * records it compared; 0: it was not worthwhile.
   */
  compact(nowMs: number): number;
  /** Compacts when superseded records outnumber live ones, so that the cost per append is constant. */
  compactIfWorthwhile(nowMs: number): void;
}

/** `eager`: records were added; `durable`: they are durable. In memory both are one, `all`. */
export type OnReadable = (log: PartitionLog, readers: 'eager' | 'durable' | 'all') => void;

/** A topic that the store held when it was opened. */
export interface StoredTopic {
  readonly spec: TopicSpec;
  readonly config: EmbeddedTopicConfig;
  readonly logs: readonly PartitionLog[];
}

export interface LogStore {
  /** The topics and, by group, the committed offsets of the last run. Empty in memory. */
  readonly topics: readonly StoredTopic[];
  readonly commits: ReadonlyMap<string, readonly PartitionOffset[]>;
  /** Called once, before anything else: `onReadable` is called when readers may have something to read. */
  open(onReadable: OnReadable): void;
  createLogs(spec: TopicSpec, config: EmbeddedTopicConfig): readonly PartitionLog[];
  deleteLogs(topic: string): void;
  /** Stores committed offsets; they are durable when flushed() has resolved. */
  saveCommits(groupId: string, offsets: readonly PartitionOffset[]): void;
  /**
   * Resolves when everything that was added before the call is durable; undefined: it is. Rejects with FlushError when none
   * of it is acknowledged.
   */
  flushed(): Promise<void> | undefined;
  /** Frees the space of removed records; called after each sweep. */
  reclaim(): void;
  /** Absent where there is nothing that can fail. */
  health?(): Health;
  close(): Promise<void>;
}

/** A group commit failed. `isMaybeStored`: its records may be on the log after a crash. */
export class FlushError extends Error {
  override readonly name = 'FlushError';
  readonly isMaybeStored: boolean;

  constructor(message: string, options: { readonly isMaybeStored: boolean; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.isMaybeStored = options.isMaybeStored;
  }
}
