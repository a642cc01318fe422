import { NO_HEADER_VALUE, setHeader } from './headers.ts';
import type { HeaderValue, MessageHeaders } from './message.ts';

/** Value and headers of a message. */
export interface MessageContent {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
}

/** The bytes of value and headers, with the names of these. */
export function contentBytes({ value, headers }: MessageContent): number {
  return bytesOf([value, ...Object.keys(headers), ...valuesOf(headers)]);
}

/** Copies value and headers into one buffer: slices of a fetch response would keep the whole response in memory. */
export function copyContent({ value, headers }: MessageContent): MessageContent {
  const buffers = valuesOf(headers).filter((header) => typeof header !== 'string');
  const own = Buffer.allocUnsafeSlow(bytesOf([value, ...buffers]));
  let used = 0;
  const copy = (bytes: Buffer): Buffer => {
    const start = used;
    used += bytes.copy(own, start);
    return own.subarray(start, used);
  };
  const copyHeader = (header: HeaderValue): HeaderValue =>
    typeof header === 'string' || header === NO_HEADER_VALUE ? header : copy(header);
  const copied: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const [name, header] of Object.entries(headers)) {
    if (header === undefined) continue;
    const isOne = typeof header === 'string' || Buffer.isBuffer(header);
    setHeader(copied, name, isOne ? copyHeader(header) : header.map(copyHeader));
  }
  return { value: copy(value), headers: copied };
}

/** All values of all headers. */
function valuesOf(headers: MessageHeaders): readonly HeaderValue[] {
  return Object.values(headers).flatMap((header) => header ?? []);
}

function bytesOf(values: readonly HeaderValue[]): number {
  return values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
}
