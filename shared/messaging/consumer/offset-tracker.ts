import type { LogMessage, TopicPartition } from '../message.ts';

/**
 * A delivered message in the consumer.
 * queued: waits for its turn · running: is being processed · held: waits for its next attempt · done.
 */
export interface Work {
  /** A placeholder once the work is done, so that the bytes of the message can be freed before the commit. */
  message: LogMessage;
  readonly offset: number;
  readonly timestampMs: number;
  readonly bytes: number;
  /** When this process first received it (monotonic milliseconds); kept when it is delivered again. */
  readonly receivedMs: number;
  state: 'queued' | 'running' | 'held' | 'done';
  attempts: number;
  /** Tracks its completion: the partition in the generation in which the message was last delivered. */
  tracker: OffsetTracker;
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

export function createWork(message: LogMessage, tracker: OffsetTracker): Work {
  return {
    message,
    offset: message.offset,
    timestampMs: message.timestampMs,
    bytes: (message.value?.length ?? 0) + (message.key?.length ?? 0),
    receivedMs: performance.now(),
    state: 'queued',
    attempts: 0,
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

/** Committed works are removed from the list in chunks, since moving the rest costs time. */
const CUT_CHUNK = 512;

/**
 * One partition in one generation of the group: what was delivered, in offset order, and up to where everything is done
 * without a gap. Only that contiguous prefix is ever committed, so that a message which is not done is delivered again,
 * even if later ones are done.
 */
export class OffsetTracker implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** A later generation has begun: nothing that ends here counts any more. */
  closed = false;
  /** Paused because too much is beyond the prefix. */
  paused = false;
  /** The next offset to be written to the partition, as far as is known. */
  highWatermark = 0;
  /**
   * How far the source has read where it found no message. Counts for the lag only and is never committed: only
   * delivered messages are.
   */
  readTo = 0;
  /** Messages delivered and not done, and their bytes: what is held in memory. */
  unfinished = 0;
  unfinishedBytes = 0;
  #works: Work[] = [];
  /** Index of the first work that is not known to be committed. */
  #start = 0;
  /** Index of the first work that is not done: the end of the prefix. */
  #head = 0;
  #lastOffset = -1;
  #position: number | undefined;
  #committed: number | undefined;

  constructor({ topic, partition }: TopicPartition) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Number of delivered messages beyond the prefix, done ones included. */
  get pending(): number {
    return this.#works.length - this.#head;
  }

  /** Whether the first message beyond the prefix was delivered and never started. */
  get isWaiting(): boolean {
    const first = this.#works[this.#head];
    return first?.state === 'queued' && first.attempts === 0;
  }

  /** Whether the first message beyond the prefix waits for another attempt. */
  get isHeld(): boolean {
    const first = this.#works[this.#head];
    return first?.state === 'held' || (first?.state === 'queued' && first.attempts > 0);
  }

  /** Offset of the last message that was delivered in this generation; -1 before the first. */
  get lastOffset(): number {
    return this.#lastOffset;
  }

  /** The next offset to commit; undefined while nothing is done. */
  get position(): number | undefined {
    return this.#position;
  }

  /** Messages on the partition beyond the prefix; 0 until something was read. */
  get lag(): number {
    const first = this.#works[this.#head]?.offset;
    const next = first ?? Math.max(this.#position ?? 0, this.readTo);
    return next === 0 && first === undefined ? 0 : Math.max(0, this.highWatermark - next);
  }

  /** Adds the next delivered message. Offsets grow. */
  add(work: Work): void {
    this.#works.push(work);
    this.#lastOffset = work.offset;
    if (work.state === 'done') return;
    this.unfinished += 1;
    this.unfinishedBytes += work.bytes;
  }

  /** One of its works is done. */
  finished(work: Work): void {
    this.unfinished -= 1;
    this.unfinishedBytes -= work.bytes;
  }

  /** Moves the end of the prefix over all that is done. */
  advance(): void {
    let work = this.#works[this.#head];
    while (work?.state === 'done') {
      this.#position = work.offset + 1;
      this.#head += 1;
      work = this.#works[this.#head];
    }
  }

  /** The offset to commit; undefined when nothing was done since the last commit. */
  uncommitted(): number | undefined {
    return this.#position === this.#committed ? undefined : this.#position;
  }

  /** The commit of `position` is stored: works below it can be forgotten. */
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

  /** Works that may be delivered again. */
  unconfirmed(): readonly Work[] {
    return this.#works.slice(this.#start);
  }
}
