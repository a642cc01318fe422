import type { MessagingError } from '../../platform/errors.ts';
import { frameRecord, messageOf, readFrame, type FramedRecord } from './record-frame.ts';
import { RowColumns, type Row } from './row-columns.ts';
import { COMPACTION_MIN_SUPERSEDED, TRIM_BELOW_SHARE } from '../embedded/memory-log.ts';
import type { LogBatch, LogReader, PartitionLog } from '../embedded/log-store.ts';
import type { EmbeddedTopicConfig } from '../embedded/topic-config.ts';
import type { LogMessage, OutgoingMessage } from '../message.ts';

/** Records of a partition are read together when there is no more than this between them. */
const MAX_GAP_BYTES = 2_048;
/** A sweep compacts a longer log only when this share of it is new, as min.cleanable.dirty.ratio on Kafka. */
const SMALL_LOG_ROWS = 10_000;
const MIN_UNCOMPACTED_SHARE = 0.1;

/** What a log needs of the files of its topic. */
export interface LogFiles {
  /** Adds a record to the next group commit. `isUrgent`: a reader waits until it is durable. */
  enqueue(log: DiskLog, record: FramedRecord, isUrgent: boolean): void;
  /** Bytes that wait for a group commit have reached their limit. */
  isCongested(): boolean;
  /** Reads bytes of a segment. */
  read(segment: number, position: number, bytes: number): Buffer;
  /** A record of this length is no longer needed. */
  release(segment: number, bytes: number): void;
  /** Reports a record that cannot be read back; returns the error to throw. */
  damagedAt(segment: number, position: number): MessagingError;
}

/** The log of a partition whose records are on disk; rows in memory tell where. */
export class DiskLog implements PartitionLog {
  readonly topic: string;
  readonly partition: number;
  readonly readers = new Set<LogReader>();
  readonly #config: EmbeddedTopicConfig;
  readonly #files: LogFiles;
  readonly #rows: RowColumns;
  #low = 0;
  #high = 0;
  #end = 0;
  #bytes = 0;
  /** Records that are not durable yet, in offset order. */
  #pending: FramedRecord[] = [];
  #pendingBytes = 0;
  /** Records that were stored since the last compaction; after a start a part of those that were loaded. */
  #uncompacted = 0;
  /** Time of the oldest tombstone that the last compaction kept. */
  #oldestTombstoneMs = Infinity;

  constructor(topic: string, partition: number, config: EmbeddedTopicConfig, files: LogFiles) {
    this.topic = topic;
    this.partition = partition;
    this.#config = config;
    this.#files = files;
    this.#rows = new RowColumns(config.compact);
  }

  get low(): number {
    return this.#low;
  }

  get high(): number {
    return this.#high;
  }

  get end(): number {
    return this.#end;
  }

  /** The offset of the first record that is not durable, or of the next one. */
  get firstPending(): number {
    return this.#pending[0]?.offset ?? this.#end;
  }

  get rows(): RowColumns {
    return this.#rows;
  }

