import { errorText } from '../../../../platform/errors.ts';
import {
  BATCH_HEADER_BYTES,
  batchEnd,
  LAST_OFFSET_DELTA_AT,
  readInt64,
  type UnreadableBatch,
} from './check-batches.ts';
import { NO_HEADER_VALUE, setHeader } from '../../../headers.ts';
import type { HeaderValue, LogMessage, TopicPartition } from '../../../message.ts';

/** Positions in a record batch (Kafka protocol, version 2). */
const ATTRIBUTES_AT = 21;
const FIRST_TIMESTAMP_AT = 27;
const MAX_TIMESTAMP_AT = 35;
const PRODUCER_ID_AT = 43;
const RECORD_COUNT_AT = 57;

const COMPRESSION_BITS = 0b111;
const LOG_APPEND_TIME_BIT = 0b1000;
const TRANSACTIONAL_BIT = 0b1_0000;
const CONTROL_BIT = 0b10_0000;
/** The type in the key of a control record, after its version: the transaction was aborted. */
const ABORT_MARKER = 0;

/** A transaction that was aborted, with the offset of its first record in the partition. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

/** The records of one partition in a fetch response. */
export interface PartitionRecords extends TopicPartition {
  /** The requested offset; a batch may begin before it. */
  readonly from: number;
  /** Record batches, the last one possibly cut off. */
  readonly bytes: Buffer;
  readonly aborted: readonly AbortedTransaction[];
}

/** How the batches of one response are decompressed. */
export interface Decompression {
  /** The records of a batch by Kafka's number of its compression. Throws or rejects if they cannot be read. */
  readonly decompress: (compression: number, bytes: Buffer) => Buffer | Promise<Buffer>;
  /** How many bytes the records of the other batches may still have. */
  leftBytes: number;
}

const MIB = 1_024 * 1_024;
/**
 * Bytes of decompressed records in one response, 16 times those of a usual one, after which its other batches are fetched
 * again. So a response takes at most this and one more batch in memory, however well its records compress.
 */
const MAX_RESPONSE_BYTES = 32 * MIB;

/** The start of a response. */
export function beginDecompression(decompress: Decompression['decompress']): Decompression {
  return { decompress, leftBytes: MAX_RESPONSE_BYTES };
}

export interface DecodedRecords {
  readonly messages: LogMessage[];
  /** The next offset to be requested: after all decoded batches. */
  readonly position: number;
  readonly unreadable: readonly UnreadableBatch[];
}

/**
 * Decodes checked batches: the messages from the requested offset on, without control records and those of aborted
 * transactions. Keys, values and headers are parts of `bytes`. A batch that cannot be decoded although its checksum is right
 * stays unreadable; it is skipped and listed. Ends before the first compressed batch for which no bytes are left. Rejects if memory
 * is short, which is temporary.
 */
export async function decodeBatches(
  records: PartitionRecords,
  decompression: Decompression,
): Promise<DecodedRecords> {
  const { bytes, from } = records;
  const transactions = new AbortedTransactions(records.aborted);
  const messages: LogMessage[] = [];
  const unreadable: UnreadableBatch[] = [];
  let position = from;
  for (let at = 0; at < bytes.length;) {
    const end = batchEnd(bytes, at);
    if (end > bytes.length) break;
    const batch = bytes.subarray(at, end);
    const firstOffset = readInt64(batch, 0);
    const lastOffset = firstOffset + batch.readInt32BE(LAST_OFFSET_DELTA_AT);
    const before = messages.length;
    if (compressionOf(batch) !== 0 && decompression.leftBytes <= 0) break;
    try {
      if (transactions.delivers(batch, lastOffset)) {
        const content = contentOf(batch, decompression);
        const reader = new RecordReader(content instanceof Promise ? await content : content);
        appendMessages(messages, records, batch, reader);
      }
    } catch (error) {
      if (isShortOfMemory(error)) throw error;
      messages.length = before;
      unreadable.push({ firstOffset, lastOffset, reason: errorText(error) });
    }
    position = lastOffset + 1;
    at = end;
  }
  return { messages, position, unreadable };
}

/** Such as ERR_MEMORY_ALLOCATION_FAILED, Z_MEM_ERROR, ZSTD_error_memory_allocation. */
const MEMORY = /_mem(?:ory)?_|ERR_ZLIB_INITIALIZATION_FAILED/i;

/** By the codes of Node, zlib and zstd, and by the message of V8, which has no code. */
function isShortOfMemory(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return MEMORY.test(String(code)) || message === 'Array buffer allocation failed';
}

function contentOf(batch: Buffer, decompression: Decompression): Buffer | Promise<Buffer> {
  const content = batch.subarray(BATCH_HEADER_BYTES);
  const compression = compressionOf(batch);
  if (compression === 0) return content;
  const spend = (decompressed: Buffer): Buffer => {
    decompression.leftBytes -= decompressed.length;
    return decompressed;
  };
  const decompressed = decompression.decompress(compression, content);
  return decompressed instanceof Promise ? decompressed.then(spend) : spend(decompressed);
}

