import { CatchUp } from './catch-up.ts';
import type { FetchAnswer } from '../kafkajs/fetch-answers.ts';
import { partitionId, type PartitionOffset, type TopicPartition } from '../../message.ts';

/** What catching up asks of its tail. */
export interface CatchUpCalls {
  partitions(): readonly TopicPartition[];
  /** The next offset to be read. */
  position(partition: TopicPartition): number;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
}

/**
 * Everything that waits for a tail to catch up. A fetch that brings other partitions says nothing of one of which it
 * brings nothing: an answer holds 2 MiB, and a record beyond 256 KiB only when it comes first. Under steady traffic no
 * fetch would ever find nothing, so the partitions that nobody waits for are then paused for a moment.
 */
export class CatchUps {
  readonly #calls: CatchUpCalls;
  readonly #waiting = new Set<CatchUp>();
  #heldBack: readonly TopicPartition[] = [];

  constructor(calls: CatchUpCalls) {
    this.#calls = calls;
  }

  begin(ends: readonly PartitionOffset[]): CatchUp {
    const catchUp = new CatchUp(ends, (partition) => this.#calls.position(partition));
    this.#waiting.add(catchUp);
    return catchUp;
  }

  /** Reached, or given up. */
  end(catchUp: CatchUp | undefined): void {
    if (catchUp === undefined || !this.#waiting.delete(catchUp)) return;
    this.#letGo();
  }

  /** The consumer is gone, and with it what it held back: another one reads all partitions. */
  consumerEnded(): void {
    this.#heldBack = [];
  }

  answered(answer: FetchAnswer): void {
    for (const catchUp of this.#waiting) if (catchUp.answered(answer)) this.#holdBack();
  }

  moved(position: PartitionOffset): void {
    for (const catchUp of this.#waiting) catchUp.moved(position);
  }

  #holdBack(): void {
    const isAwaited = ({ topic, partition }: TopicPartition) =>
      [...this.#waiting].some((catchUp) => catchUp.misses(partitionId(topic, partition)));
    this.#letGo();
    this.#heldBack = this.#calls.partitions().filter((partition) => !isAwaited(partition));
    if (this.#heldBack.length > 0) this.#calls.pause(this.#heldBack);
  }

  #letGo(): void {
    if (this.#heldBack.length > 0) this.#calls.resume(this.#heldBack);
    this.#heldBack = [];
  }
}
