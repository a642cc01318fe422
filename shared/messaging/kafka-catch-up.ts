import { partitionId, type PartitionOffset, type TopicPartition } from './message.ts';

/**
 * So many fetches of every broker must find nothing at all before what is missing counts as empty: two whole ones, and
 * the one that may have been under way when the waiting began.
 */
const EMPTY_ROUNDS = 3;
/** So many fetches that bring only other partitions, and the others are held back. */
const BUSY_ROUNDS = 3;

/**
 * Waits until a tail has read up to given end offsets. Offsets at the end may have no record left (compaction,
 * transaction markers); nothing is ever delivered for them, so a tail whose fetches find nothing is done too.
 */
export class CatchUp {
  readonly reached: Promise<void>;
  readonly #resolve: () => void;
  readonly #missing = new Map<string, number>();
  readonly #rounds = new Map<string, number>();
  #busyRounds = 0;

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
    this.restarted();
    if (offset >= end) this.#missing.delete(id);
    this.#check();
  }

  /** A broker's fetch found nothing; `brokers` are all that are fetched from. */
  emptyRound(nodeId: string, brokers: ReadonlySet<string>): void {
    this.#rounds.set(nodeId, (this.#rounds.get(nodeId) ?? 0) + 1);
    for (const broker of brokers) {
      if ((this.#rounds.get(broker) ?? 0) < EMPTY_ROUNDS) return;
    }
    this.#missing.clear();
    this.#check();
  }

  /** A fetch brought something. Answers whether other partitions keep what is missing from being fetched, or may do so. */
  busyRound(): boolean {
    this.#busyRounds += 1;
    return this.#busyRounds >= BUSY_ROUNDS;
  }

  /** The tail joins anew, or has read on; what was seen before says nothing any more. */
  restarted(): void {
    this.#rounds.clear();
    this.#busyRounds = 0;
  }

  #check(): void {
    if (this.#missing.size === 0) this.#resolve();
  }
}
