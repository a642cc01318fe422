import type { PublishEntry } from './publish-call.ts';

const KIB = 1_024;

/** Limits of one partition in one request: its records form one record batch, whose size the broker limits. */
const MAX_RECORDS_PER_PARTITION = 500;
const MAX_BYTES_PER_PARTITION = 512 * KIB;
/** A partition that failed is retried after this, doubled with each consecutive failure. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;

/** The unconfirmed records of one partition, in the order of publishing. */
export class PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  /** The next request is not sent before this time (monotonic milliseconds). */
  notBeforeMs = 0;
  #entries: PublishEntry[] = [];
  #failures = 0;
  #suspect = false;
  /** Number of next records that are sent one by one, because a batch with them was rejected. */
  #singly = 0;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Number of consecutive failed requests. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether its last request was not answered. */
  get isSuspect(): boolean {
    return this.#suspect;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /**
   * Whether it needs its own request: it is suspect, a rejected record is being searched for, or the next record is large.
   */
  get goesAlone(): boolean {
    return this.#suspect || this.#singly > 0 || (this.#entries[0]?.bytes ?? 0) > MAX_BYTES_PER_PARTITION;
  }

  add(entry: PublishEntry): void {
    this.#entries.push(entry);
  }

  /** The first records that fit; at least one, unless `maxRecords` is 0 or `maxBytes` is 0 or less. */
  head(maxRecords: number, maxBytes: number): readonly PublishEntry[] {
    if (maxBytes <= 0) return [];
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

  /** Removes the first records. */
  drop(count: number): void {
    if (count === this.#entries.length) this.#entries = [];
    else this.#entries.splice(0, count);
    this.#singly = Math.max(0, this.#singly - count);
  }

  /** Called when a request with its records has succeeded. */
  trust(): void {
    this.#failures = 0;
    this.#suspect = false;
    this.notBeforeMs = 0;
  }

  /**
   * Called when a request with its records has failed for an unknown reason: after a delay, the partition gets its own
   * requests.
   */
  distrust(nowMs: number): void {
    this.delay(nowMs);
    this.#suspect = true;
  }

  /**
   * Called when its leader did not append the records: after a delay, they are sent together with those of other
   * partitions.
   */
  delay(nowMs: number): void {
    this.#suspect = false;
    this.notBeforeMs = nowMs + Math.min(MIN_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
  }

  /** Called when a batch of `count` records was rejected because of one of them: they are sent one by one to find it. */
  sendSingly(count: number): void {
    this.#singly = Math.max(this.#singly, count);
  }

  /** Removes records after the first `keep` whose call has passed its deadline or is settled. */
  expire(nowMs: number, keep: number): readonly PublishEntry[] {
    const isOver = ({ call }: PublishEntry) => call.isSettled || call.deadlineAt <= nowMs;
    const first = this.#entries[keep];
    if (first === undefined || !isOver(first)) return [];
    const expired = this.#entries.slice(keep).filter(isOver);
    this.#entries = this.#entries.filter((entry, index) => index < keep || !isOver(entry));
    this.#singly = Math.min(this.#singly, this.#entries.length);
    return expired;
  }

  /** Removes the records after the first `keep`. */
  clear(keep: number): readonly PublishEntry[] {
    const entries = this.#entries.slice(keep);
    this.#entries = this.#entries.slice(0, keep);
    this.#singly = Math.min(this.#singly, this.#entries.length);
    return entries;
  }
}
