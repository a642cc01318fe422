import { headerBytes, setHeader } from '../headers.ts';
import type { HeaderValue, LogMessage, MessageHeaders, OutgoingMessage } from '../message.ts';
import type { LogBatch, LogReader, LogStore, OnReadable, PartitionLog } from './log-store.ts';
import type { EmbeddedTopicConfig } from './topic-config.ts';

/** Memory of a record, and of each header, in addition to its bytes: V8's objects and pointers. */
const RECORD_OVERHEAD_BYTES = 300;
const HEADER_OVERHEAD_BYTES = 150;

/** Kafka's record batch header has 61 bytes, the lengths and deltas of a record about 20; rounded up. */
const FRAME_BYTES = 100;

/** Records are removed in batches, because removing from the front of an array moves all others. */
export const TRIM_BELOW_SHARE = 0.9;
/** A log is crowded from this multiple of what it keeps on, or of what its readers have not read. */
const CROWDED_SHARE = 1.25;
/** A compaction for fewer superseded records is not worth its cost. */
export const COMPACTION_MIN_SUPERSEDED = 256;
/** Never used: EmbeddedTopics.append() rejects records without a key on a compacted topic, which the types cannot express. */
const NO_KEY = Buffer.alloc(0);

interface Entry {
  readonly message: LogMessage;
  readonly bytes: number;
  /** The age of a record is measured from this time: a message with an old timestamp must still be read. */
  readonly storedAtMs: number;
  /** On a compacted topic: whether a later record has its key. */
  isSuperseded: boolean;
}

/** A log in memory: lost when the process ends. */
export class MemoryLog implements PartitionLog {
  readonly topic: string;
  readonly partition: number;
  readonly config: EmbeddedTopicConfig;
  readonly readers = new Set<LogReader>();
  #entries: Entry[] = [];
  #low = 0;
  #high = 0;
  #bytes = 0;
  /** Newest record by key, on compacted topics. */
  readonly #newest = new Map<string, Entry>();
  #superseded = 0;
  /** Beyond these numbers the log is crowded: some more than it keeps, so that records are removed in batches. */
  #crowdedFrom: number;
  #crowdedBytes: number;
  readonly #onReadable: OnReadable;

  constructor(
    topic: string,
    partition: number,
    config: EmbeddedTopicConfig,
    onReadable: OnReadable = () => undefined,
  ) {
    this.topic = topic;
    this.partition = partition;
    this.config = config;
    this.#crowdedFrom = config.keptRecords * CROWDED_SHARE;
    this.#crowdedBytes = config.keptBytes * CROWDED_SHARE;
    this.#onReadable = onReadable;
  }

  get low(): number {
    return this.#low;
  }

  get high(): number {
    return this.#high;
  }

  get end(): number {
    return this.#high;
  }

  /** The memory of all records, overhead included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends one record and returns its offset. Key, value and header buffers are not copied. */
  append(message: OutgoingMessage, key: Buffer | null, nowMs: number): number {
    const offset = this.#high;
    const headers = storedHeaders(message.headers);
    const stored: LogMessage = {
      topic: this.topic,
      partition: this.partition,
      offset,
      key,
      value: message.value,
      headers,
      timestampMs: message.timestampMs ?? nowMs,
    };
    const bytes = footprint(stored);
    const entry: Entry = { message: stored, bytes, storedAtMs: nowMs, isSuperseded: false };
    this.#entries.push(entry);
    this.#bytes += bytes;
    this.#high = offset + 1;
    if (this.config.compact) this.#supersede(entry);
    this.#onReadable(this, 'all');
    return offset;
  }

