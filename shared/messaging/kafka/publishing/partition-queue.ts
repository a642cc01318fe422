import type { PublishEntry } from './publish-call.ts';

const KIB = 1_024;

/** One request takes at most this much of one partition: it becomes one record batch, which the broker limits. */
const MAX_RECORDS_PER_PARTITION = 500;
const MAX_BYTES_PER_PARTITION = 512 * KIB;
/** A partition that failed is tried again after this, doubled with each failure in a row. */
const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 1_000;

/** The records of one partition that the broker has not confirmed, in the order in which they were published. */
export class PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  /** Not to be sent before (epoch milliseconds). */
  notBeforeMs = 0;
  #entries: PublishEntry[] = [];
  #failures = 0;
  #suspect = false;
  /** So many of the next records go one by one, because a batch with them was refused. */
  #singly = 0;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  /** How often in a row a request of it failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Its last request was not answered. */
  get isSuspect(): boolean {
    return this.#suspect;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The next request carries nothing else: it is suspect, or a bad record is looked for, or the next one is large. */
  get goesAlone(): boolean {
    return this.#suspect || this.#singly > 0 || (this.#entries[0]?.bytes ?? 0) > MAX_BYTES_PER_PARTITION;
  }

  add(entry: PublishEntry): void {
    this.#entries.push(entry);
  }

  /** The first records that fit, at least one unless `maxRecords` or `maxBytes` is used up. */
  head(maxRecords: number, maxBytes: number): readonly PublishEntry[] {
    if (maxRecords <= 0 || maxBytes <= 0) return [];
    const records = this.#singly > 0 ? 1 : Math.min(maxRecords, MAX_RECORDS_PER_PARTITION);
    const bytes = Math.min(maxBytes, MAX_BYTES_PER_PARTITION);
    let taken = 0;
    let count = 0;
    for (const entry of this.#entries) {
      if (count === records || (count > 0 && taken + entry.bytes > bytes)) break;
      taken += entry.bytes;
      count += 1;
    }
    return this.#entries.slice(0, count);
  }

  /** The first records left the queue. */
  drop(count: number): void {
    if (count === this.#entries.length) this.#entries = [];
    else this.#entries.splice(0, count);
    this.#singly = Math.max(0, this.#singly - count);
  }

  /** A request of it succeeded. */
  trust(): void {
    this.#failures = 0;
    this.#suspect = false;
    this.notBeforeMs = 0;
  }

  /** A request of it failed, and nobody knows why: alone from now on, and not at once. */
  distrust(nowMs: number): void {
    this.delay(nowMs);
    this.#suspect = true;
  }

  /** Its leader could not take the records: not at once, but as before, since others are not affected. */
  delay(nowMs: number): void {
    this.#suspect = false;
    this.notBeforeMs = nowMs + Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, LONGEST_BACKOFF_MS);
    this.#failures += 1;
  }

  /** A batch of `count` records was refused for one of them: they go one by one, to find which. */
  sendSingly(count: number): void {
    this.#singly = Math.max(this.#singly, count);
  }

  /** Takes out records behind the first `keep` whose call's deadline has passed or which was given up. */
  expire(nowMs: number, keep: number): readonly PublishEntry[] {
    const isOver = ({ call }: PublishEntry) => call.isSettled || call.deadlineAt <= nowMs;
    const first = this.#entries[keep];
    if (first === undefined || !isOver(first)) return [];
    const expired = this.#entries.slice(keep).filter(isOver);
    this.#entries = this.#entries.filter((entry, index) => index < keep || !isOver(entry));
    this.#singly = Math.min(this.#singly, this.#entries.length);
    return expired;
  }

  /** Takes out the records behind the first `keep`. */
  clear(keep: number): readonly PublishEntry[] {
    const entries = this.#entries.slice(keep);
    this.#entries = this.#entries.slice(0, keep);
    this.#singly = Math.min(this.#singly, this.#entries.length);
    return entries;
  }
}
