import { headersBytes, storedHeaders } from '../headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage, TopicPartition } from '../message.ts';
import type { LogBatch, PartitionTable } from './partition-table.ts';
import type { EmbeddedTopicConfig } from './topic-config.ts';

/** Memory of V8's objects and pointers for a record, and for each header, in addition to its bytes. */
const RECORD_OVERHEAD_BYTES = 300;
const HEADER_OVERHEAD_BYTES = 150;
/** Rounded up: the header of Kafka's record batch has 61 bytes, and the lengths and deltas of a record about 20. */
const FRAME_BYTES = 100;
/** Many records are removed at once, down to this share of a limit: each removal moves the rest of the array. */
const TRIM_BELOW_SHARE = 0.9;
const CROWDED_SHARE = 1.25;

export interface LogReader {
  /** Reads one round. Returns true if there is more to read. */
  deliver(): boolean;
}

interface Entry {
  readonly message: LogMessage;
  readonly bytes: number;
  /** Retention counts from this time, not from the timestamp: a message with an old timestamp must still be read. */
  readonly storedAtMs: number;
  /** The record is in the table, or will be after a group commit. */
  readonly isStored: boolean;
}

interface PartitionLogOptions extends TopicPartition {
  readonly config: EmbeddedTopicConfig;
  readonly table?: PartitionTable | undefined;
  /** If true, records may be read before they are durable. */
  readonly isEager?: boolean;
  readonly end?: number;
}

export interface LogParts {
  onReadable(log: PartitionLog): void;
  /** Adds work to the next group commit. Returns false if there are no group commits; then it does the work at once. */
  enqueue(log: PartitionLog, work: () => void, bytes: number): boolean;
  /** Does work on the rows of a log in a transaction. Returns false if a running checkpoint prevents that. */
  runNow(log: PartitionLog, work: () => void): boolean;
  readFailed(error: unknown): unknown;
  isCongested(): boolean;
}

/** Keeps the newest records in memory, and stored ones in a table. As on Kafka, removed records leave gaps. */
export class PartitionLog {
  readonly topic: string;
  readonly partition: number;
  readonly config: EmbeddedTopicConfig;
  readonly table: PartitionTable | undefined;
  readonly readers = new Set<LogReader>();
  readonly #parts: LogParts;
  readonly #isEager: boolean;
  /** The records in memory. Their offsets have gaps only where records were lost (see lost()). */
  #entries: Entry[] = [];
  #bytes = 0;
  #end: number;
  /** First offset of the next group commit, and of the one in progress. */
  #open: number | undefined;
  #syncing: number | undefined;
  #lastStored: number;

  constructor(options: PartitionLogOptions, parts: LogParts) {
    const { topic, partition, config, table, isEager = false, end = 0 } = options;
    this.topic = topic;
    this.partition = partition;
    this.config = config;
    this.table = table;
    this.#parts = parts;
    this.#isEager = isEager;
    this.#end = end;
    this.#lastStored = end - 1;
  }

  get low(): number {
    const first = this.#entries[0]?.message.offset ?? this.#end;
    const { records, low } = this.table?.figures ?? { records: 0, low: 0 };
    return records > 0 ? Math.min(low, first) : first;
  }

  /** Records below this offset may be read. */
  get high(): number {
    return this.#isEager ? this.#end : this.#durable;
  }

  get end(): number {
    return this.#end;
  }

  /** Offset of the last record that was added to the table or waits for a group commit. */
  get lastStored(): number {
    return this.#lastStored;
  }

