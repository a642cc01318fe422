import { partitionId, type HeaderValue, type OutgoingMessage } from '../../../message.ts';

/** Bytes that the record format adds to key, value and headers, rounded up (lengths, offsets, timestamp). */
const RECORD_OVERHEAD_BYTES = 30;
const HEADER_OVERHEAD_BYTES = 6;
/**
 * Records are compressed (gzip) where one has a larger value. A gigabit network transfers a smaller one in half a millisecond, in which it
 * cannot be compressed; and on topics with compression.type=uncompressed the broker has to decompress it.
 */
const COMPRESS_ABOVE_BYTES = 64 * 1_024;

/** A message with its partition, and its time, so that a repeated send writes the same record. */
export type OutgoingRecord = OutgoingMessage & Required<Pick<OutgoingMessage, 'partition' | 'timestampMs'>>;

/** The size of a message as a record, for the limits of a send and of the queue. */
export function recordBytes({ key, value, headers = {} }: OutgoingMessage): number {
  let bytes = RECORD_OVERHEAD_BYTES + (value?.length ?? 0) + (key === null ? 0 : Buffer.byteLength(key));
  for (const name in headers) {
    for (const one of valuesOf(headers[name]))
      bytes += HEADER_OVERHEAD_BYTES + name.length + Buffer.byteLength(one);
  }
  return bytes;
}

/** Whether records are to be compressed. */
export function isLarge(records: readonly OutgoingRecord[]): boolean {
  return records.some(({ value }) => value !== null && value.length > COMPRESS_ABOVE_BYTES);
}

/** Throws unless the partitions of all records are among these, which brokers have confirmed. */
export function checkConfirmed(records: readonly OutgoingRecord[], confirmed: readonly string[]): void {
  const ids = new Set(confirmed);
  const missing = records.find(({ topic, partition }) => !ids.has(partitionId(topic, partition)));
  if (missing === undefined) return;
  throw new Error(`no broker confirmed partition ${missing.partition} of ${missing.topic}`);
}

/** The values of a header, which may be repeated. */
export function valuesOf(header: HeaderValue | readonly HeaderValue[] | undefined): readonly HeaderValue[] {
  if (header === undefined) return [];
  return typeof header === 'string' || Buffer.isBuffer(header) ? [header] : header;
}
