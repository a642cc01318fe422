import { partitionId, type PartitionOffset, type TopicPartition } from '../../message.ts';
import type { FetchAnswer } from '../kafkajs/unreadable-batches.ts';

/** After this many answers with other partitions only, a missing one may have been left out for its size. */
const BUSY_ANSWERS = 3;

/** Access to the tail that catches up. */
export interface CatchUpCalls {
  partitions(): readonly TopicPartition[];
  /** The next offset to be read. */
  position(partition: TopicPartition): number;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
}

/**
 * All pending waits for a tail to catch up. A fetch with records of other partitions says nothing about a partition without
 * records: an answer holds 2 MiB, and a record beyond 256 KiB only when it comes first. Under steady traffic no fetch would
 * ever be empty, so the partitions for which no call waits are then paused for a moment.
 */
export class CatchUps {
  readonly #calls: CatchUpCalls;
  readonly #waiting = new Set<CatchUp>();
  #paused: readonly TopicPartition[] = [];

  constructor(calls: CatchUpCalls) {
    this.#calls = calls;
  }

  begin(ends: readonly PartitionOffset[]): CatchUp {
    const catchUp = new CatchUp(ends, (partition) => this.#calls.position(partition));
    this.#waiting.add(catchUp);
    return catchUp;
  }

  /** The end was reached, or the wait was given up. */
  end(catchUp: CatchUp | undefined): void {
    if (catchUp === undefined || !this.#waiting.delete(catchUp)) return;
    this.#resumeOthers();
  }

  /** The consumer is gone, and with it the pauses: another one reads all partitions. */
  consumerEnded(): void {
    this.#paused = [];
  }

  answered(answer: FetchAnswer): void {
    for (const catchUp of this.#waiting) if (catchUp.answered(answer)) this.#pauseOthers();
  }

  moved(position: PartitionOffset): void {
    for (const catchUp of this.#waiting) catchUp.moved(position);
  }

  #pauseOthers(): void {
    const isAwaited = ({ topic, partition }: TopicPartition) =>
      [...this.#waiting].some((catchUp) => catchUp.misses(partitionId(topic, partition)));
    this.#resumeOthers();
    this.#paused = this.#calls.partitions().filter((partition) => !isAwaited(partition));
    if (this.#paused.length > 0) this.#calls.pause(this.#paused);
  }

  #resumeOthers(): void {
    if (this.#paused.length > 0) this.#calls.resume(this.#paused);
    this.#paused = [];
  }
}

/**
 * Waits until a tail has read up to given end offsets, which are high watermarks. An end is reached when
 * - all messages below it were delivered, or
 * - a broker had no records from the tail's position on, in an answer from which nothing was left out, with the last stable
 *   offset at or behind the end: below the end there are only offsets without a record (compaction).
 * A record of an open transaction, or behind one, lies at or above the last stable offset. So the wait includes it and the
 * marker that ends the transaction, and a partition without an answer counts as behind.
 */
export class CatchUp {
  readonly reached: Promise<void>;
  readonly #resolve: () => void;
  readonly #missing = new Map<string, number>();
  #busyAnswers = 0;

  constructor(ends: readonly PartitionOffset[], position: (partition: TopicPartition) => number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.reached = promise;
    this.#resolve = resolve;
    for (const end of ends) {
      if (position(end) < end.offset) this.#missing.set(partitionId(end.topic, end.partition), end.offset);
    }
    this.#check();
  }

  /** Whether the partition has not reached its end. */
  misses(id: string): boolean {
    return this.#missing.has(id);
  }

  /** The tail has advanced. */
  moved({ topic, partition, offset }: PartitionOffset): void {
    const id = partitionId(topic, partition);
    const end = this.#missing.get(id);
    if (end === undefined) return;
    this.#busyAnswers = 0;
    if (offset >= end) this.#missing.delete(id);
    this.#check();
  }

  /** A broker answered. Returns whether other partitions may keep a missing one from being fetched. */
  answered({ isEmpty, partitions }: FetchAnswer): boolean {
    let isBusy = false;
    for (const { topic, partition, from, stableEnd, isEmpty: bringsNothing } of partitions) {
      const id = partitionId(topic, partition);
      const end = this.#missing.get(id);
      if (end === undefined) continue;
      if (from >= end || (isEmpty && stableEnd >= end)) this.#missing.delete(id);
      else if (!isEmpty && bringsNothing && stableEnd >= end) isBusy = true;
    }
    this.#check();
    if (isBusy) this.#busyAnswers += 1;
    return isBusy && this.#busyAnswers >= BUSY_ANSWERS;
  }

  #check(): void {
    if (this.#missing.size === 0) this.#resolve();
  }
}
