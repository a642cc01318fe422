/** Where the records of the embedded broker are kept: in memory (memory-store.ts), or also in a file (sqlite-store.ts). */

import type { Health } from '../../platform/health.ts';
import type { PartitionOffset } from '../message.ts';
import type { TopicSpec } from '../ports.ts';
import type { OnReadable, PartitionLog } from './partition-log.ts';
import type { EmbeddedTopicConfig } from './topic-config.ts';

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
  /** Absent where there is nothing that can fail. */
  health?(): Health;
  close(): Promise<void>;
}

/** A group commit failed. `isMaybeStored`: its records may be on the log after a restart. */
export class FlushError extends Error {
  override readonly name = 'FlushError';
  readonly isMaybeStored: boolean;

  constructor(message: string, options: { readonly isMaybeStored: boolean; readonly cause: unknown }) {
    super(message, { cause: options.cause });
    this.isMaybeStored = options.isMaybeStored;
  }
}
