import { partitionId, type TopicPartition } from '../message.ts';
import type { GroupSource } from '../ports.ts';
import type { InFlight } from './redelivered-work.ts';
import { OffsetTracker } from './offset-tracker.ts';

/** How much of one partition is received before the partition is paused. */
export interface WindowOptions {
  /** Messages that are not done. Default 1,000. */
  readonly messages?: number;
  /** Bytes of messages that are not done. Default 32 MiB. */
  readonly bytes?: number;
  /**
   * Messages beyond the prefix, done ones included: what a crash may repeat. Default as `messages`: one message that
   * waits for another attempt then soon holds up its whole partition.
   */
  readonly pending?: number;
}

export interface PartitionLag extends TopicPartition {
  /** Messages that are not done, as far as the source has reported. */
  readonly lag: number;
}

type PausableSource = Pick<GroupSource, 'pause' | 'resume'>;

const WINDOW_MESSAGES = 1_000;
const WINDOW_BYTES = 32 * 1_024 * 1_024;

/** The partitions that this consumer owns in the current generation, and which of them are paused. */
export class OwnedPartitions {
  readonly #inFlight: InFlight;
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  readonly #maxPending: number;
  #trackers = new Map<string, OffsetTracker>();
  #source: PausableSource | undefined;
  /** All are paused, regardless of the state of each. */
  #isStopped = false;

  constructor(inFlight: InFlight, options: WindowOptions = {}) {
    this.#inFlight = inFlight;
    this.#maxMessages = options.messages ?? WINDOW_MESSAGES;
    this.#maxBytes = options.bytes ?? WINDOW_BYTES;
    this.#maxPending = options.pending ?? this.#maxMessages;
  }

  /**
   * A new generation: started work is kept for redeliveries, and what ends for the former generation no longer counts.
   * The new partitions start unpaused, whatever the source remembers of the former generation.
   */
  assign(source: PausableSource, partitions: readonly TopicPartition[]): void {
    const paused = [...this.#trackers.values()].filter((tracker) => tracker.paused);
    this.release();
    this.#source = source;
    for (const partition of partitions) {
      this.#trackers.set(partitionId(partition.topic, partition.partition), new OffsetTracker(partition));
    }
    if (this.#isStopped) source.pause(partitions);
    else if (paused.length > 0) source.resume(paused.map(toPlain));
  }

  /** Owns no partition any more. */
  release(): void {
    for (const tracker of this.#trackers.values()) {
      tracker.closed = true;
      this.#inFlight.keep(tracker);
    }
    this.#trackers = new Map();
    this.#source = undefined;
  }

  find(topic: string, partition: number): OffsetTracker | undefined {
    return this.#trackers.get(partitionId(topic, partition));
  }

  all(): Iterable<OffsetTracker> {
    return this.#trackers.values();
  }

  get size(): number {
    return this.#trackers.size;
  }

  get pausedCount(): number {
    let count = 0;
    for (const tracker of this.#trackers.values()) if (tracker.paused || this.#isStopped) count += 1;
    return count;
  }

  /** Pauses a partition that has too much beyond its prefix. */
  pauseWhenFull(tracker: OffsetTracker): void {
    if (tracker.paused || this.#isStopped) return;
    const isFull = tracker.unfinished >= this.#maxMessages || tracker.unfinishedBytes >= this.#maxBytes;
    if (!isFull && tracker.pending < this.#maxPending) return;
    tracker.paused = true;
    this.#source?.pause([toPlain(tracker)]);
  }

  /** Resumes a paused partition once it is below half of its window, so that it does not pause again at once. */
  resumeWhenHalf(tracker: OffsetTracker): void {
    if (!tracker.paused || tracker.closed) return;
    const isAboveHalf =
      tracker.unfinished * 2 > this.#maxMessages || tracker.unfinishedBytes * 2 > this.#maxBytes;
    if (isAboveHalf || tracker.pending * 2 > this.#maxPending) return;
    tracker.paused = false;
    if (!this.#isStopped) this.#source?.resume([toPlain(tracker)]);
  }

  /** Pauses all permanently, those of future generations too: the consumer ends. */
  pauseAll(): void {
    this.#isStopped = true;
    this.#source?.pause([...this.#trackers.values()].map(toPlain));
  }

  lag(): readonly PartitionLag[] {
    return [...this.#trackers.values()].map((tracker) => ({ ...toPlain(tracker), lag: tracker.lag }));
  }
}

function toPlain({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition };
}
