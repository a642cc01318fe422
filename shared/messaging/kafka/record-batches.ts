import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { errorText } from '../../platform/errors.ts';
import type { PartitionBytes } from './kafkajs-internals.ts';
import { NO_HEADER_VALUE, setHeader } from '../headers.ts';
import type { HeaderValue, LogMessage, TopicPartition } from '../message.ts';

/** Reads record batches (version 2, since Kafka 0.11). kafkajs would take seconds for a record with 4,000 headers. */

const KIB = 1_024;

/** Four times the largest batch that our topics allow. A batch that unpacks to more (attack, mistake) is skipped. */
const MAX_BATCH_BYTES = 32 * KIB * KIB;
/** zlib returns its output in chunks, each after a round trip to another thread. */
const CHUNK_BYTES = 256 * KIB;

/** Positions in a batch. The length at LENGTH_AT counts the bytes from LENGTH_END on. */
const LENGTH_AT = 8;
const LENGTH_END = 12;
const MAGIC_AT = 16;
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const FIRST_TIMESTAMP_AT = 27;
const MAX_TIMESTAMP_AT = 35;
const PRODUCER_ID_AT = 43;
const RECORD_COUNT_AT = 57;
const BATCH_HEADER_BYTES = 61;
const MAGIC = 2;
const COMPRESSION_BITS = 0b111;
const LOG_APPEND_TIME_BIT = 0b1000;
const TRANSACTIONAL_BIT = 0b1_0000;
const CONTROL_BIT = 0b10_0000;
const GZIP = 1;
const ZSTD = 4;
/** Each byte of a variable-length integer holds 7 bits of it. The eighth bit says that another byte follows. */
const MORE = 0x80;
const LOW_BITS = 0x7f;
/** The factor of the tenth byte, the last that an integer of 64 bits can have. */
const MAX_FACTOR = 2 ** 63;
const UINT32 = 2 ** 32;

const LIMITS = { maxOutputLength: MAX_BATCH_BYTES, chunkSize: CHUNK_BYTES };
const gunzipAsync = promisify(gunzip);
const zstdDecompressAsync = promisify(zstdDecompress);

interface RecordBatch {
  readonly bytes: Buffer;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly producerId: string;
  readonly isTransactional: boolean;
  readonly isControl: boolean;
}

export interface UnreadableBatch {
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly reason: string;
}

/** Omits a last batch that the size limit of a fetch has cut off. Throws RangeError on an unknown format. */
function splitBatches(bytes: Buffer): RecordBatch[] {
  const batches: RecordBatch[] = [];
  for (let at = 0; bytes.length - at >= BATCH_HEADER_BYTES;) {
    const end = at + LENGTH_END + bytes.readInt32BE(at + LENGTH_AT);
    if (end > bytes.length) break;
    if (end < at + BATCH_HEADER_BYTES || bytes[at + MAGIC_AT] !== MAGIC) {
      throw new RangeError('a record batch with an unknown format');
    }
    const batch = bytes.subarray(at, end);
    const attributes = batch.readUInt16BE(ATTRIBUTES_AT);
    const firstOffset = readInt64(batch, 0);
    batches.push({
      bytes: batch,
      firstOffset,
      lastOffset: firstOffset + batch.readInt32BE(LAST_OFFSET_DELTA_AT),
      producerId: String(batch.readBigInt64BE(PRODUCER_ID_AT)),
      isTransactional: (attributes & TRANSACTIONAL_BIT) !== 0,
      isControl: (attributes & CONTROL_BIT) !== 0,
    });
    at = end;
  }
  return batches;
}

interface OpenBatch extends RecordBatch {
  readonly content?: Buffer;
  readonly reason?: string;
}

/** Unpacks batches until they exceed 32 MiB; the next fetch has the rest. Rejects with RangeError (unknown format). */
export async function openBatches(bytes: Buffer): Promise<OpenBatch[]> {
  const opened: OpenBatch[] = [];
  let size = 0;
  for (const batch of splitBatches(bytes)) {
    if (size > MAX_BATCH_BYTES) break;
    if (batch.isControl) {
      opened.push(batch);
      continue;
    }
    try {
      const pending = contentOf(batch);
      const content = pending instanceof Promise ? await pending : pending;
      size += content.length;
      opened.push({ ...batch, content });
    } catch (error) {
      opened.push({ ...batch, reason: errorText(error) });
    }
  }
  return opened;
}

function contentOf({ bytes }: RecordBatch): Buffer | Promise<Buffer> {
  const content = bytes.subarray(BATCH_HEADER_BYTES);
  const compression = bytes.readUInt16BE(ATTRIBUTES_AT) & COMPRESSION_BITS;
  if (compression === 0) return content;
  if (compression === GZIP) return gunzipAsync(content, LIMITS);
  if (compression === ZSTD) return zstdDecompressAsync(content, LIMITS);
  throw new Error(`compression ${compression} (2: snappy, 3: lz4) is not read`);
}