  /** The highest used share of the limits of table and memory. From 1 on, the log is full. */
  get usedShare(): number {
    const { maxRecords, maxBytes, memoryRecords, memoryBytes } = this.config;
    const { records, bytes } = this.table?.figures ?? { records: 0, bytes: 0 };
    const stored = Math.max(records / maxRecords, bytes / maxBytes);
    return Math.max(stored, this.#entries.length / memoryRecords, this.#bytes / memoryBytes);
  }

  /** Does not copy buffers. `pending`: the record is durable once SqliteStore.flushed() resolves. */
  append(
    message: OutgoingMessage,
    key: Buffer | null,
    nowMs: number,
    isInMemory = false,
  ): 'pending' | 'done' {
    const offset = this.#end;
    const stored: LogMessage = {
      topic: this.topic,
      partition: this.partition,
      offset,
      key,
      value: message.value,
      headers: storedHeaders(message.headers),
      timestampMs: message.timestampMs ?? nowMs,
    };
    const overhead = RECORD_OVERHEAD_BYTES + Object.keys(stored.headers).length * HEADER_OVERHEAD_BYTES;
    const bytes = recordBytes(key, stored.value, stored.headers) + overhead;
    const table = isInMemory ? undefined : this.table;
    this.#entries.push({ message: stored, bytes, storedAtMs: nowMs, isStored: table !== undefined });
    this.#bytes += bytes;
    this.#end = offset + 1;
    const insert = (): void => table?.insert(stored, nowMs, bytes);
    if (table !== undefined) this.#lastStored = offset;
    const isPending = table !== undefined && this.#parts.enqueue(this, insert, bytes);
    if (isPending) this.#open ??= offset;
    if (this.high === this.#end) this.#parts.onReadable(this);
    return isPending ? 'pending' : 'done';
  }

  isFull(): boolean {
    return this.usedShare >= 1 || this.#parts.isCongested();
  }

  /** Returns at least one message if there is any. Throws MessagingError `data-damaged` or `data-unusable`. */
  read(position: number, maxRecords: number, maxBytes: number): LogBatch {
    const first = this.#entries[0]?.message.offset ?? this.#end;
    if (position < first && this.table !== undefined) {
      let batch: LogBatch;
      try {
        batch = this.table.read(position, first, maxRecords, maxBytes);
      } catch (error) {
        throw this.#parts.readFailed(error);
      }
      if (batch.messages.length > 0 || first >= this.high) return batch;
    }
    return this.#readMemory(Math.max(position, first), maxRecords, maxBytes);
  }

  /** Removes expired records and, at a limit, the oldest ones below `keepFrom`, as many as a few milliseconds allow. */
  makeRoom(keepFrom: number, nowMs: number): void {
    this.sweep(nowMs);
    const { maxRecords, maxBytes, memoryRecords, memoryBytes } = this.config;
    if (this.#entries.length >= memoryRecords || this.#bytes >= memoryBytes)
      this.#forget(keepFrom, memoryRecords * TRIM_BELOW_SHARE, memoryBytes * TRIM_BELOW_SHARE);
    const { records, bytes } = this.table?.figures ?? { records: 0, bytes: 0 };
    if (!this.config.delete || records === 0 || (records < maxRecords && bytes < maxBytes)) return;
    const tooMany = records - maxRecords * TRIM_BELOW_SHARE;
    const tooLarge = ((bytes - maxBytes * TRIM_BELOW_SHARE) * records) / bytes;
    const count = Math.ceil(Math.max(tooMany, tooLarge));
    this.#inTable((table) => table.removeOldest(Math.min(keepFrom, this.#durable), count));
    const { low = 0 } = this.table?.figures ?? {};
    this.#dropFront(({ message, isStored }) => isStored && message.offset < low);
  }

  get isCrowded(): boolean {
    const { keptRecords, keptBytes } = this.config;
    return this.#entries.length > CROWDED_SHARE * keptRecords || this.#bytes > CROWDED_SHARE * keptBytes;
  }

  /** Drops the oldest records from memory while there are too many: stored ones if durable, others below `keepFrom`. */
  forgetRead(keepFrom: number): void {
    const { keptRecords, keptBytes } = this.config;
    this.#forget(keepFrom, keptRecords, keptBytes);
  }

  /** Removes expired records, read or unread as on Kafka, and expired tombstones. Returns true if there may be more. */
  sweep(nowMs: number): boolean {
    const { retentionMs, deleteRetentionMs } = this.config;
    let isMore = false;
    if (this.config.delete) {
      const before = nowMs - retentionMs;
      this.#dropFront(({ storedAtMs }) => storedAtMs < before);
      isMore = this.#inTable((table) => table.removeOldest(this.#durable, Infinity, before));
    }
    if (this.config.compact) {
      isMore = this.#inTable((table) => table.removeTombstones(nowMs - deleteRetentionMs)) || isMore;
      const below = this.#durable;
      this.#dropFront(({ message, isStored }) => isStored && message.offset < below);
    }
    return isMore;
  }

  /** Called when a group commit has written the records. Once they are on the disk, settled() follows. */
  written(): void {
    this.#syncing = this.#open;
    this.#open = undefined;
  }

  settled(): void {
    this.#syncing = undefined;
    this.#parts.onReadable(this);
  }

  /** Removes records that cannot be stored. Readers may have seen them, so their offsets are not used again. */
  lost(): void {
    const from = this.#open ?? Infinity;
    this.#open = undefined;
    this.#entries = this.#entries.filter(({ message, isStored }) => !isStored || message.offset < from);
    this.#bytes = this.#entries.reduce((sum, entry) => sum + entry.bytes, 0);
  }

  /** No record below this offset waits for the disk. */
  get #durable(): number {
    return this.#syncing ?? this.#open ?? this.#end;
  }

  /** Returns true if rows were removed, or if a checkpoint postpones the removal. */
  #inTable(remove: (table: PartitionTable) => number): boolean {
    const { table } = this;
    let removed = 0;
    if (table === undefined || table.figures.records === 0) return false;
    return !this.#parts.runNow(this, () => (removed = remove(table))) || removed > 0;
  }

  #readMemory(position: number, maxRecords: number, maxBytes: number): LogBatch {
    const entries = this.#entries;
    const end = this.high;
    const messages: LogMessage[] = [];
    let bytes = 0;
    let index = this.#indexOf(position);
    let entry = entries[index];
    while (entry !== undefined && entry.message.offset < end) {
      if (messages.length >= maxRecords || bytes >= maxBytes) return { messages, next: entry.message.offset };
      messages.push(entry.message);
      bytes += entry.bytes;
      index += 1;
      entry = entries[index];
    }
    return { messages, next: end };
  }

