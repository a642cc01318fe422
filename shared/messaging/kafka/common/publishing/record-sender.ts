import type { PublishFate } from '../connection/errors.ts';
import type { PublishSlice } from './publish-queue.ts';

/** A slice that no broker has confirmed. */
export interface PublishFailure {
  readonly slice: PublishSlice;
  readonly fate: PublishFate;
  readonly error: unknown;
}

/** What a publisher needs of a Kafka client: sends slices to the leaders of their partitions. */
export interface RecordSender {
  /**
   * The leader of a partition as far as it is known. A publisher makes one send to each leader at a time, and one to all
   * unknown ones. Absent: one send at a time, whose end all others wait for.
   */
  leaderOf?(topic: string, partition: number): string | undefined;
  /**
   * Sends once. Calls `onStored` with the slices of each broker that confirms them, while requests to others may be pending.
   * Resolves with the slices that no broker has confirmed. Never rejects.
   */
  send(
    slices: readonly PublishSlice[],
    onStored: (slices: readonly PublishSlice[]) => void,
  ): Promise<readonly PublishFailure[]>;
}

/** Keeps a sender connected. */
export interface SenderConnection {
  /** The sender, while it is connected. */
  readonly sender: RecordSender | undefined;
  /** The error of the latest failed attempt to connect. */
  readonly lastError: unknown;
  isConnected(): boolean;
  /** Connects; retries until it succeeds or the connection is closed. */
  open(): void;
  /**
   * Called after a failed send of these slices: if the sender is still the current one, what it knows of them, or the sender with
   * its connections, is replaced.
   */
  discard(sender: RecordSender, slices: readonly PublishSlice[]): void;
  close(): void;
}

/** Creates the connection of one publisher; `onReady` is called each time when it is connected, `onFailed` when it cannot connect. */
export type ConnectSender = (options: {
  readonly clientId: string;
  readonly onReady: () => void;
  readonly onFailed: (error: unknown) => void;
}) => SenderConnection;
