import type { FetchAnswer } from '../kafkajs/fetch-answers.ts';
import { partitionId, type PartitionOffset, type TopicPartition } from '../../message.ts';

/** After so many answers with other partitions only, what is missing may have been left out for its size. */
const BUSY_ANSWERS = 3;

/**
 * Waits until a tail has read up to given end offsets, which are high watermarks. An end is reached when
 * - all messages below it were handed over, or
 * - a broker had nothing to hand out from the tail's position on, in an answer from which nothing was left out, with the
 *   last stable offset at or behind the end: what is left below the end are offsets without a record (compaction).
 * A record of an open transaction, or behind one, lies at or above the last stable offset. So it is waited for, as is
 * the marker that ends the transaction, and a partition that nobody answers for counts as behind.
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

  /** The tail has read on. */
  moved({ topic, partition, offset }: PartitionOffset): void {
    const id = partitionId(topic, partition);
    const end = this.#missing.get(id);
    if (end === undefined) return;
    this.#busyAnswers = 0;
    if (offset >= end) this.#missing.delete(id);
    this.#check();
  }

  /** A broker answered. Answers whether other partitions may keep what is missing from being fetched. */
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
