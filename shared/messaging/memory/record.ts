import type { HeaderValue, LogMessage, MessageHeaders } from '../message.ts';

/** What a record, and each header of it, costs in memory beside its bytes: objects and pointers as V8 lays them out. */
const RECORD_OVERHEAD_BYTES = 300;
const HEADER_OVERHEAD_BYTES = 150;

/** A record batch's header has 61 bytes on Kafka, a record's lengths and deltas some 20 more; rounded up. */
const FRAME_BYTES = 100;

/** Bytes of a record as they count against max.message.bytes: key, value, headers and what is around them. */
export function recordBytes(key: Buffer | null, value: Buffer | null, headers: MessageHeaders): number {
  let bytes = FRAME_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  for (const name in headers) {
    const header = headers[name];
    if (header === undefined) continue;
    if (typeof header === 'string' || Buffer.isBuffer(header)) bytes += name.length + lengthOf(header);
    else for (const item of header) bytes += name.length + lengthOf(item);
  }
  return bytes;
}

/** Bytes of memory that a record holds. */
export function footprint(message: LogMessage): number {
  const headers = Object.keys(message.headers).length * HEADER_OVERHEAD_BYTES;
  return recordBytes(message.key, message.value, message.headers) + headers + RECORD_OVERHEAD_BYTES;
}

/** Kafka knows header values as bytes only, so text is read back as a Buffer; an array of one is read as its value. */
export function storedHeaders(headers: MessageHeaders | undefined): MessageHeaders {
  const stored: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    if (typeof value === 'string' || Buffer.isBuffer(value)) stored[name] = bytesOf(value);
    else if (value.length === 1) stored[name] = bytesOf(value[0] ?? '');
    else if (value.length > 1) stored[name] = value.map(bytesOf);
  }
  return stored;
}

function lengthOf(value: HeaderValue): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}

function bytesOf(value: HeaderValue): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : value;
}
