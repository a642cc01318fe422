import type { HeaderValue } from '../../../message.ts';

/** The parts of a record that its size depends on. */
export interface SizedRecord {
  readonly key?: HeaderValue | null;
  readonly value?: HeaderValue | null;
  readonly headers?: Readonly<Record<string, HeaderValue | readonly HeaderValue[] | undefined>> | undefined;
}

/** Bits of each byte of a variable-length integer; the eighth says that more follow. */
const VARINT_BITS = 7;

/**
 * The bytes of a record in a batch (record format 2) without its length in front. `timestampDelta` and `offsetDelta` are the
 * differences to the first record of the batch.
 */
export function recordBodyBytes(
  { key, value, headers = {} }: SizedRecord,
  timestampDelta: number,
  offsetDelta: number,
): number {
  // One byte of attributes.
  let bytes =
    1 + varintBytes(timestampDelta) + varintBytes(offsetDelta) + contentBytes(key) + contentBytes(value);
  let count = 0;
  for (const name in headers) {
    for (const header of valuesOf(headers[name])) {
      bytes += contentBytes(name) + contentBytes(header);
      count += 1;
    }
  }
  return bytes + varintBytes(count);
}

/** The values of a header, which may be repeated. */
export function valuesOf(header: HeaderValue | readonly HeaderValue[] | undefined): readonly HeaderValue[] {
  if (header === undefined) return [];
  return typeof header === 'string' || Buffer.isBuffer(header) ? [header] : header;
}

/** The bytes of an integer in zigzag encoding, with 7 bits in each byte. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = zigzag(value); rest >= 2 ** VARINT_BITS; rest = Math.floor(rest / 2 ** VARINT_BITS))
    bytes += 1;
  return bytes;
}

/** Even numbers for values from 0 on, odd ones for negative values; exact up to 2^52. */
export function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}

/** The bytes of a text or buffer with its length in front; a length of -1 stands for null. */
function contentBytes(content: HeaderValue | null | undefined): number {
  if (content === null || content === undefined) return 1;
  const bytes = Buffer.byteLength(content);
  return varintBytes(bytes) + bytes;
}