  get usedShare(): number {
    return Math.max(this.#entries.length / this.config.maxRecords, this.#bytes / this.config.maxBytes);
  }

  isFull(): boolean {
    return this.usedShare >= 1;
  }

  read(position: number, maxRecords: number, maxBytes: number): LogBatch {
    const entries = this.#entries;
    const messages: LogMessage[] = [];
    let bytes = 0;
    let index = this.#indexOf(position);
    for (; index < entries.length && messages.length < maxRecords && bytes < maxBytes; index += 1) {
      const entry = entries[index];
      if (entry === undefined) break;
      messages.push(entry.message);
      bytes += entry.bytes;
    }
    const last = messages.at(-1);
    const next = index < entries.length && last !== undefined ? last.offset + 1 : this.#high;
    return { messages, next };
  }

  makeRoom(keepFrom: number, nowMs: number): void {
    this.compact(nowMs);
    // Otherwise it would soon be full again, and be compacted for ever fewer records.
    if (this.usedShare < TRIM_BELOW_SHARE || !this.config.delete) return;
    const { maxRecords, maxBytes } = this.config;
    const [records, bytes] = [maxRecords * TRIM_BELOW_SHARE, maxBytes * TRIM_BELOW_SHARE];
    this.#removeOldest(this.#countOldest(keepFrom, records, bytes));
  }

  get isCrowded(): boolean {
    if (this.config.compact) return false;
    return this.#entries.length > this.#crowdedFrom || this.#bytes > this.#crowdedBytes;
  }

  forgetRead(keepFrom: number): void {
    if (this.config.compact) return;
    const { keptRecords, keptBytes } = this.config;
    this.#removeOldest(this.#countOldest(keepFrom, keptRecords, keptBytes));
    this.#crowdedFrom = Math.max(keptRecords, this.#entries.length) * CROWDED_SHARE;
    this.#crowdedBytes = Math.max(keptBytes, this.#bytes) * CROWDED_SHARE;
  }

  expire(nowMs: number): void {
    if (!this.config.delete) return;
    const before = nowMs - this.config.retentionMs;
    let count = 0;
    while ((this.#entries[count]?.storedAtMs ?? Infinity) < before) count += 1;
    this.#removeOldest(count);
  }

  compact(nowMs: number): number {
    if (!this.config.compact) return 0;
    const count = this.#entries.length;
    const oldTombstones = nowMs - this.config.deleteRetentionMs;
    this.#keep(({ message, storedAtMs, isSuperseded }) => {
      if (isSuperseded) return false;
      if (message.value !== null || storedAtMs > oldTombstones) return true;
      this.#newest.delete(keyId(message));
      return false;
    });
    this.#superseded = 0;
    return count;
  }

  compactIfWorthwhile(nowMs: number): void {
    const threshold = Math.max(COMPACTION_MIN_SUPERSEDED, this.#newest.size);
    if (this.#superseded >= threshold) this.compact(nowMs);
  }

  /** The number of oldest records below `keepFrom` beyond these limits. */
  #countOldest(keepFrom: number, maxRecords: number, maxBytes: number): number {
    const records = this.#entries.length - maxRecords;
    const bytes = this.#bytes - maxBytes;
    let freed = 0;
    let count = 0;
    for (const entry of this.#entries) {
      if (entry.message.offset >= keepFrom || (count >= records && freed >= bytes)) break;
      freed += entry.bytes;
      count += 1;
    }
    return count;
  }

  #supersede(entry: Entry): void {
    const id = keyId(entry.message);
    const former = this.#newest.get(id);
    if (former !== undefined) {
      former.isSuperseded = true;
      this.#superseded += 1;
    }
    this.#newest.set(id, entry);
  }

  #keep(wanted: (entry: Entry) => boolean): void {
    const kept = this.#entries.filter(wanted);
    if (kept.length === this.#entries.length) return;
    this.#entries = kept;
    this.#bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0);
  }

  #removeOldest(count: number): void {
    if (count === 0) return;
    for (const { message, bytes, isSuperseded } of this.#entries.splice(0, count)) {
      this.#bytes -= bytes;
      if (!this.config.compact) continue;
      if (isSuperseded) this.#superseded -= 1;
      else this.#newest.delete(keyId(message));
    }
    this.#low = this.#entries[0]?.message.offset ?? this.#high;
  }

  /**
   * Index of the first record at or after an offset: computed in a log without gaps, otherwise found by binary
   * search.
   */
  #indexOf(position: number): number {
    const entries = this.#entries;
    const first = entries[0]?.message.offset ?? this.#high;
    if (position <= first) return 0;
    if (this.#high - first === entries.length) return Math.min(position - first, entries.length);
    let from = 0;
    let to = entries.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((entries[middle]?.message.offset ?? this.#high) < position) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** The key of a record as a string: latin1 maps each byte to one character. */
function keyId({ key }: LogMessage): string {
  return (key ?? NO_KEY).toString('latin1');
}

/** Bytes of a record as they count against max.message.bytes: key, value, headers and framing. */
export function recordBytes(key: Buffer | null, value: Buffer | null, headers: MessageHeaders): number {
  return sumBytes(key, value, headers, lengthOf);
}

/** At least as many bytes, without looking at the characters of text. */
export function mostRecordBytes(key: Buffer | null, value: Buffer | null, headers: MessageHeaders): number {
  return sumBytes(key, value, headers, mostBytesOf);
}

function sumBytes(
  key: Buffer | null,
  value: Buffer | null,
  headers: MessageHeaders,
  bytesIn: (value: HeaderValue) => number,
): number {
  let bytes = FRAME_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  for (const name in headers) {
    const header = headers[name];
    if (header === undefined) continue;
    if (typeof header === 'string' || Buffer.isBuffer(header)) bytes += name.length + bytesIn(header);
    else for (const item of header) bytes += name.length + bytesIn(item);
  }
  return bytes;
}

/** Bytes of memory that a record holds. */
function footprint(message: LogMessage): number {
  const headers = Object.keys(message.headers).length * HEADER_OVERHEAD_BYTES;
  return recordBytes(message.key, message.value, message.headers) + headers + RECORD_OVERHEAD_BYTES;
}

/** Kafka stores header values as bytes, so text is read back as a Buffer, and an array with one element as that element. */
function storedHeaders(headers: MessageHeaders | undefined): MessageHeaders {
  const stored: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    if (typeof value === 'string' || Buffer.isBuffer(value)) setHeader(stored, name, bytesOf(name, value));
    else if (value.length === 1) setHeader(stored, name, bytesOf(name, value[0] ?? ''));
    else if (value.length > 1) {
      const values = value.map((item) => bytesOf(name, item));
      setHeader(stored, name, values);
    }
  }
  return stored;
}

function lengthOf(value: HeaderValue): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}

/** A character of UTF-16 takes three bytes of UTF-8 at most. */
function mostBytesOf(value: HeaderValue): number {
  return typeof value === 'string' ? 3 * value.length : value.length;
}

function bytesOf(name: string, value: HeaderValue): Buffer {
  return typeof value === 'string' ? headerBytes(name, value) : value;
}

/** Keeps everything in memory until the process ends. */
export function createMemoryStore(): LogStore {
  let readable: OnReadable | undefined;
  return {
    topics: [],
    commits: new Map(),
    open: (onReadable) => {
      readable = onReadable;
    },
    createLogs: ({ topic, partitions }, config) =>
      Array.from({ length: partitions }, (_, index) => new MemoryLog(topic, index, config, readable)),
    deleteLogs: () => undefined,
    saveCommits: () => undefined,
    flushed: () => undefined,
    reclaim: () => undefined,
    close: () => Promise.resolve(),
  };
}
