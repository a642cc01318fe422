import type { LogMessage, TopicPartition } from '../message.ts';
import { headersBytes } from '../message-content.ts';
import type { WorkProgress } from '../processing-result.ts';

/**
 * A delivered message in the consumer.
 * `queued`: not started · `running`: being processed · `held`: waits for its next attempt · `done`: completed.
 */
export interface Work extends WorkProgress {
  /** Replaced by a placeholder when the work item is done, to free the message before its commit. */
  message: LogMessage;
  readonly offset: number;
  readonly bytes: number;
  readonly receivedMs: number;
  state: 'queued' | 'running' | 'held' | 'done';
  attempts: number;
  /** The tracker of the partition in the generation of its delivery. */
  readonly tracker: OffsetTracker;
  /** The next message of the same key. */
  follower: Work | undefined;
}

const RELEASED: LogMessage = {
  topic: '',
  partition: -1,
  offset: -1,
  key: null,
  value: null,
  headers: {},
  timestampMs: 0,
};

/** `receivedMs`: when this process received the message (monotonic milliseconds). */
export function createWork(message: LogMessage, tracker: OffsetTracker, receivedMs: number): Work {
  const { value, key, headers, offset } = message;
  return {
    message,
    offset,
    bytes: (value?.length ?? 0) + (key?.length ?? 0) + headersBytes(headers),
    receivedMs,
    state: 'queued',
    attempts: 0,
    steps: 0,
    tracker,
    follower: undefined,
  };
}

/** Marks the work as done and releases its message. */
export function finishWork(work: Work): void {
  work.state = 'done';
  work.tracker.finished(work);
  work.message = RELEASED;
}

/** Committed work items are removed from the list in chunks, since moving the rest costs time. */
const CUT_CHUNK = 512;

/**
 * Tracks one partition in one generation of the group: the delivered messages in offset order, and the contiguous prefix of
 * completed ones. Only this prefix is committed, so that an unfinished message is redelivered even if later ones are
 * completed.
 */
export class OffsetTracker implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** The generation has ended: later completions do not count. */
  closed = false;
  /** Whether the partition is paused because its window is full. */
  paused = false;
  /** The last known high watermark of the partition. */
  highWatermark = 0;
  /** Offset up to which the source has read: behind the last message, and behind records that it does not deliver. */
  readTo = 0;
  /** Delivered messages that are not done, and their bytes: those held in memory. */
  unfinished = 0;
  unfinishedBytes = 0;
  #works: Work[] = [];
  /** Index of the first work item without a confirmed commit. */
  #start = 0;
  /** Index of the first work item that is not done: the end of the prefix. */
  #head = 0;
  #lastOffset = -1;
  #position: number | undefined;
  #committed: number | undefined;

  constructor({ topic, partition }: TopicPartition) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Delivered messages beyond the prefix, including completed ones. */
  get pending(): number {
    return this.#works.length - this.#head;
  }

  /** Delivered messages without a confirmed commit, which are kept and may be redelivered, including completed ones. */
  get unconfirmedCount(): number {
    return this.#works.length - this.#start;
  }

  /** Whether the first message beyond the prefix waits for its turn. */
  get isWaiting(): boolean {
    return this.#works[this.#head]?.state === 'queued';
  }

  /** Whether the first message beyond the prefix waits for the time of its next attempt. */
  get isHeld(): boolean {
    return this.#works[this.#head]?.state === 'held';
  }

  /** Whether an attempt of the first message beyond the prefix has ended. */
  get isRetried(): boolean {
    const { attempts, state } = this.#works[this.#head] ?? { attempts: 0, state: 'queued' };
    return attempts > (state === 'running' ? 1 : 0);
  }

  /** Steps and further attempts of the first message beyond the prefix. */
  get steps(): number {
    const { steps, attempts } = this.#works[this.#head] ?? { steps: 0, attempts: 0 };
    return steps + Math.max(0, attempts - 1);
  }

  /** Offset of the last message that was delivered in this generation; -1 before the first. */
  get lastOffset(): number {
    return this.#lastOffset;
  }

  /**
   * The next offset to commit; undefined while nothing is done. Once all messages are done, it is behind the records that are not
   * delivered too, such as markers of transactions: another client would count them as lag.
   */
  get position(): number | undefined {
    const isRead = this.pending === 0 && this.readTo > (this.#position ?? 0);
    return isRead ? this.readTo : this.#position;
  }

  /** Messages on the partition beyond the prefix; 0 until something was read. */
  get lag(): number {
    const first = this.#works[this.#head]?.offset;
    const next = first ?? this.position ?? 0;
    return next === 0 && first === undefined ? 0 : Math.max(0, this.highWatermark - next);
  }

  /** Adds the next delivered message, in offset order. */
  add(work: Work): void {
    this.#works.push(work);
    this.#lastOffset = work.offset;
    if (work.state === 'done') return;
    this.unfinished += 1;
    this.unfinishedBytes += work.bytes;
  }

  /** Records that one of its work items is done. */
  finished(work: Work): void {
    this.unfinished -= 1;
    this.unfinishedBytes -= work.bytes;
  }

  /** Advances the prefix over completed work items. */
  advance(): void {
    let work = this.#works[this.#head];
    while (work?.state === 'done') {
      this.#position = work.offset + 1;
      this.#head += 1;
      work = this.#works[this.#head];
    }
  }

  /** The offset to commit; undefined when it is committed already. */
  uncommitted(): number | undefined {
    const { position } = this;
    return position === this.#committed ? undefined : position;
  }

  /** Records that the commit of `position` is stored, and forgets the work items below it. */
  confirm(position: number): void {
    this.#committed = position;
    while (this.#start < this.#head && (this.#works[this.#start]?.offset ?? position) < position) {
      this.#start += 1;
    }
    if (this.#start < CUT_CHUNK) return;
    this.#works = this.#works.slice(this.#start);
    this.#head -= this.#start;
    this.#start = 0;
  }
}