/** The messages from offset `from` on, or why the batch cannot be read. All buffers are slices of its content. */
export function readMessages(
  place: TopicPartition & { readonly from: number },
  batch: OpenBatch,
): LogMessage[] | UnreadableBatch {
  const { firstOffset, lastOffset, content, reason } = batch;
  if (reason !== undefined) return { firstOffset, lastOffset, reason };
  if (content === undefined) return [];
  try {
    return readRecords(place, batch, new RecordReader(content));
  } catch (error) {
    return { firstOffset, lastOffset, reason: errorText(error) };
  }
}

function readRecords(
  { topic, partition, from }: TopicPartition & { readonly from: number },
  { bytes, firstOffset }: RecordBatch,
  reader: RecordReader,
): LogMessage[] {
  const messages: LogMessage[] = [];
  const firstTimestampMs = readInt64(bytes, FIRST_TIMESTAMP_AT);
  const isAppendTime = (bytes.readUInt16BE(ATTRIBUTES_AT) & LOG_APPEND_TIME_BIT) !== 0;
  const appendTimeMs = isAppendTime ? readInt64(bytes, MAX_TIMESTAMP_AT) : undefined;
  for (let left = bytes.readInt32BE(RECORD_COUNT_AT); left > 0; left -= 1) {
    const end = reader.beginRecord();
    const timestampMs = firstTimestampMs + reader.varint();
    const offset = firstOffset + reader.varint();
    const key = reader.bytes();
    const value = reader.bytes();
    const headers = reader.headers();
    reader.endRecord(end);
    if (offset < from) continue;
    const time = appendTimeMs ?? timestampMs;
    messages.push({ topic, partition, offset, key, value, headers, timestampMs: time });
  }
  reader.end();
  return messages;
}

/** The batches that a read_committed reader delivers, without control records and aborted transactions. */
export function committedBatches(
  batches: readonly OpenBatch[],
  aborted: PartitionBytes['abortedTransactions'],
): ReadonlySet<OpenBatch> {
  const delivered = new Set<OpenBatch>();
  const ahead = aborted.toSorted((a, b) => Number(a.firstOffset) - Number(b.firstOffset));
  const producers = new Set<string>();
  for (const batch of batches) {
    while (Number(ahead[0]?.firstOffset ?? Infinity) <= batch.lastOffset)
      producers.add(ahead.shift()?.producerId ?? '');
    const isAborted = batch.isTransactional && producers.has(batch.producerId);
    // In a partition, a producer has one transaction at a time: its next marker ends the aborted one.
    if (batch.isControl) producers.delete(batch.producerId);
    if (!batch.isControl && !isAborted) delivered.add(batch);
  }
  return delivered;
}

/** A number is enough, because offsets and times are below 2^53. */
function readInt64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * UINT32 + bytes.readUInt32BE(at + 4);
}

/** Reads one record after another. Every method throws RangeError if the bytes are not a record. */
class RecordReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  beginRecord(): number {
    const length = this.varint();
    const end = this.#at + length;
    if (length < 1 || end > this.#bytes.length) throw new RangeError('a record exceeds its batch');
    // Skips the attributes byte of the record, which Kafka does not use.
    this.#at += 1;
    return end;
  }

  endRecord(end: number): void {
    if (this.#at !== end) throw new RangeError('a record differs from its length');
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError('a record batch has bytes after its records');
  }

  /** Reads a signed integer with zigzag encoding; exact below 2^53. If it is cut off, #take() or endRecord() throws. */
  varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++] as number;
    // A fast path for one byte, because most lengths and deltas are small.
    if (byte < MORE) return (byte >>> 1) ^ -(byte & 1);
    let value = byte & LOW_BITS;
    let factor = 1;
    while (byte >= MORE) {
      byte = bytes[this.#at++] as number;
      factor *= MORE;
      if (factor > MAX_FACTOR) throw new RangeError('an integer is too long');
      value += (byte & LOW_BITS) * factor;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bytes(): Buffer | null {
    const length = this.varint();
    return length < 0 ? null : this.#bytes.subarray(this.#take(length, 'a value'), this.#at);
  }

  headers(): Record<string, HeaderValue | readonly HeaderValue[]> {
    const headers: Record<string, HeaderValue | HeaderValue[]> = {};
    for (let left = this.varint(); left > 0; left -= 1) {
      const start = this.#take(this.varint(), 'a header');
      const name = this.#bytes.toString('utf8', start, this.#at);
      const value = this.bytes() ?? NO_HEADER_VALUE;
      const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
      if (Array.isArray(known)) known.push(value);
      else setHeader(headers, name, known === undefined ? value : [known, value]);
    }
    return headers;
  }

  #take(length: number, what: string): number {
    const start = this.#at;
    this.#at += length;
    if (length < 0 || this.#at > this.#bytes.length) throw new RangeError(`${what} exceeds its record`);
    return start;
  }
}