  #forget(keepFrom: number, maxRecords: number, maxBytes: number): void {
    const durable = this.#durable;
    let records = this.#entries.length;
    let bytes = this.#bytes;
    this.#dropFront((entry) => {
      const isNeeded = entry.message.offset >= (entry.isStored ? durable : keepFrom);
      if (isNeeded || (records <= maxRecords && bytes <= maxBytes)) return false;
      records -= 1;
      bytes -= entry.bytes;
      return true;
    });
  }

  #dropFront(isUnwanted: (entry: Entry) => boolean): void {
    const kept = this.#entries.findIndex((entry) => !isUnwanted(entry));
    const count = kept === -1 ? this.#entries.length : kept;
    if (count === 0) return;
    for (const { bytes } of this.#entries.splice(0, count)) this.#bytes -= bytes;
  }

  /** Index of the first entry at or after an offset: computed from the end, or searched if lost records left gaps. */
  #indexOf(position: number): number {
    const entries = this.#entries;
    const index = Math.max(0, entries.length - (this.#end - position));
    const isBefore = (at: number): boolean => (entries[at]?.message.offset ?? Infinity) < position;
    if (!isBefore(index) && (index === 0 || isBefore(index - 1))) return index;
    const found = entries.findIndex(({ message }) => message.offset >= position);
    return found === -1 ? entries.length : found;
  }
}

/** Bytes of a record that count towards max.message.bytes: key, value, headers and framing. */
export function recordBytes(key: Buffer | null, value: Buffer | null, headers: MessageHeaders): number {
  return FRAME_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + headersBytes(headers);
}
