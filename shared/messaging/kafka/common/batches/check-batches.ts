import { crc32c } from './crc32c.ts';

/** Positions in a record batch (Kafka protocol, version 2); its length counts the bytes after the length field. */
const LENGTH_AT = 8;
const LENGTH_END = 12;
const MAGIC_AT = 16;
const CHECKSUM_AT = 17;
const CHECKED_FROM = 21;
export const LAST_OFFSET_DELTA_AT = 23;
export const BATCH_HEADER_BYTES = 61;
/** The batch format since Kafka 0.11. */
export const MAGIC = 2;

const UINT32 = 2 ** 32;

/** A record batch with a right checksum that cannot be decoded; its messages are skipped. */
export interface UnreadableBatch {
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly reason: string;
}

/**
 * Throws a RangeError unless each complete batch has a right checksum and a known format, offsets increase, and the first batch
 * reaches the requested offset. The checksum does not cover the first offset of a batch. The last batch may be cut off at the
 * size limit of a fetch; the first one is always complete.
 */
export function checkBatches(bytes: Buffer, from: number): void {
  let minOffset = from;
  for (let at = 0; at < bytes.length;) {
    const end = batchEnd(bytes, at);
    if (end > bytes.length) {
      if (at > 0) return;
      const isHeadless = bytes.length < BATCH_HEADER_BYTES;
      throw new RangeError(isHeadless ? WITHOUT_HEADER : 'the first record batch is truncated');
    }
    if (bytes[at + MAGIC_AT] !== MAGIC) throw new RangeError('a record batch with an unknown format');
    if (crc32c(bytes.subarray(at + CHECKED_FROM, end)) !== bytes.readUInt32BE(at + CHECKSUM_AT)) {
      throw new RangeError('a record batch with a wrong checksum');
    }
    const firstOffset = readInt64(bytes, at);
    const lastOffset = firstOffset + bytes.readInt32BE(at + LAST_OFFSET_DELTA_AT);
    if (lastOffset < minOffset || (at > 0 && firstOffset < minOffset)) {
      throw new RangeError('a record batch out of order');
    }
    minOffset = lastOffset + 1;
    at = end;
  }
}

const WITHOUT_HEADER = 'a record batch without its header';

/** Where a batch ends; beyond the end of `bytes` if it is cut off. */
export function batchEnd(bytes: Buffer, at: number): number {
  if (bytes.length - at < BATCH_HEADER_BYTES) return Infinity;
  const end = at + LENGTH_END + bytes.readInt32BE(at + LENGTH_AT);
  if (end < at + BATCH_HEADER_BYTES) throw new RangeError(WITHOUT_HEADER);
  return end;
}

/** A 64-bit integer as a number: offsets and times are below 2^53. */
export function readInt64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * UINT32 + bytes.readUInt32BE(at + 4);
}
