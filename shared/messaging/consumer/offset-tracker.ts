import type { LogMessage, TopicPartition } from '../message.ts';
import { headersBytes } from '../headers.ts';
import type { WorkProgress } from '../outcome.ts';

/** `queued`: not started. `running`: being processed. `held`: waiting for its next attempt. `done`: completed. */
export interface Work extends WorkProgress {
  /** Replaced by a placeholder when the work item is done, so that its memory is free before the commit. */
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

/** Committed work items are removed in chunks of at least this size, because moving the rest of the list takes time. */
const CUT_CHUNK = 512;

/** A partition in one generation. Only the contiguous prefix of done messages is committed, so a crash loses none. */
export class OffsetTracker implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** The generation has ended, or the log was replaced: later completions do not count. */
  closed = false;
  paused = false;
  highWatermark = 0;
  /** The last position that the source reported, beyond records that it does not deliver; 0 before the first report. */
  readTo = 0;
  /** Number and bytes of delivered messages that are not done, and therefore in memory. */
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

  /** Number of delivered messages beyond the prefix, done or not. */
  get pending(): number {
    return this.#works.length - this.#first;
  }

  /** Number of delivered messages without a confirmed commit, done or not. */
  get unconfirmedCount(): number {
    return this.#works.length - this.#start;
  }

  /** `isWaiting`, `isHeld`, `isRetried` and `steps` describe the first message that is not done. */
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

  /** The next offset to commit. If all messages are done, it is at least `readTo`: transaction markers are not lag. */
  get position(): number | undefined {
    const isRead = this.pending === 0 && this.readTo > (this.#position ?? 0);
    return isRead ? this.readTo : this.#position;
  }

  /** Number of offsets on the partition beyond the prefix; 0 until something was read. */
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

  /** The offset to commit; undefined if there is nothing new to commit. */
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
