import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import { MessagingError } from '../../../platform/errors.ts';
import type { HeaderValue, LogMessage, MessageHeaders, OutgoingMessage } from '../../message.ts';

/** Bytes that the record format adds to key, value and headers, rounded up (lengths, offsets, timestamp). */
const RECORD_OVERHEAD_BYTES = 30;
const HEADER_OVERHEAD_BYTES = 6;

/** A record as kafkajs writes it, with the figures by which requests are filled. */
export interface OutgoingRecord {
  readonly record: Message;
  readonly bytes: number;
  readonly valueBytes: number;
}

/** A record as kafkajs read it, as a message of ours. */
export function toLogMessage(topic: string, partition: number, read: KafkaMessage): LogMessage {
  return {
    topic,
    partition,
    offset: Number(read.offset),
    key: read.key,
    value: read.value,
    headers: readHeaders(read.headers),
    timestampMs: Number(read.timestamp),
  };
}

/**
 * A message as kafkajs writes it, with its partition and its time fixed once, so that a repeated send writes the same
 * record to the same place. Every record of a request carries a time: kafkajs computes a wrong maximum, and with it a
 * wrong retention, where some do and some do not. Throws MessagingError `not-sent` on a value that cannot be written,
 * which would otherwise fail the whole request of which it is a part.
 */
export function toRecord(message: OutgoingMessage, nowMs: number): OutgoingRecord {
  const { key, value } = message;
  if (value !== null && !Buffer.isBuffer(value)) throw unwritable('the value is not a buffer');
  if (key !== null && typeof key !== 'string' && !Buffer.isBuffer(key))
    throw unwritable('the key is not text');
  const valueBytes = value?.length ?? 0;
  let bytes = RECORD_OVERHEAD_BYTES + valueBytes + (key === null ? 0 : Buffer.byteLength(key));
  const headers: IHeaders = {};
  for (const name in message.headers) {
    const header = message.headers[name];
    if (header === undefined) continue;
    bytes += headerBytes(name, header);
    headers[name] = isOne(header) ? header : [...header];
  }
  const timestamp = String(Math.trunc(message.timestampMs ?? nowMs));
  return { record: { key, value, headers, timestamp }, bytes, valueBytes };
}

/** Kafka allows a header without a value; it is read as absent, since no header of ours has a meaning without one. */
function readHeaders(headers: IHeaders | undefined): MessageHeaders {
  if (headers === undefined) return {};
  for (const name in headers) {
    if (!Buffer.isBuffer(headers[name])) return withoutGaps(headers);
  }
  return headers;
}

function withoutGaps(headers: IHeaders): MessageHeaders {
  const kept: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const [name, header] of Object.entries(headers)) {
    const values = (Array.isArray(header) ? header : [header]).filter(
      (value) => value !== undefined && value !== null,
    );
    const [only] = values;
    if (only !== undefined) kept[name] = values.length === 1 ? only : values;
  }
  return kept;
}

function headerBytes(name: string, header: HeaderValue | readonly HeaderValue[]): number {
  let bytes = 0;
  const values: unknown = isOne(header) ? [header] : header;
  for (const value of Array.isArray(values) ? (values as readonly unknown[]) : [undefined]) {
    if (!isOne(value)) throw unwritable(`header ${name} is neither text nor bytes`);
    bytes += HEADER_OVERHEAD_BYTES + name.length + Buffer.byteLength(value);
  }
  return bytes;
}

function isOne(header: unknown): header is HeaderValue {
  return typeof header === 'string' || Buffer.isBuffer(header);
}

function unwritable(why: string): MessagingError {
  return new MessagingError('not-sent', `the message cannot be written: ${why}`, { canRetry: false });
}
