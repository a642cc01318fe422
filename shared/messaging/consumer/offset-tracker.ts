import { type LogMessage, type TopicPartition, partitionId } from '../message.ts';
import { headersBytes } from '../headers.ts';
import type { WorkProgress } from '../outcome.ts';
import { QUEUE_LIMITS, type WindowLimits } from '../../platform/queue-limits.ts';
import type { GroupSource } from '../ports.ts';

/** `queued`: not started · `running`: being processed · `held`: waits for its next attempt · `done`: completed. */
export interface Work extends WorkProgress {
  /** Replaced by a placeholder when the work item is done, to free the message before its commit. */
  message: LogMessage;
  readonly offset: number;
  readonly bytes: number;
  state: 'queued' | 'running' | 'held' | 'done';
  attempts: number;
  readonly tracker: OffsetTracker;
}

export function createWork(message: LogMessage, tracker: OffsetTracker, receivedMs: number): Work {
  const { value, key, headers, offset } = message;
  const bytes = (value?.length ?? 0) + (key?.length ?? 0) + headersBytes(headers);
  return { message, offset, bytes, receivedMs, state: 'queued', attempts: 0, steps: 0, tracker };
}

export function finishWork(work: Work): void {
  work.state = 'done';
  work.tracker.finished(work);
  work.message = { ...work.message, key: null, value: null, headers: {} };
}

/** Committed work items are removed from the list in chunks, because moving the rest takes time. */
const CUT_CHUNK = 512;

/** A partition in one generation. Only the contiguous prefix of done messages is committed, so that unfinished ones come again. */
export class OffsetTracker implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** The generation has ended: later completions do not count. */
  closed = false;
  paused = false;
  highWatermark = 0;
  /** The next offset that the source reads: beyond the last message, and beyond records that it does not deliver. */
  readTo = 0;
  /** Delivered messages that are not done, and their bytes: these are in memory. */
  unfinished = 0;
  unfinishedBytes = 0;
  #works: Work[] = [];
  /** Index of the first work item without a confirmed commit. */
  #start = 0;
  /** Index of the first work item that is not done: the end of the prefix. */
  #first = 0;
  lastOffset = -1;
  #position: number | undefined;
  #committed: number | undefined;

  constructor({ topic, partition }: TopicPartition) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Delivered messages beyond the prefix, including completed ones. */
  get pending(): number {
    return this.#works.length - this.#first;
  }

  /** Delivered messages without a confirmed commit, done or not. */
  get unconfirmedCount(): number {
    return this.#works.length - this.#start;
  }

  /** isWaiting, isHeld, isRetried and steps describe the first message that is not done. */
  get isWaiting(): boolean {
    return this.#works[this.#first]?.state === 'queued';
  }

  get isHeld(): boolean {
    return this.#works[this.#first]?.state === 'held';
  }

  get isRetried(): boolean {
    const { attempts, state } = this.#works[this.#first] ?? { attempts: 0, state: 'queued' };
    return attempts > (state === 'running' ? 1 : 0);
  }

  get steps(): number {
    const { steps, attempts } = this.#works[this.#first] ?? { steps: 0, attempts: 0 };
    return steps + Math.max(0, attempts - 1);
  }

  /** The next offset to commit. Once all is done it is beyond markers of transactions, which would count as lag. */
  get position(): number | undefined {
    const isRead = this.pending === 0 && this.readTo > (this.#position ?? 0);
    return isRead ? this.readTo : this.#position;
  }

  /** Messages on the partition beyond the prefix; 0 until something was read. */
  get lag(): number {
    const first = this.#works[this.#first]?.offset;
    const next = first ?? this.position ?? 0;
    return next === 0 && first === undefined ? 0 : Math.max(0, this.highWatermark - next);
  }

  add(work: Work): void {
    this.#works.push(work);
    this.lastOffset = work.offset;
    if (work.state === 'done') return;
    this.unfinished += 1;
    this.unfinishedBytes += work.bytes;
  }

  finished(work: Work): void {
    this.unfinished -= 1;
    this.unfinishedBytes -= work.bytes;
  }

  /** Extends the prefix over the messages that are done. Call it after finishWork(). */
  advance(): void {
    for (let work = this.#works[this.#first]; work?.state === 'done'; work = this.#works[this.#first]) {
      this.#position = work.offset + 1;
      this.#first += 1;
    }
  }

  /** The offset to commit; undefined: there is nothing to commit. */
  uncommitted(): number | undefined {
    const { position } = this;
    return position === this.#committed ? undefined : position;
  }

  confirm(position: number): void {
    this.#committed = position;
    while (this.#start < this.#first && (this.#works[this.#start]?.offset ?? position) < position) {
      this.#start += 1;
    }
    if (this.#start < CUT_CHUNK) return;
    this.#works = this.#works.slice(this.#start);
    this.#first -= this.#start;
    this.#start = 0;
  }
}

export interface PartitionLag extends TopicPartition {
  readonly lag: number;
}

type PausableSource = Pick<GroupSource, 'pause' | 'resume'>;

/** The partitions of the current generation. Each is paused while its window is full. */
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

  /** Starts a new generation. Partitions that are still paused at the source are resumed. */
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

  /** Replaces the tracker of a partition whose log was replaced. */
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

  /** Resumes at half of the window, so that the partition is not paused again immediately. */
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
