import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BATCH_HEADER_BYTES, LAST_OFFSET_DELTA_AT, MAGIC } from '../batches/check-batches.ts';
import { crc32c } from '../batches/crc32c.ts';
import { COMPRESS_ABOVE_BYTES, gzipOptions } from '../batches/gzip-options.ts';
import { recordBodyBytes, valuesOf, varintBytes, zigzag } from '../batches/record-size.ts';
import type { OutgoingRecord } from './record.ts';
import { NO_HEADER_VALUE } from '../../../headers.ts';
import type { HeaderValue } from '../../../message.ts';

type WireRecord = OutgoingRecord['record'];

/** Positions in a record batch (Kafka protocol, record batch version 2). */
const LENGTH_AT = 8;
const EPOCH_AT = 12;
const MAGIC_AT = 16;
const CHECKSUM_AT = 17;
const ATTRIBUTES_AT = 21;
const FIRST_TIMESTAMP_AT = 27;
const MAX_TIMESTAMP_AT = 35;
const PRODUCER_AT = 43;
const RECORDS_AT = 57;
/** A batch's producer id, epoch and sequence when the producer is not idempotent: -1 each. */
const PRODUCER_BYTES = 14;
const GZIP = 1;
/** The bytes of a variable-length integer have 7 bits each; the eighth says that more follow. */
const MORE = 0x80;
const LOW_BITS = 0x7f;

const compress = promisify(gzip);

/** The records of one partition as the bytes of one record batch; in a promise if they are compressed. */
export function encodeBatch(entries: readonly OutgoingRecord[]): Buffer | Promise<Buffer> {
  const firstMs = Number(entries[0]?.record.timestamp ?? 0);
  let maxMs = firstMs;
  let isLarge = false;
  let size = BATCH_HEADER_BYTES;
  const bodyBytes: number[] = [];
  for (const [index, { record, valueBytes }] of entries.entries()) {
    const timestampMs = Number(record.timestamp);
    if (timestampMs > maxMs) maxMs = timestampMs;
    isLarge ||= valueBytes > COMPRESS_ABOVE_BYTES;
    const bytes = recordBodyBytes(record, timestampMs - firstMs, index);
    bodyBytes.push(bytes);
    size += varintBytes(bytes) + bytes;
  }
  const batch = Buffer.allocUnsafe(size);
  const writer = { bytes: batch, at: BATCH_HEADER_BYTES };
  for (const [index, { record }] of entries.entries()) {
    writeVarint(writer, bodyBytes[index] ?? 0);
    writeRecord(writer, record, Number(record.timestamp) - firstMs, index);
  }
  const times = { firstMs, maxMs };
  if (!isLarge) return finish(batch, entries.length, times, 0);
  return compress(batch.subarray(BATCH_HEADER_BYTES), gzipOptions(batch.length)).then((records) =>
    finish(Buffer.concat([batch.subarray(0, BATCH_HEADER_BYTES), records]), entries.length, times, GZIP),
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

/** Writes a text or buffer with its length in front; a length of -1 stands for null. */
function writeContent(writer: Writer, content: HeaderValue | null | undefined): void {
  if (content === null || content === undefined || content === NO_HEADER_VALUE) {
    writeVarint(writer, -1);
    return;
  }
  writeVarint(writer, Buffer.byteLength(content));
  if (typeof content === 'string') writer.at += writer.bytes.write(content, writer.at);
  else writer.at += content.copy(writer.bytes, writer.at);
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
