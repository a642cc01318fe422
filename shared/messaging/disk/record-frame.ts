/**
 * A record as bytes, little endian: length and CRC-32 of the rest; then offset, time of storing and timestamp as doubles;
 * partition, length of key and value (-1: null) and number of headers; key and value; each header as lengths, name and value.
 */

import { crc32 } from 'node:zlib';
import { headerBytes, setHeader } from '../headers.ts';
import type { HeaderValue, LogMessage, MessageHeaders, OutgoingMessage } from '../message.ts';

/** Length and checksum, which the checksum does not cover. */
const CHECKED_FROM = 8;
const KEY_AT = 48;
const HEADER_LENGTHS_BYTES = 8;
const NULL_LENGTH = -1;

/** A record with all that its frame holds. */
export interface FramedRecord {
  readonly offset: number;
  readonly partition: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
  readonly timestampMs: number;
  readonly storedAtMs: number;
  /** Bytes of its frame. */
  readonly bytes: number;
}

/** What the index of a segment holds of a record. */
export interface FrameHead {
  readonly partition: number;
  readonly offset: number;
  readonly storedAtMs: number;
  readonly key: Buffer | null;
  readonly isTombstone: boolean;
  readonly bytes: number;
}

/** Prepares a message for its frame; buffers are not copied. */
export function frameRecord(
  message: OutgoingMessage,
  key: Buffer | null,
  {
    partition,
    offset,
    nowMs,
  }: { readonly partition: number; readonly offset: number; readonly nowMs: number },
): FramedRecord {
  const headers: [string, Buffer][] = [];
  let bytes = KEY_AT + (key?.length ?? 0) + (message.value?.length ?? 0);
  const add = (name: string, value: HeaderValue): void => {
    const stored = typeof value === 'string' ? headerBytes(name, value) : value;
    headers.push([name, stored]);
    bytes += HEADER_LENGTHS_BYTES + Buffer.byteLength(name) + stored.length;
  };
  for (const name in message.headers) {
    const value = message.headers[name];
    if (value === undefined) continue;
    if (typeof value === 'string' || Buffer.isBuffer(value)) add(name, value);
    else for (const item of value) add(name, item);
  }
  const timestampMs = message.timestampMs ?? nowMs;
  return { partition, offset, key, value: message.value, headers, timestampMs, storedAtMs: nowMs, bytes };
}

/** Writes the frame of a record at `at`. */
export function writeFrame(target: Buffer, at: number, record: FramedRecord): void {
  const { offset, key, value, headers } = record;
  target.writeUInt32LE(record.bytes - CHECKED_FROM, at);
  target.writeDoubleLE(offset, at + 8);
  target.writeDoubleLE(record.storedAtMs, at + 16);
  target.writeDoubleLE(record.timestampMs, at + 24);
  target.writeUInt32LE(record.partition, at + 32);
  target.writeInt32LE(key?.length ?? NULL_LENGTH, at + 36);
  target.writeInt32LE(value?.length ?? NULL_LENGTH, at + 40);
  target.writeUInt32LE(headers.length, at + 44);
  let to = at + KEY_AT;
  if (key !== null) to += key.copy(target, to);
  if (value !== null) to += value.copy(target, to);
  for (const [name, content] of headers) {
    const nameBytes = target.write(name, to + HEADER_LENGTHS_BYTES);
    target.writeUInt32LE(nameBytes, to);
    target.writeUInt32LE(content.length, to + 4);
    to += HEADER_LENGTHS_BYTES + nameBytes;
    to += content.copy(target, to);
  }
  target.writeUInt32LE(crc32(target.subarray(at + CHECKED_FROM, to)), at + 4);
}

/** Reads what the index needs of the frame at `at`; undefined: there is no whole frame with a right checksum. */
export function readFrameHead(source: Buffer, at: number): FrameHead | undefined {
  const bytes = checkedBytes(source, at);
  if (bytes === undefined) return undefined;
  const keyLength = source.readInt32LE(at + 36);
  return {
    partition: source.readUInt32LE(at + 32),
    offset: source.readDoubleLE(at + 8),
    storedAtMs: source.readDoubleLE(at + 16),
    key: keyLength === NULL_LENGTH ? null : source.subarray(at + KEY_AT, at + KEY_AT + keyLength),
    isTombstone: source.readInt32LE(at + 40) === NULL_LENGTH,
    bytes,
  };
}

/** Reads the frame at `at`; undefined: there is no whole frame with a right checksum. Buffers are slices of `source`. */
export function readFrame(source: Buffer, at: number, topic: string): LogMessage | undefined {
  if (checkedBytes(source, at) === undefined) return undefined;
  let from = at + KEY_AT;
  const take = (length: number): Buffer => source.subarray(from, (from += length));
  const keyLength = source.readInt32LE(at + 36);
  const valueLength = source.readInt32LE(at + 40);
  const key = keyLength === NULL_LENGTH ? null : take(keyLength);
  const value = valueLength === NULL_LENGTH ? null : take(valueLength);
  const headers: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (let left = source.readUInt32LE(at + 44); left > 0; left -= 1) {
    const nameBytes = source.readUInt32LE(from);
    const contentBytes = source.readUInt32LE(from + 4);
    from += HEADER_LENGTHS_BYTES;
    const name = source.toString('utf8', from, (from += nameBytes));
    addHeader(headers, name, take(contentBytes));
  }
  return {
    topic,
    partition: source.readUInt32LE(at + 32),
    offset: source.readDoubleLE(at + 8),
    key,
    value,
    headers: headers satisfies MessageHeaders,
    timestampMs: source.readDoubleLE(at + 24),
  };
}

/** The message of a record as readFrame() returns it; buffers are not copied. */
export function messageOf(record: FramedRecord, topic: string): LogMessage {
  const headers: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const [name, value] of record.headers) addHeader(headers, name, value);
  const { partition, offset, key, value, timestampMs } = record;
  return { topic, partition, offset, key, value, headers: headers satisfies MessageHeaders, timestampMs };
}

/** A repeated header is an array, in the order of writing. */
function addHeader(
  headers: Record<string, HeaderValue | readonly HeaderValue[]>,
  name: string,
  value: Buffer,
): void {
  const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
  setHeader(headers, name, known === undefined ? value : [known, value].flat());
}

function checkedBytes(source: Buffer, at: number): number | undefined {
  if (at + KEY_AT > source.length) return undefined;
  const bytes = source.readUInt32LE(at) + CHECKED_FROM;
  if (bytes < KEY_AT || at + bytes > source.length) return undefined;
  return crc32(source.subarray(at + CHECKED_FROM, at + bytes)) === source.readUInt32LE(at + 4)
    ? bytes
    : undefined;
}
