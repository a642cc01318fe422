import type { TopicPartition } from '../message.ts';
import type { Work } from './work.ts';

/** Committed works are cut off the list in chunks, since moving the rest costs time. */
const CUT_CHUNK = 512;

/**
 * One partition in one epoch: what was delivered, in offset order, and how far everything is done without a gap. Only
 * that contiguous prefix is ever committed, so that a message which is not done is delivered again, whatever became
 * of those after it.
 */
export class CommitPrefix implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** A later epoch has begun: nothing that ends here counts any more. */
  closed = false;
  /** Paused because too much is beyond the prefix. */
  paused = false;
  /** The next offset to be written to the partition, as far as is known. */
  highWatermark = 0;
  /**
   * How far the source has read where it found no message. Counts for the lag only and is never committed: what is
   * committed was delivered and is done.
   */
  readTo = 0;
  /** Messages delivered and not done, and their bytes: what is kept in memory. */
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

  /** Messages delivered and not yet part of the prefix. */
  get pending(): number {
    return this.#works.length - this.#head;
  }

  /** Whether the first message beyond the prefix was delivered, and never begun: it waits for its turn. */
  get isWaiting(): boolean {
    const first = this.#works[this.#head];
    return first?.state === 'queued' && first.attempts === 0;
  }

  /** Whether the first message beyond the prefix waits for another attempt. */
  get isHeld(): boolean {
    const first = this.#works[this.#head];
    return first?.state === 'held' || (first?.state === 'queued' && first.attempts > 0);
  }

  /** Offset of the last message that was delivered in this epoch; -1 before the first. */
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

  /** Takes the next delivered message. Offsets grow. */
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

  /** Moves the end of the prefix over all that is done. Answers whether it moved. */
  advance(): boolean {
    const from = this.#head;
    let work = this.#works[this.#head];
    while (work?.state === 'done') {
      this.#position = work.offset + 1;
      this.#head += 1;
      work = this.#works[this.#head];
    }
    return this.#head > from;
  }

  /** What is to be committed; undefined when nothing was done since the last commit. */
  uncommitted(): number | undefined {
    if (this.#position === undefined || this.#position === this.#committed) return undefined;
    return this.#position;
  }

  /** The commit of `position` is stored: what lies below can be forgotten. */
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

  /** Works that a later delivery of the partition may meet again. */
  unconfirmed(): readonly Work[] {
    return this.#works.slice(this.#start);
  }
}