  append(message: OutgoingMessage, key: Buffer | null, nowMs: number): void {
    const record = frameRecord(message, key, { partition: this.partition, offset: this.#end, nowMs });
    this.#end += 1;
    this.#pending.push(record);
    this.#pendingBytes += record.bytes;
    this.#files.enqueue(this, record, this.#isAwaited());
  }

  /** The oldest `count` pending records have left their group commit: stored, or given up. Their offsets are not used again. */
  settled(count: number): void {
    for (const { bytes } of this.#pending.splice(0, count)) this.#pendingBytes -= bytes;
  }

  /** Whether a reader does not see new records before they are durable. */
  #isAwaited(): boolean {
    for (const reader of this.readers) if (reader.isEager !== true) return true;
    return this.readers.size === 0;
  }

  /** Adds a record that is on disk. Records that the log has already are ignored. */
  add(row: Row): void {
    if (row.offset < this.#high) return;
    this.#rows.push(row);
    this.#high = row.offset + 1;
    this.#end = Math.max(this.#end, this.#high);
    this.#bytes += row.bytes;
    this.#uncompacted += 1;
  }

  /** The state that a segment recorded when it was begun. */
  startAt(low: number, next: number): void {
    this.#removeOldest(this.#rows.indexOf(low));
    this.#low = Math.max(this.#low, low);
    this.#high = Math.max(this.#high, next, low);
    this.#end = Math.max(this.#end, this.#high);
  }

  /**
   * Everything that is on disk was added, and records before `low` were removed before. The first retained offset of a log
   * without compaction is that of its first row.
   */
  loaded(low: number): void {
    this.startAt(low, low);
    // As many as the next sweep compacts for: the first append would do so for all.
    this.#uncompacted = Math.ceil(this.#rows.length * MIN_UNCOMPACTED_SHARE);
    if (this.#config.compact) return;
    this.#low = Math.max(this.#low, this.#rows.length === 0 ? this.#high : this.#rows.offset(0));
  }

  /** Records are on disk; their rows take little memory. */
  readonly isCrowded = false;

  forgetRead(): void {}

  isFull(): boolean {
    return this.usedShare >= 1 || this.#files.isCongested();
  }

  get usedShare(): number {
    const { maxRecords, maxBytes } = this.#config;
    const records = this.#rows.length + this.#pending.length;
    return Math.max(records / maxRecords, (this.#bytes + this.#pendingBytes) / maxBytes);
  }

  read(position: number, maxRecords: number, maxBytes: number): LogBatch {
    return position < this.#high
      ? this.#readStored(position, maxRecords, maxBytes)
      : this.#readPending(position, maxRecords, maxBytes);
  }

  #readPending(position: number, maxRecords: number, maxBytes: number): LogBatch {
    const messages: LogMessage[] = [];
    let bytes = 0;
    let index = firstFrom(this.#pending, position);
    for (; index < this.#pending.length && messages.length < maxRecords && bytes < maxBytes; index += 1) {
      const record = this.#pending[index];
      if (record === undefined) break;
      messages.push(messageOf(record, this.topic));
      bytes += record.bytes;
    }
    return { messages, next: this.#pending[index]?.offset ?? this.#end };
  }

  #readStored(position: number, maxRecords: number, maxBytes: number): LogBatch {
    const rows = this.#rows;
    const first = rows.indexOf(position);
    const messages: LogMessage[] = [];
    let bytes = 0;
    let index = first;
    while (index < rows.length && messages.length < maxRecords && bytes < maxBytes) {
      const end = this.#endOfRun(index, maxRecords - messages.length, maxBytes - bytes);
      for (const message of this.#readRun(index, end)) messages.push(message);
      for (; index < end; index += 1) bytes += rows.bytes(index);
    }
    return { messages, next: index < rows.length ? rows.offset(index) : this.#high };
  }

  makeRoom(keepFrom: number, nowMs: number): void {
    // Congested: the disk has to write first.
    if (this.usedShare < 1) return;
    if (this.#config.compact && (this.#uncompacted > 0 || this.#hasExpired(nowMs))) this.#compactNow(nowMs);
    // Otherwise it would soon be full again, and be compacted for ever fewer records.
    if (this.usedShare < TRIM_BELOW_SHARE || !this.#config.delete) return;
    const records = this.#rows.length - this.#config.maxRecords * TRIM_BELOW_SHARE;
    const bytes = this.#bytes - this.#config.maxBytes * TRIM_BELOW_SHARE;
    let freed = 0;
    let count = 0;
    while (count < this.#rows.length) {
      if (this.#rows.offset(count) >= keepFrom || (count >= records && freed >= bytes)) break;
      freed += this.#rows.bytes(count);
      count += 1;
    }
    this.#removeOldest(count);
  }

  expire(nowMs: number): void {
    if (!this.#config.delete) return;
    const before = nowMs - this.#config.retentionMs;
    let count = 0;
    while (this.#rows.storedAtMs(count) < before && count < this.#rows.length) count += 1;
    this.#removeOldest(count);
  }

  compact(nowMs: number): number {
    if (!this.#config.compact) return 0;
    const count = this.#rows.length;
    const share = count <= SMALL_LOG_ROWS ? 0 : count * MIN_UNCOMPACTED_SHARE;
    const isDue = this.#uncompacted > 0 && this.#uncompacted >= share;
    if (!isDue && !this.#hasExpired(nowMs)) return 0;
    this.#compactNow(nowMs);
    return count;
  }

  /** Whether the last compaction kept a tombstone that may be removed now. */
  #hasExpired(nowMs: number): boolean {
    return this.#oldestTombstoneMs <= nowMs - this.#config.deleteRetentionMs;
  }

  compactIfWorthwhile(nowMs: number): void {
    const live = this.#rows.length - this.#uncompacted;
    const threshold = Math.max(COMPACTION_MIN_SUPERSEDED, live);
    if (this.#config.compact && this.#uncompacted >= threshold) this.#compactNow(nowMs);
  }

  #compactNow(nowMs: number): void {
    const rows = this.#rows;
    const superseded = rows.superseded();
    const oldTombstones = nowMs - this.#config.deleteRetentionMs;
    let oldest = Infinity;
    rows.keep((index) => {
      const isKept =
        superseded[index] === 0 && (!rows.isTombstone(index) || rows.storedAtMs(index) > oldTombstones);
      if (isKept && rows.isTombstone(index)) oldest = Math.min(oldest, rows.storedAtMs(index));
      if (!isKept) this.#release(index);
      return isKept;
    });
    this.#oldestTombstoneMs = oldest;
    this.#uncompacted = 0;
  }

  /** The end of the rows from `from` on that one read of a segment returns. */
  #endOfRun(from: number, maxRecords: number, maxBytes: number): number {
    const rows = this.#rows;
    const segment = rows.segment(from);
    let end = from;
    let bytes = 0;
    let position = rows.position(from);
    while (end < rows.length && end - from < maxRecords && bytes < maxBytes) {
      if (rows.segment(end) !== segment || rows.position(end) - position > MAX_GAP_BYTES) break;
      bytes += rows.position(end) + rows.bytes(end) - position;
      position = rows.position(end) + rows.bytes(end);
      end += 1;
    }
    return end;
  }

  #readRun(from: number, end: number): LogMessage[] {
    const rows = this.#rows;
    const segment = rows.segment(from);
    const start = rows.position(from);
    const content = this.#files.read(segment, start, rows.position(end - 1) + rows.bytes(end - 1) - start);
    const messages: LogMessage[] = [];
    for (let index = from; index < end; index += 1) {
      const at = rows.position(index) - start;
      // A copy: a consumer that keeps a message must not keep the records between it and the next one in memory.
      const message = readFrame(Buffer.from(content.subarray(at, at + rows.bytes(index))), 0, this.topic);
      if (message?.offset !== rows.offset(index) || message.partition !== this.partition) {
        throw this.#files.damagedAt(segment, rows.position(index));
      }
      messages.push(message);
    }
    return messages;
  }

  #removeOldest(count: number): void {
    if (count === 0) return;
    for (let index = 0; index < count; index += 1) this.#release(index);
    this.#rows.removeOldest(count);
    this.#low = this.#rows.length === 0 ? this.#high : this.#rows.offset(0);
  }

  #release(index: number): void {
    const bytes = this.#rows.bytes(index);
    this.#bytes -= bytes;
    this.#files.release(this.#rows.segment(index), bytes);
  }
}

/** Index of the first record at or after an offset. */
function firstFrom(records: readonly FramedRecord[], offset: number): number {
  let from = 0;
  let to = records.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((records[middle]?.offset ?? Infinity) < offset) from = middle + 1;
    else to = middle;
  }
  return from;
}
