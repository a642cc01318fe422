import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { crc32c } from '../../kafka/kafkajs/crc32c.ts';
import { gzipOptions } from '../../kafka/kafkajs/gzip-options.ts';
import type { OutgoingRecord } from '../../kafka/publishing/record.ts';
import type { HeaderValue } from '../../message.ts';

type WireRecord = OutgoingRecord['record'];

/** Positions in a record batch (Kafka protocol, record batch version 2). */
const LENGTH_AT = 8;
const EPOCH_AT = 12;
const MAGIC_AT = 16;
const CHECKSUM_AT = 17;
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const FIRST_TIMESTAMP_AT = 27;
const MAX_TIMESTAMP_AT = 35;
const PRODUCER_AT = 43;
const RECORDS_AT = 57;
const HEAD_BYTES = 61;
/** A batch's producer id, epoch and sequence when the producer is not idempotent: -1 each. */
const PRODUCER_BYTES = 14;
const MAGIC = 2;
const GZIP = 1;
/**
 * Batches with a larger value are compressed. A gigabit network transfers a smaller one in half a millisecond, in which it cannot
 * be compressed; and on topics with compression.type=uncompressed the broker has to decompress it.
 */
const COMPRESS_ABOVE_BYTES = 65_536;
/** The bytes of a variable-length integer have 7 bits each; the eighth says that more follow. */
const MORE = 0x80;
const LOW_BITS = 0x7f;

const compress = promisify(gzip);

/** The records of one partition as the bytes of one record batch; in a promise if they are compressed. */
export function encodeBatch(entries: readonly OutgoingRecord[]): Buffer | Promise<Buffer> {
  const firstMs = Number(entries[0]?.record.timestamp ?? 0);
  let maxMs = firstMs;
  let isLarge = false;
  let size = HEAD_BYTES;
  const bodyBytes: number[] = [];
  for (const [index, { record, valueBytes }] of entries.entries()) {
    const timestampMs = Number(record.timestamp);
    if (timestampMs > maxMs) maxMs = timestampMs;
    isLarge ||= valueBytes > COMPRESS_ABOVE_BYTES;
    const bytes = bodySize(record, timestampMs - firstMs, index);
    bodyBytes.push(bytes);
    size += varintSize(bytes) + bytes;
  }
  const batch = Buffer.allocUnsafe(size);
  const writer = { bytes: batch, at: HEAD_BYTES };
  for (const [index, { record }] of entries.entries()) {
    writeVarint(writer, bodyBytes[index] ?? 0);
    writeRecord(writer, record, Number(record.timestamp) - firstMs, index);
  }
  const times = { firstMs, maxMs };
  if (!isLarge) return finish(batch, entries.length, times, 0);
  return compress(batch.subarray(HEAD_BYTES), gzipOptions(batch.length)).then((records) =>
    finish(Buffer.concat([batch.subarray(0, HEAD_BYTES), records]), entries.length, times, GZIP),
  );
}

/** Writes the head in front of the records. */
function finish(
  batch: Buffer,
  count: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
  attributes: number,
): Buffer {
  batch.writeBigInt64BE(0n, 0);
  batch.writeInt32BE(batch.length - EPOCH_AT, LENGTH_AT);
  batch.writeInt32BE(-1, EPOCH_AT);
  batch.writeInt8(MAGIC, MAGIC_AT);
  batch.writeInt16BE(attributes, ATTRIBUTES_AT);
  batch.writeInt32BE(count - 1, LAST_OFFSET_DELTA_AT);
  batch.writeBigInt64BE(BigInt(firstMs), FIRST_TIMESTAMP_AT);
  batch.writeBigInt64BE(BigInt(maxMs), MAX_TIMESTAMP_AT);
  batch.fill(0xff, PRODUCER_AT, PRODUCER_AT + PRODUCER_BYTES);
  batch.writeInt32BE(count, RECORDS_AT);
  batch.writeUInt32BE(crc32c(batch.subarray(ATTRIBUTES_AT)), CHECKSUM_AT);
  return batch;
}

interface Writer {
  readonly bytes: Buffer;
  at: number;
}

/** The size of a record without the length in front of it. */
function bodySize({ key, value, headers = {} }: WireRecord, timestampDelta: number, offsetDelta: number) {
  let bytes =
    1 + varintSize(timestampDelta) + varintSize(offsetDelta) + contentSize(key) + contentSize(value);
  let count = 0;
  for (const name in headers) {
    for (const header of valuesOf(headers[name])) {
      bytes += contentSize(name) + contentSize(header);
      count += 1;
    }
  }
  return bytes + varintSize(count);
}

function writeRecord(
  writer: Writer,
  { key, value, headers = {} }: WireRecord,
  timestampDelta: number,
  offsetDelta: number,
): void {
  writer.bytes[writer.at] = 0;
  writer.at += 1;
  writeVarint(writer, timestampDelta);
  writeVarint(writer, offsetDelta);
  writeContent(writer, key);
  writeContent(writer, value);
  let count = 0;
  for (const name in headers) count += valuesOf(headers[name]).length;
  writeVarint(writer, count);
  for (const name in headers) {
    for (const header of valuesOf(headers[name])) {
      writeContent(writer, name);
      writeContent(writer, header);
    }
  }
}

function valuesOf(header: HeaderValue | readonly HeaderValue[] | undefined): readonly HeaderValue[] {
  if (header === undefined) return [];
  return typeof header === 'string' || Buffer.isBuffer(header) ? [header] : header;
}

function contentSize(content: HeaderValue | null | undefined): number {
  if (content === null || content === undefined) return 1;
  const bytes = Buffer.byteLength(content);
  return varintSize(bytes) + bytes;
}

/** Writes a text or buffer with its length in front; a length of -1 stands for null. */
function writeContent(writer: Writer, content: HeaderValue | null | undefined): void {
  if (content === null || content === undefined) {
    writeVarint(writer, -1);
    return;
  }
  writeVarint(writer, Buffer.byteLength(content));
  if (typeof content === 'string') writer.at += writer.bytes.write(content, writer.at);
  else writer.at += content.copy(writer.bytes, writer.at);
}

function varintSize(value: number): number {
  let bytes = 1;
  for (let rest = zigzag(value); rest > LOW_BITS; rest = Math.floor(rest / (LOW_BITS + 1))) bytes += 1;
  return bytes;
}

function writeVarint(writer: Writer, value: number): void {
  let rest = zigzag(value);
  while (rest > LOW_BITS) {
    writer.bytes[writer.at] = (rest % (LOW_BITS + 1)) | MORE;
    writer.at += 1;
    rest = Math.floor(rest / (LOW_BITS + 1));
  }
  writer.bytes[writer.at] = rest;
  writer.at += 1;
}

/** Even numbers for values from 0 on, odd ones for negative values; exact up to 2^52. */
function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}
