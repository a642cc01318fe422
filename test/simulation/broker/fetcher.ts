import { partitionId, type PartitionOffset, type TopicPartition } from '../../../shared/messaging/message.ts';
import type { BrokerModel, FetchedPartition } from './broker-model.ts';
import type { Link } from './link.ts';

/** Delay before a failed fetch is repeated. */
const RETRY_MS = 100;

interface Cursor extends TopicPartition {
  position: number;
  isPaused: boolean;
}

/** The fetch loop of a consumer: one request at a time, which waits at the broker while there is nothing to read. */
export class Fetcher {
  readonly #link: Link;
  readonly #model: BrokerModel;
  readonly #onBatch: (batch: FetchedPartition) => void;
  #cursors = new Map<string, Cursor>();
  /** Responses to earlier requests are ignored. */
  #request = 0;
  #isFetching = false;
  #cancelWait: (() => void) | undefined;

  constructor(link: Link, model: BrokerModel, onBatch: (batch: FetchedPartition) => void) {
    this.#link = link;
    this.#model = model;
    this.#onBatch = onBatch;
  }

  /** Reads these partitions, and no others, from these positions on. */
  assign(positions: readonly PartitionOffset[]): void {
    this.#interrupt();
    this.#cursors = new Map(
      positions.map(({ topic, partition, offset }) => [
        partitionId(topic, partition),
        { topic, partition, position: offset, isPaused: false },
      ]),
    );
    this.#fetch();
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const cursor of this.#find(partitions)) cursor.isPaused = true;
  }

  resume(partitions: readonly TopicPartition[]): void {
    const paused = this.#find(partitions).filter(({ isPaused }) => isPaused);
    if (paused.length === 0) return;
    for (const cursor of paused) cursor.isPaused = false;
    this.#interrupt();
    this.#fetch();
  }

  /** The next offset to be read of each partition. */
  positions(): readonly PartitionOffset[] {
    return Array.from(this.#cursors.values(), ({ topic, partition, position }) => ({
      topic,
      partition,
      offset: position,
    }));
  }

  close(): void {
    this.#interrupt();
    this.#cursors.clear();
  }

  #find(partitions: readonly TopicPartition[]): Cursor[] {
    return partitions.flatMap(
      ({ topic, partition }) => this.#cursors.get(partitionId(topic, partition)) ?? [],
    );
  }

  #interrupt(): void {
    this.#request += 1;
    this.#isFetching = false;
    this.#cancelWait?.();
    this.#cancelWait = undefined;
  }

  #fetch(): void {
    const wanted = Array.from(this.#cursors.values())
      .filter(({ isPaused }) => !isPaused)
      .map(({ topic, partition, position }) => ({ topic, partition, offset: position }));
    if (this.#isFetching || wanted.length === 0) return;
    this.#isFetching = true;
    this.#request += 1;
    void this.#take(wanted, this.#request);
  }

  async #take(wanted: readonly PartitionOffset[], request: number): Promise<void> {
    const isCurrent = (): boolean => this.#request === request;
    try {
      const batches = await this.#link.call(() => {
        if (!isCurrent()) return [];
        return this.#model.fetch(wanted, (cancel) => {
          this.#cancelWait = cancel;
        });
      });
      for (const batch of batches) if (isCurrent()) this.#deliver(batch);
    } catch {
      if (!isCurrent()) return;
      this.#cancelWait?.();
      this.#link.host.ports.timers.schedule(() => {
        if (isCurrent()) this.#again();
      }, RETRY_MS);
      return;
    }
    if (isCurrent()) this.#again();
  }

  #again(): void {
    this.#isFetching = false;
    this.#fetch();
  }

  #deliver(batch: FetchedPartition): void {
    const cursor = this.#cursors.get(partitionId(batch.topic, batch.partition));
    // The messages of a partition that was paused meanwhile are fetched again.
    if (cursor === undefined || cursor.isPaused) return;
    cursor.position = batch.offset;
    this.#onBatch(batch);
  }
}
