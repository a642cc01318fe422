/** Maximum nesting depth of objects and arrays in JSON; the requests of the interface have five levels. */
export const MAX_JSON_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Whether JSON in UTF-8 nests objects and arrays deeper than `maxDepth`. Scans the bytes once without parsing, in about 1
 * ms per MiB for any content. For bytes that are not JSON the result is arbitrary, but the parser rejects them. Multi-byte
 * characters contain none of the structural bytes.
 */
export function exceedsJsonDepth(bytes: Uint8Array, maxDepth: number = MAX_JSON_DEPTH): boolean {
  const { length } = bytes;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfJsonText(bytes, at + 1);
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
    }
  }
  return false;
}

/** Index of the quote that closes the string whose first byte is at `from`, or beyond the end. */
export function endOfJsonText(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let at = from;
  while (at < length) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return at;
}
