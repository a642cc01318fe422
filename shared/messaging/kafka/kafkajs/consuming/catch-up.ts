import { partitionId, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import type { FetchAnswer } from '../patches/fetch-messages.ts';

/** After this number of responses that contain only records of other partitions, the other partitions are paused. */
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
 * The pending caughtUp() calls of a tail. A fetch response with records of other partitions does not prove that a partition
 * without records is empty: a response is limited to 2 MiB, and contains a record beyond 256 KiB only in first place. Under
 * steady traffic no response would ever be empty, so partitions that no call waits for are paused until the call ends.
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

  /** Called when the end was reached or the call was abandoned. */
  end(catchUp: CatchUp | undefined): void {
    if (catchUp === undefined || !this.#waiting.delete(catchUp)) return;
    this.#resumeOthers();
  }

  /** Called when the consumer has ended, and with it the pauses: its successor reads all partitions. */
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
 * - a fetch response without any records starts at the tail's position and has its last stable offset at or after the end: the
 *   offsets up to the end have no record (compaction).
 * Records of an open transaction, and those after it, are at or above the last stable offset. So the wait includes them and the
 * marker that ends the transaction. A partition without a response has not caught up.
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

  /** Called when the tail has advanced. */
  moved({ topic, partition, offset }: PartitionOffset): void {
    const id = partitionId(topic, partition);
    const end = this.#missing.get(id);
    if (end === undefined) return;
    this.#busyAnswers = 0;
    if (offset >= end) this.#missing.delete(id);
    this.#check();
  }

  /**
   * Called when a broker has answered a fetch. Returns whether records of other partitions may keep a missing one from
   * being fetched.
   */
  answered({ isEmpty, partitions }: FetchAnswer): boolean {
    let isBusy = false;
    for (const { topic, partition, from, stableEnd, isEmpty: isPartitionEmpty } of partitions) {
      const id = partitionId(topic, partition);
      const end = this.#missing.get(id);
      if (end === undefined) continue;
      if (from >= end || (isEmpty && stableEnd >= end)) this.#missing.delete(id);
      else if (!isEmpty && isPartitionEmpty && stableEnd >= end) isBusy = true;
    }
    this.#check();
    if (isBusy) this.#busyAnswers += 1;
    return isBusy && this.#busyAnswers >= BUSY_ANSWERS;
  }

  #check(): void {
    if (this.#missing.size === 0) this.#resolve();
  }
}
