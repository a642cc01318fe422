import type { HeaderValue, MessageHeaders } from './message.ts';

/** Every whole number with at most this many digits is exact. */
const MAX_DIGITS = 15;
const ZERO = 0x30;

/**
 * Stands for the value of a header that has none, which Kafka allows: a copy of the message, such as a dead letter or its redrive,
 * has none there either, and with kafkajs lacks the header.
 */
export const NO_HEADER_VALUE: HeaderValue = Buffer.alloc(0);

/** The value of a header without conversion; of a repeated header, its last value. A header without a value counts as absent. */
export function headerValue(headers: MessageHeaders, name: string): HeaderValue | undefined {
  const value = headers[name];
  if (isList(value)) return value.findLast((one) => one !== NO_HEADER_VALUE);
  return value === NO_HEADER_VALUE ? undefined : value;
}

/** A header as text (UTF-8). */
export function headerText(headers: MessageHeaders, name: string): string | undefined {
  const value = headerValue(headers, name);
  if (value === undefined || typeof value === 'string') return value;
  const last = LAST.get(name);
  return last?.bytes === value ? last.text : value.toString();
}

/** The last value of a header that was converted to bytes. */
interface LastValue {
  text: string;
  bytes: Buffer;
}

/** Most headers of a call, such as topics and types, are those of the calls before: their bytes are kept, by name. */
const LAST = new Map<string, LastValue>();
/** More than our own names of headers; other systems choose theirs. */
const MAX_NAMES = 64;
/** A longer text is not kept, since it hardly repeats, nor one that its bytes do not return: with half of a surrogate pair. */
const MAX_KEPT_LENGTH = 128;

/** A header value as bytes (UTF-8), which messages with the same value share: nothing may write to them. */
export function headerBytes(name: string, text: string): Buffer {
  const last = LAST.get(name);
  if (last?.text === text) return last.bytes;
  const bytes = Buffer.from(text);
  if (text.length > MAX_KEPT_LENGTH || !text.isWellFormed()) return bytes;
  if (last !== undefined) {
    last.text = text;
    last.bytes = bytes;
  } else if (LAST.size < MAX_NAMES) LAST.set(name, { text, bytes });
  return bytes;
}

/** A header with a whole number as decimal text, e.g. epoch milliseconds; any other value counts as absent. */
export function headerNumber(headers: MessageHeaders, name: string): number | undefined {
  const value = headerValue(headers, name);
  if (value === undefined || value.length === 0 || value.length > MAX_DIGITS) return undefined;
  let number = 0;
  for (let at = 0; at < value.length; at += 1) {
    const digit = (typeof value === 'string' ? value.charCodeAt(at) : (value[at] ?? 0)) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

/** Sets a header. Records of other systems may have one named `__proto__`, whose assignment would replace the prototype. */
export function setHeader(
  headers: Record<string, HeaderValue | readonly HeaderValue[]>,
  name: string,
  value: HeaderValue | readonly HeaderValue[],
): void {
  if (name !== '__proto__') headers[name] = value;
  else Object.defineProperty(headers, name, { value, enumerable: true, writable: true, configurable: true });
}

function isList(value: MessageHeaders[string]): value is readonly HeaderValue[] {
  return Array.isArray(value);
}
