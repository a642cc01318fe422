import type { LogMessage, PartitionOffset, TopicPartition } from '../../../message.ts';

/** Reads partitions without committing, from given positions, and keeps its own over reconnects. */
export interface PartitionReader {
  /** Resolves when every partition is positioned, and each leader was asked once. Rejects with MessagingError. */
  start(positions: readonly PartitionOffset[]): Promise<void>;
  /** Positioned and connected. */
  isReady(): boolean;
  /** No further messages until resume(), except those that are on their way. */
  pause(): void;
  resume(): void;
  stop(timeoutMs: number): Promise<void>;
}

/** All calls are synchronous and must not throw. */
export interface PartitionListener {
  /** At least one message, all of one partition in offset order. */
  onMessages(messages: readonly LogMessage[]): void;
  /** All messages before `offset` were delivered; the other offsets before it have none. */
  onReadTo(partition: TopicPartition, offset: number): void;
}

export interface PartitionReaderOptions {
  readonly clientId: string;
  readonly topics: readonly string[];
  /** Only this partition of every topic; absent: all, also those that are added later, from their beginning. */
  readonly partition?: number | undefined;
  /** Only the partitions with a given position. */
  readonly isFixed?: boolean;
}

export type CreatePartitionReader = (
  options: PartitionReaderOptions,
  listener: PartitionListener,
) => PartitionReader;
