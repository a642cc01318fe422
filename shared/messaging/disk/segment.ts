/**
 * A file of records. It begins with a head as JSON; then come batches, each the records of one group commit behind a batch
 * head. Records are only appended. What a crash tears is written again from the journal.
 */

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { dataDamaged, dataUnusable } from './disk-errors.ts';
import { readFrameHead, type FrameHead } from './record-frame.ts';
import { DIGEST_WORDS } from './row-columns.ts';
import { SegmentIndex } from './segment-index.ts';

/** Version of the format of all files of a data folder. */
export const FORMAT_VERSION = 2;
/** First bytes of each segment. */
const MAGIC = Buffer.from('BPELOG\r\n', 'latin1');
/** Magic, length of the head as JSON, its checksum. */
export const FIXED_HEAD_BYTES = 16;
/** Mark, number of the batch, bytes and count of its records, checksum of these. */
export const BATCH_HEAD_BYTES = 28;
const BATCH_CHECKED_BYTES = 24;
const MARK_BYTES = 8;

export interface SegmentHead {
  readonly version: number;
  /** First and last id of the segments that it replaces; both are its own id unless it was made by compaction. */
  readonly first: number;
  readonly last: number;
  /** Random, in hexadecimal: begins each batch head, so that no content of a record can be taken for one. */
  readonly mark: string;
  /** First retained and next offset of each partition when the segment was begun. */
  readonly low: readonly number[];
  readonly next: readonly number[];
}

/** The records of a segment. */
export interface ScannedSegment {
  readonly index: SegmentIndex;
  /** Number of the next batch. */
  readonly nextBatch: number;
}

/** The mark of a segment from a random UUID. */
export function markFrom(id: string): string {
  return id.replaceAll('-', '').slice(0, 2 * MARK_BYTES);
}

export function markOf(head: SegmentHead): Buffer {
  return Buffer.from(head.mark, 'hex');
}

/** The first bytes of a segment. */
export function headBytes(head: SegmentHead): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const fixed = Buffer.alloc(FIXED_HEAD_BYTES);
  MAGIC.copy(fixed);
  fixed.writeUInt32LE(json.length, 8);
  fixed.writeUInt32LE(crc32(json), 12);
  return Buffer.concat([fixed, json]);
}

/** Bytes of the whole head, from the fixed part of it; undefined: this is no segment. */
export function headLength(fixed: Buffer): number | undefined {
  if (fixed.length < FIXED_HEAD_BYTES || !fixed.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  return FIXED_HEAD_BYTES + fixed.readUInt32LE(8);
}

/** Reads the head of a segment; undefined: it is torn or damaged. Throws MessagingError for another version. */
export function readHead(content: Buffer, file: string): SegmentHead | undefined {
  const length = headLength(content);
  if (length === undefined || content.length < length) return undefined;
  const json = content.subarray(FIXED_HEAD_BYTES, length);
  if (crc32(json) !== content.readUInt32LE(12)) return undefined;
  const head = JSON.parse(json.toString()) as SegmentHead;
  if (head.version === FORMAT_VERSION) return head;
  throw dataUnusable(`${file} has format ${head.version}; this version reads format ${FORMAT_VERSION}`);
}

/** Writes the head of a batch at `at`. */
export function writeBatchHead(
  target: Buffer,
  mark: Buffer,
  batch: { readonly number: number; readonly bytes: number; readonly count: number },
  at = 0,
): void {
  mark.copy(target, at);
  target.writeDoubleLE(batch.number, at + 8);
  target.writeUInt32LE(batch.bytes, at + 16);
  target.writeUInt32LE(batch.count, at + 20);
  target.writeUInt32LE(crc32(target.subarray(at, at + BATCH_CHECKED_BYTES)), at + 24);
}

interface BatchHead {
  readonly number: number;
  readonly bytes: number;
  readonly count: number;
}

function readBatchHead(content: Buffer, at: number, mark: Buffer): BatchHead | undefined {
  if (at + BATCH_HEAD_BYTES > content.length || mark.compare(content, at, at + MARK_BYTES) !== 0)
    return undefined;
  const checksum = content.readUInt32LE(at + 24);
  if (crc32(content.subarray(at, at + BATCH_CHECKED_BYTES)) !== checksum) return undefined;
  return {
    number: content.readDoubleLE(at + 8),
    bytes: content.readUInt32LE(at + 16),
    count: content.readUInt32LE(at + 20),
  };
}

/** Reads a whole segment and checks every record. Throws MessagingError `data-damaged` when a part of it is no whole batch. */
export function scanSegment(
  content: Buffer,
  head: SegmentHead,
  options: { readonly file: string; readonly isCompacted: boolean },
): ScannedSegment {
  const mark = markOf(head);
  const index = new SegmentIndex(options.isCompacted);
  let at = headLength(content) ?? 0;
  let nextBatch = 0;
  while (at < content.length) {
    const batch = readBatchHead(content, at, mark);
    const rows = batch === undefined ? undefined : readBatch(content, at, batch);
    if (batch === undefined || rows === undefined) throw dataDamaged(options.file, at);
    for (const row of rows) {
      const digest = options.isCompacted ? keyDigest(row.key) : undefined;
      index.push(row.partition, { ...row, segment: head.first, digest });
    }
    at += BATCH_HEAD_BYTES + batch.bytes;
    nextBatch = batch.number + 1;
  }
  return { index, nextBatch };
}

function readBatch(
  content: Buffer,
  at: number,
  batch: BatchHead,
): (FrameHead & { readonly position: number })[] | undefined {
  const rows: (FrameHead & { readonly position: number })[] = [];
  const end = at + BATCH_HEAD_BYTES + batch.bytes;
  if (end > content.length) return undefined;
  let position = at + BATCH_HEAD_BYTES;
  while (position < end) {
    const frame = readFrameHead(content, position);
    if (frame === undefined) return undefined;
    rows.push({ ...frame, position });
    position += frame.bytes;
  }
  return position === end && rows.length === batch.count ? rows : undefined;
}

/** A digest of a key, by which compaction knows equal keys, as the log cleaner of Kafka does. */
export function keyDigest(key: Buffer | null): Uint32Array {
  const digest = hash('sha256', key ?? '', 'buffer');
  return Uint32Array.from({ length: DIGEST_WORDS }, (_, word) => digest.readUInt32LE(word * 4));
}
