import type { LogReader } from '../../../shared/messaging/embedded/partition-log.ts';
import { EmbeddedCursors } from '../../../shared/messaging/embedded/reader-rounds.ts';
import {
  partitionId,
  type LogMessage,
  type PartitionOffset,
  type TopicPartition,
} from '../../../shared/messaging/message.ts';
import type { BrokerModel } from './broker-model.ts';
import type { Link } from './link.ts';

export interface Batch extends PartitionOffset {
  readonly messages: readonly LogMessage[];
  readonly highWatermark: number;
}

interface Position extends TopicPartition {
  offset: number;
  isPaused: boolean;
}

/** The broker sends what comes; the client keeps its positions, and reads on from them over a new connection. */
export class Reader implements LogReader {
  readonly #link: Link;
  readonly #model: BrokerModel;
  readonly #onBatch: (batch: Batch) => void;
  #positions = new Map<string, Position>();
  #cursors: EmbeddedCursors | undefined;
  #connection = 0;

  constructor(link: Link, model: BrokerModel, onBatch: (batch: Batch) => void) {
    this.#link = link;
    this.#model = model;
    this.#onBatch = onBatch;
  }

  assign(positions: readonly PartitionOffset[]): void {
    this.#positions = new Map(
      positions.map((one) => [partitionId(one.topic, one.partition), { ...one, isPaused: false }]),
    );
    this.#connect();
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const { topic, partition } of partitions) {
      const position = this.#positions.get(partitionId(topic, partition));
      const cursor = this.#cursors?.find(topic, partition);
      if (position !== undefined) position.isPaused = true;
      if (cursor !== undefined) cursor.paused = true;
    }
  }

  resume(partitions: readonly TopicPartition[]): void {
    const paused = partitions.flatMap(({ topic, partition }) => {
      const position = this.#positions.get(partitionId(topic, partition));
      return position?.isPaused === true ? [position] : [];
    });
    for (const position of paused) position.isPaused = false;
    if (paused.length > 0) this.#connect();
  }

  /** The next offset to be read of each partition. */
  positions(): Iterable<PartitionOffset> {
    return this.#positions.values();
  }

  close(): void {
    this.#positions.clear();
    this.disconnect();
  }

  disconnect(): void {
    this.#connection += 1;
    this.#cursors?.close();
    this.#cursors = undefined;
  }

  check(): void {
    if (this.#cursors === undefined && this.#positions.size > 0 && this.#link.isConnected) this.#connect();
  }

  deliver(): boolean {
    const connection = this.#connection;
    if (!this.#link.host.isAlive() || !this.#link.isConnected) {
      this.disconnect();
      return false;
    }
    const isRead = this.#cursors?.round(({ topic, partition, position, log }, messages) => {
      const batch = { topic, partition, offset: position, messages, highWatermark: log.high };
      this.#link.push(
        () => this.#take(connection, batch),
        () => connection === this.#connection && this.disconnect(),
      );
    });
    return isRead ?? false;
  }

  #connect(): void {
    this.disconnect();
    const cursors = Array.from(this.#positions.values()).flatMap(
      ({ topic, partition, offset: position, isPaused: paused }) => {
        const log = this.#model.topics.find(topic)?.logs[partition];
        return log === undefined ? [] : [{ topic, partition, log, position, paused }];
      },
    );
    this.#cursors = new EmbeddedCursors(cursors, this);
    this.#model.scheduler.wake(this);
  }

  #take(connection: number, batch: Batch): void {
    const position = this.#positions.get(partitionId(batch.topic, batch.partition));
    // The messages of a partition that was paused meanwhile are sent again.
    if (connection !== this.#connection || position === undefined || position.isPaused) return;
    position.offset = batch.offset;
    this.#onBatch(batch);
  }
}
