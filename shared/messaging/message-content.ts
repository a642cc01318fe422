import { NO_HEADER_VALUE, setHeader } from './headers.ts';
import type { HeaderValue, MessageHeaders } from './message.ts';

/** Value and headers of a message. */
export interface MessageContent {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
}

/** The bytes of value and headers, with the names of these. */
export function contentBytes({ value, headers }: MessageContent): number {
  return value.length + headersBytes(headers);
}

/** The bytes of headers, with their names. Called for each message: it creates nothing. */
export function headersBytes(headers: MessageHeaders): number {
  let bytes = 0;
  for (const name in headers) {
    const header = headers[name];
    if (header === undefined) continue;
    if (typeof header === 'string' || Buffer.isBuffer(header))
      bytes += name.length + Buffer.byteLength(header);
    else for (const item of header) bytes += name.length + Buffer.byteLength(item);
  }
  return bytes;
}

/** Copies value and headers into one buffer: slices of a fetch response would keep the whole response in memory. */
export function copyContent({ value, headers }: MessageContent): MessageContent {
  const buffers = Object.values(headers)
    .flatMap((header) => header ?? [])
    .filter((header) => typeof header !== 'string');
  const own = Buffer.allocUnsafeSlow(buffers.reduce((sum, { length }) => sum + length, value.length));
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
