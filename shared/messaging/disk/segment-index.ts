import { crc32 } from 'node:zlib';
import { DIGEST_WORDS, type Row } from './row-columns.ts';

/** Words of a row: offset and time as doubles, position, bytes, partition and flags; then the digest, where there is one. */
const ROW_WORDS = 8;
const FIRST_ROWS = 256;
/** Mark of the segment, its length, number of rows, checksum of the rows, number of the next batch. */
const HEAD_BYTES = 32;
const MARK_BYTES = 8;
const NEXT_BATCH_AT = 24;
const TOMBSTONE_FLAG = 1;

/**
 * The rows of a segment in the order of its records, superseded ones included, so that a start reads 32 bytes of a record
 * (48 on compacted topics) in place of the record. The file can be lost: it is then made again from the segment.
 */
export class SegmentIndex {
  readonly #hasDigests: boolean;
  readonly #rowWords: number;
  #words: Uint32Array;
  #doubles: Float64Array;
  #count = 0;

  constructor(hasDigests: boolean, rows = FIRST_ROWS) {
    this.#hasDigests = hasDigests;
    this.#rowWords = hasDigests ? ROW_WORDS + DIGEST_WORDS : ROW_WORDS;
    const buffer = new ArrayBuffer(rows * this.#rowWords * Uint32Array.BYTES_PER_ELEMENT);
    this.#words = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }

  get length(): number {
    return this.#count;
  }

  push(partition: number, row: Row): void {
    const at = this.#count * this.#rowWords;
    if (at + this.#rowWords > this.#words.length) this.#grow();
    const words = this.#words;
    this.#doubles[at / 2] = row.offset;
    this.#doubles[at / 2 + 1] = row.storedAtMs;
    words[at + 4] = row.position;
    words[at + 5] = row.bytes;
    words[at + 6] = partition;
    words[at + 7] = row.isTombstone ? TOMBSTONE_FLAG : 0;
    if (row.digest !== undefined) words.set(row.digest, at + ROW_WORDS);
    this.#count += 1;
  }

  /** Calls `use` for each row in order. */
  forEach(segment: number, use: (partition: number, row: Row) => void): void {
    const words = this.#words;
    for (let index = 0; index < this.#count; index += 1) {
      const at = index * this.#rowWords;
      use(words[at + 6] ?? 0, {
        offset: this.#doubles[at / 2] ?? 0,
        storedAtMs: this.#doubles[at / 2 + 1] ?? 0,
        segment,
        position: words[at + 4] ?? 0,
        bytes: words[at + 5] ?? 0,
        isTombstone: words[at + 7] === TOMBSTONE_FLAG,
        digest: this.#hasDigests ? words.subarray(at + ROW_WORDS, at + this.#rowWords) : undefined,
      });
    }
  }

  /** The content of the index file of a segment with this mark and length. */
  toBytes(mark: Buffer, segmentBytes: number, nextBatch: number): Buffer {
    const rows = this.#rowBytes();
    const head = Buffer.alloc(HEAD_BYTES);
    mark.copy(head);
    head.writeDoubleLE(segmentBytes, MARK_BYTES);
    head.writeUInt32LE(this.#count, 16);
    head.writeUInt32LE(crc32(rows), 20);
    head.writeDoubleLE(nextBatch, NEXT_BATCH_AT);
    return Buffer.concat([head, rows]);
  }

  /**
   * Reads the content of an index file; undefined when it is damaged or does not belong to the segment as it is. `longer`: the
   * segment was longer when it was closed.
   */
  static fromBytes(
    content: Buffer,
    segment: { readonly mark: Buffer; readonly bytes: number; readonly hasDigests: boolean },
  ): { readonly index: SegmentIndex; readonly nextBatch: number } | 'longer' | undefined {
    if (content.length < HEAD_BYTES || !content.subarray(0, MARK_BYTES).equals(segment.mark))
      return undefined;
    const count = content.readUInt32LE(16);
    const index = new SegmentIndex(segment.hasDigests, count);
    const rows = content.subarray(HEAD_BYTES);
    if (rows.length !== index.#words.byteLength || crc32(rows) !== content.readUInt32LE(20)) return undefined;
    rows.copy(Buffer.from(index.#words.buffer));
    index.#count = count;
    if (index.#end > segment.bytes) return 'longer';
    if (content.readDoubleLE(MARK_BYTES) !== segment.bytes) return undefined;
    return { index, nextBatch: content.readDoubleLE(NEXT_BATCH_AT) };
  }

  /** Where the last record ends. */
  get #end(): number {
    const at = (this.#count - 1) * this.#rowWords;
    return this.#count === 0 ? 0 : (this.#words[at + 4] ?? 0) + (this.#words[at + 5] ?? 0);
  }

  #rowBytes(): Buffer {
    const bytes = this.#count * this.#rowWords * Uint32Array.BYTES_PER_ELEMENT;
    return Buffer.from(this.#words.buffer, 0, bytes);
  }

  #grow(): void {
    const rows = Math.max(FIRST_ROWS, 2 * this.#count);
    const buffer = new ArrayBuffer(rows * this.#rowWords * Uint32Array.BYTES_PER_ELEMENT);
    const words = new Uint32Array(buffer);
    words.set(this.#words);
    this.#words = words;
    this.#doubles = new Float64Array(buffer);
  }
}
