import type { Message } from 'kafkajs';
import { setHeader } from '../../../headers.ts';
import type { HeaderValue, OutgoingMessage } from '../../../message.ts';

/** Bytes that the record format adds to key, value and headers, rounded up (lengths, offsets, timestamp). */
const RECORD_OVERHEAD_BYTES = 30;
const HEADER_OVERHEAD_BYTES = 6;

/** A record for kafkajs, with the size that limits a request. */
export interface OutgoingRecord {
  readonly record: Message;
  readonly bytes: number;
}

/**
 * Converts a message to a record for kafkajs. Its timestamp is set here, so that a repeated send writes the same record. Every
 * record needs a timestamp: if only some records of a request have one, kafkajs computes a wrong maximum, and the broker
 * a wrong retention.
 */
export function toRecord(message: OutgoingMessage, nowMs: number): OutgoingRecord {
  const { key, value, partition } = message;
  let bytes = RECORD_OVERHEAD_BYTES + (value?.length ?? 0) + (key === null ? 0 : Buffer.byteLength(key));
  const headers: Record<string, HeaderValue | HeaderValue[]> = {};
  for (const name in message.headers) {
    const values = valuesOf(message.headers[name]);
    const [only] = values;
    if (only === undefined) continue;
    for (const one of values) bytes += HEADER_OVERHEAD_BYTES + name.length + Buffer.byteLength(one);
    setHeader(headers, name, values.length === 1 ? only : [...values]);
  }
  const timestamp = String(Math.trunc(message.timestampMs ?? nowMs));
  const record: Message = { key, value, headers, timestamp };
  if (partition !== undefined) record.partition = partition;
  return { record, bytes };
}

/** The values of a header, which may be repeated. */
export function valuesOf(header: HeaderValue | readonly HeaderValue[] | undefined): readonly HeaderValue[] {
  if (header === undefined) return [];
  return typeof header === 'string' || Buffer.isBuffer(header) ? [header] : header;
}
