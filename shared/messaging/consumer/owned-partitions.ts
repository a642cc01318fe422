import { QUEUE_LIMITS, type WindowLimits } from '../../platform/queues/queue-limits.ts';
import { partitionId, type TopicPartition } from '../message.ts';
import type { GroupSource } from '../ports.ts';
import { OffsetTracker } from './offset-tracker.ts';

export interface PartitionLag extends TopicPartition {
  /** Messages that are not done, up to the last known high watermark. */
  readonly lag: number;
}

type PausableSource = Pick<GroupSource, 'pause' | 'resume'>;

/** The partitions of this consumer in the current generation; pauses those with a full window. */
export class OwnedPartitions {
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  readonly #maxPending: number;
  #trackers = new Map<string, OffsetTracker>();
  #source: PausableSource | undefined;
  /** All partitions are paused permanently. */
  #isStopped = false;

  constructor(limits: Partial<WindowLimits> = {}) {
    const { requestWindow: defaults } = QUEUE_LIMITS;
    this.#maxMessages = limits.messages ?? defaults.messages;
    this.#maxBytes = limits.bytes ?? defaults.bytes;
    this.#maxPending = limits.pending ?? this.#maxMessages;
  }

  /**
   * Starts a new generation. Partitions that are still paused at the source are resumed.
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

  /** Gives up all partitions. */
  release(): void {
    for (const tracker of this.#trackers.values()) tracker.closed = true;
    this.#trackers = new Map();
    this.#source = undefined;
  }

  /** Starts over with a partition whose log was replaced by a shorter one. */
  restart(tracker: OffsetTracker): OffsetTracker {
    tracker.closed = true;
    const restarted = new OffsetTracker(tracker);
    restarted.paused = tracker.paused;
    this.#trackers.set(partitionId(tracker.topic, tracker.partition), restarted);
    return restarted;
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
    if (!isFull && tracker.unconfirmedCount < this.#maxPending) return;
    tracker.paused = true;
    this.#source?.pause([toPlain(tracker)]);
  }

  /**
   * Resumes a paused partition below half of its window, so that it is not paused again immediately. Called when messages are
   * done and when they are committed.
   */
  resumeWhenHalf(tracker: OffsetTracker): void {
    if (!tracker.paused || tracker.closed) return;
    const isAboveHalf =
      tracker.unfinished * 2 > this.#maxMessages || tracker.unfinishedBytes * 2 > this.#maxBytes;
    if (isAboveHalf || tracker.unconfirmedCount * 2 > this.#maxPending) return;
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
