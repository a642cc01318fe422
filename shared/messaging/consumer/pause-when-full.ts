import { type TopicPartition, partitionId } from '../message.ts';
import { QUEUE_LIMITS, type WindowLimits } from '../../platform/queue-limits.ts';
import type { GroupSource } from '../ports.ts';
import { OffsetTracker } from './offset-tracker.ts';

export interface PartitionLag extends TopicPartition {
  readonly lag: number;
}

type PausableSource = Pick<GroupSource, 'pause' | 'resume'>;

/** The partitions of the current generation. Each is paused when its window is full, until half of it is free. */
export class OwnedPartitions {
  readonly #maxMessages: number;
  readonly #maxBytes: number;
  readonly #maxPending: number;
  #trackers = new Map<string, OffsetTracker>();
  #source: PausableSource | undefined;
  #isStopped = false;

  constructor(limits: Partial<WindowLimits> = {}) {
    const { requestWindow: defaults } = QUEUE_LIMITS;
    this.#maxMessages = limits.messages ?? defaults.messages;
    this.#maxBytes = limits.bytes ?? defaults.bytes;
    this.#maxPending = limits.pending ?? this.#maxMessages;
  }

  /** Starts a new generation. Resumes the partitions that were paused in the previous one. */
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

  release(): void {
    for (const tracker of this.#trackers.values()) tracker.closed = true;
    this.#trackers = new Map();
    this.#source = undefined;
  }

  /** Begins again with a partition whose log was replaced. */
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
    return [...this.#trackers.values()].filter(({ paused }) => paused || this.#isStopped).length;
  }

  pauseWhenFull(tracker: OffsetTracker): void {
    if (tracker.paused || this.#isStopped) return;
    const isFull = tracker.unfinished >= this.#maxMessages || tracker.unfinishedBytes >= this.#maxBytes;
    if (!isFull && tracker.unconfirmedCount < this.#maxPending) return;
    tracker.paused = true;
    this.#source?.pause([toPlain(tracker)]);
  }

  /** Resumes only when half of the window is free, so that the partition is not paused again immediately. */
  resumeWhenHalf(tracker: OffsetTracker): void {
    if (!tracker.paused || tracker.closed) return;
    const isAboveHalf =
      tracker.unfinished * 2 > this.#maxMessages || tracker.unfinishedBytes * 2 > this.#maxBytes;
    if (isAboveHalf || tracker.unconfirmedCount * 2 > this.#maxPending) return;
    tracker.paused = false;
    if (!this.#isStopped) this.#source?.resume([toPlain(tracker)]);
  }

  /** Pauses all partitions permanently, including those of later generations. */
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
