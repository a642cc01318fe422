const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Whether JSON text nests objects and arrays deeper than `maxDepth`. One pass without parsing, so that hostile depth
 * costs nothing; text that is not JSON gets some answer and fails in the parser.
 */
export function exceedsJsonDepth(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at + 1);
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      depth--;
    }
  }
  return false;
}

/** Index of the quote that closes the string whose first character is at `from`, or the end of the text. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    at += unit === BACKSLASH ? 2 : 1;
  }
  return at;
}
