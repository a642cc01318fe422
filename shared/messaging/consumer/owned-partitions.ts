import { partitionId, type TopicPartition } from '../message.ts';
import type { GroupSource } from '../ports.ts';
import type { InFlight } from './redelivered-work.ts';
import { OffsetTracker } from './offset-tracker.ts';

/** Limits of one partition, beyond which it is paused. */
export interface WindowOptions {
  /** Messages that are not done. Default 1,000. */
  readonly messages?: number;
  /** Bytes of messages that are not done. Default 32 MiB. */
  readonly bytes?: number;
  /**
   * Messages beyond the prefix, including completed ones; a crash may repeat them. Defaults to `messages`, so that one
   * message that is held for another attempt soon blocks its partition.
   */
  readonly pending?: number;
}

export interface PartitionLag extends TopicPartition {
  /** Messages that are not done, up to the last known high watermark. */
  readonly lag: number;
}

type PausableSource = Pick<GroupSource, 'pause' | 'resume'>;

const WINDOW_MESSAGES = 1_000;
const WINDOW_BYTES = 32 * 1_024 * 1_024;

/** The partitions of this consumer in the current generation; pauses those with a full window. */
export class OwnedPartitions {
  readonly #inFlight: InFlight;
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  readonly #maxPending: number;
  #trackers = new Map<string, OffsetTracker>();
  #source: PausableSource | undefined;
  /** All partitions are paused permanently. */
  #isStopped = false;

  constructor(inFlight: InFlight, options: WindowOptions = {}) {
    this.#inFlight = inFlight;
    this.#maxMessages = options.messages ?? WINDOW_MESSAGES;
    this.#maxBytes = options.bytes ?? WINDOW_BYTES;
    this.#maxPending = options.pending ?? this.#maxMessages;
  }

  /**
   * Starts a new generation. Started work of the previous one is kept for redeliveries. Partitions that are still paused at
   * the source are resumed.
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

  /** Gives up all partitions; started work is kept for redeliveries. */
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

  /** Pauses a partition whose window is full. */
  pauseWhenFull(tracker: OffsetTracker): void {
    if (tracker.paused || this.#isStopped) return;
    const isFull = tracker.unfinished >= this.#maxMessages || tracker.unfinishedBytes >= this.#maxBytes;
    if (!isFull && tracker.pending < this.#maxPending) return;
    tracker.paused = true;
    this.#source?.pause([toPlain(tracker)]);
  }

  /** Resumes a paused partition below half of its window, so that it is not paused again immediately. */
  resumeWhenHalf(tracker: OffsetTracker): void {
    if (!tracker.paused || tracker.closed) return;
    const isAboveHalf =
      tracker.unfinished * 2 > this.#maxMessages || tracker.unfinishedBytes * 2 > this.#maxBytes;
    if (isAboveHalf || tracker.pending * 2 > this.#maxPending) return;
    tracker.paused = false;
    if (!this.#isStopped) this.#source?.resume([toPlain(tracker)]);
  }

  /** Pauses all partitions permanently, also those of later generations. */
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