/** Kafka's number of the compression; 0: none. */
function compressionOf(batch: Buffer): number {
  return batch.readUInt16BE(ATTRIBUTES_AT) & COMPRESSION_BITS;
}

function appendMessages(
  messages: LogMessage[],
  { topic, partition, from }: PartitionRecords,
  batch: Buffer,
  reader: RecordReader,
): void {
  const firstOffset = readInt64(batch, 0);
  const firstTimestampMs = readInt64(batch, FIRST_TIMESTAMP_AT);
  const isAppendTime = (batch.readUInt16BE(ATTRIBUTES_AT) & LOG_APPEND_TIME_BIT) !== 0;
  const appendTimeMs = isAppendTime ? readInt64(batch, MAX_TIMESTAMP_AT) : undefined;
  for (let left = batch.readInt32BE(RECORD_COUNT_AT); left > 0; left -= 1) {
    const end = reader.beginRecord();
    const timestampMs = firstTimestampMs + reader.varint();
    const offset = firstOffset + reader.varint();
    const key = reader.bytes();
    const value = reader.bytes();
    const headers = reader.headers();
    reader.endRecord(end);
    if (offset < from) continue;
    messages.push({
      topic,
      partition,
      offset,
      key,
      value,
      headers,
      timestampMs: appendTimeMs ?? timestampMs,
    });
  }
  reader.end();
}

/** Which batches belong to aborted transactions. Transactions of a producer follow each other in a partition. */
class AbortedTransactions {
  /** Those whose first record is ahead, in the order of their first records. */
  readonly #ahead: AbortedTransaction[];
  readonly #producers = new Set<bigint>();

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#ahead = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  }

  /** Whether the messages of the batch are delivered; called for the batches in their order. */
  delivers(batch: Buffer, lastOffset: number): boolean {
    const attributes = batch.readUInt16BE(ATTRIBUTES_AT);
    if ((attributes & (CONTROL_BIT | TRANSACTIONAL_BIT)) === 0) return true;
    for (
      let next = this.#ahead[0];
      next !== undefined && next.firstOffset <= lastOffset;
      next = this.#ahead[0]
    ) {
      this.#producers.add(next.producerId);
      this.#ahead.shift();
    }
    const producerId = batch.readBigInt64BE(PRODUCER_ID_AT);
    if ((attributes & CONTROL_BIT) === 0) return !this.#producers.has(producerId);
    if (isAbortMarker(batch)) this.#producers.delete(producerId);
    return false;
  }
}

/** Compaction removes old markers, and may leave their batches without records. */
function isAbortMarker(batch: Buffer): boolean {
  if (batch.readInt32BE(RECORD_COUNT_AT) === 0) return false;
  const reader = new RecordReader(batch.subarray(BATCH_HEADER_BYTES));
  reader.beginRecord();
  reader.varint();
  reader.varint();
  const key = reader.bytes();
  return key !== null && key.length >= 4 && key.readInt16BE(2) === ABORT_MARKER;
}

/** The continuation bit and the value bits of a byte of a varint. */
const MORE = 0x80;
const VALUE_BITS = 0x7f;
const MAX_VARINT_BYTES = 10;

/** Reads records one after the other. Every method throws a RangeError where the bytes are not records. */
class RecordReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Returns where the record ends. */
  beginRecord(): number {
    const length = this.varint();
    const end = this.#at + length;
    if (length < 1 || end > this.#bytes.length) throw new RangeError('a record exceeds its batch');
    // The attributes of a record are unused.
    this.#at += 1;
    return end;
  }

  endRecord(end: number): void {
    if (this.#at !== end) throw new RangeError('a record differs from its length');
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError('a record batch has bytes after its records');
  }

  /** A signed integer, zigzag-encoded in seven bits per byte; exact below 2^53. */
  varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++] as number;
    // Most values, lengths and deltas, have one byte or two.
    if (byte < MORE) return (byte >>> 1) ^ -(byte & 1);
    let value = byte & VALUE_BITS;
    let factor = 1;
    for (let count = 1; byte >= MORE; count += 1) {
      if (count === MAX_VARINT_BYTES) throw new RangeError('an integer is too long');
      byte = bytes[this.#at++] as number;
      factor *= MORE;
      value += (byte & VALUE_BITS) * factor;
    }
    if (this.#at > bytes.length) throw new RangeError('a record ends within an integer');
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Bytes after their length; null for the length -1. */
  bytes(): Buffer | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError('a value exceeds its record');
    return this.#bytes.subarray(start, this.#at);
  }

  headers(): Record<string, HeaderValue | readonly HeaderValue[]> {
    const headers: Record<string, HeaderValue | readonly HeaderValue[]> = {};
    for (let left = this.varint(); left > 0; left -= 1) {
      const name = this.#name();
      const value = this.bytes() ?? NO_HEADER_VALUE;
      const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
      setHeader(headers, name, known === undefined ? value : [known, value].flat());
    }
    return headers;
  }

  #name(): string {
    const length = this.varint();
    const start = this.#at;
    this.#at += length;
    if (length < 0 || this.#at > this.#bytes.length) throw new RangeError('a header exceeds its record');
    return this.#bytes.toString('utf8', start, this.#at);
  }
}
