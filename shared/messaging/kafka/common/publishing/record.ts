import type { Message } from 'kafkajs';
import { MessagingError } from '../../../../platform/errors.ts';
import { setHeader } from '../../../headers.ts';
import type { HeaderValue, OutgoingMessage } from '../../../message.ts';

/** Bytes that the record format adds to key, value and headers, rounded up (lengths, offsets, timestamp). */
const RECORD_OVERHEAD_BYTES = 30;
const HEADER_OVERHEAD_BYTES = 6;

/** A record for kafkajs, with the sizes that limit a request. */
export interface OutgoingRecord {
  readonly record: Message;
  readonly bytes: number;
  readonly valueBytes: number;
}

/**
 * Converts a message to a record for kafkajs. Its timestamp is set here, so that a repeated send writes the same record. Every
 * record needs a timestamp: if only some records of a request have one, kafkajs computes a wrong maximum, and the broker
 * a wrong retention. Throws MessagingError `not-sent` on a value that cannot be encoded, which would fail the whole request.
 */
export function toRecord(message: OutgoingMessage, nowMs: number): OutgoingRecord {
  const { key, value, partition } = message;
  if (value !== null && !Buffer.isBuffer(value)) throw unwritable('the value is not a buffer');
  if (key !== null && typeof key !== 'string' && !Buffer.isBuffer(key))
    throw unwritable('the key is neither a string nor a buffer');
  const valueBytes = value?.length ?? 0;
  let bytes = RECORD_OVERHEAD_BYTES + valueBytes + (key === null ? 0 : Buffer.byteLength(key));
  const headers: Record<string, HeaderValue | HeaderValue[]> = {};
  for (const name in message.headers) {
    const header = message.headers[name];
    if (header === undefined) continue;
    bytes += headerBytes(name, header);
    setHeader(headers, name, isOne(header) ? header : [...header]);
  }
  const timestamp = String(Math.trunc(message.timestampMs ?? nowMs));
  const record: Message = { key, value, headers, timestamp };
  if (partition !== undefined) record.partition = partition;
  return { record, bytes, valueBytes };
}

function headerBytes(name: string, header: HeaderValue | readonly HeaderValue[]): number {
  let bytes = 0;
  const values: unknown = isOne(header) ? [header] : header;
  for (const value of Array.isArray(values) ? (values as readonly unknown[]) : [undefined]) {
    if (!isOne(value)) throw unwritable(`header ${name} is neither a string nor a buffer`);
    bytes += HEADER_OVERHEAD_BYTES + name.length + Buffer.byteLength(value);
  }
  return bytes;
}

function isOne(header: unknown): header is HeaderValue {
  return typeof header === 'string' || Buffer.isBuffer(header);
}

function unwritable(reason: string): MessagingError {
  return new MessagingError('not-sent', `the message cannot be encoded: ${reason}`, { canRetry: false });
}
