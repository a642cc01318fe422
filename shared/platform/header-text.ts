import type { Warning } from './problem.ts';

/** The longest text that a worker puts into one header of an answer, in characters. */
export const HEADER_TEXT_CHARACTERS = 1_024;
/** The longest list of warnings, in characters (E3). */
export const WARNINGS_LIST_CHARACTERS = 4_096;

/** Only visible ASCII and blanks are safe in a header. By code points: half a surrogate pair has no encoding. */
const UNSAFE_IN_HEADER = /[^\x20-\x7e]/gu;
/** In a list the two separators and blanks are unsafe too. */
const UNSAFE_IN_ITEM = /[^\x21-\x2b\x2d-\x3a\x3c-\x7e]/gu;
/** Half of a percent-encoded byte, at the end of a text that was cut. */
const CUT_BYTE = /%[0-9A-F]?$/;
const TRUNCATED = 'truncated';

/** Makes a text safe for a header: other characters percent-encoded as UTF-8, cut at 1,024 characters. */
export function safeHeaderText(text: string): string {
  // Encoding only lengthens, so what is beyond the limit need not be encoded.
  const encoded = percentEncode(text.slice(0, HEADER_TEXT_CHARACTERS), UNSAFE_IN_HEADER);
  if (encoded.length <= HEADER_TEXT_CHARACTERS) return encoded;
  return encoded.slice(0, HEADER_TEXT_CHARACTERS).replace(CUT_BYTE, '');
}

/**
 * Renders warnings as one header (E3): `code;path` items separated by a comma and a blank, each once, ASCII, at most
 * 4 KiB and then ending in `truncated`. `further` is such a list already. Undefined when there are no warnings.
 */
export function warningsList(warnings: readonly Warning[], further: string | undefined): string | undefined {
  if (warnings.length === 0 && further === undefined) return undefined;
  const own = warnings.map(({ code, path }) => `${safeItemText(code)};${safeItemText(path)}`);
  const others = (further ?? '').split(',').map((item) => item.trim().split(';').map(safeItemText).join(';'));
  const items = [...new Set([...own, ...others])].filter((item) => item !== '');
  if (items.length === 0) return undefined;
  const whole = items.join(', ');
  return whole.length <= WARNINGS_LIST_CHARACTERS ? whole : truncate(items);
}

function truncate(items: readonly string[]): string {
  let text = '';
  for (const item of items) {
    const next = `${text}${item}, `;
    if (next.length + TRUNCATED.length > WARNINGS_LIST_CHARACTERS) break;
    text = next;
  }
  return text + TRUNCATED;
}

function safeItemText(text: string): string {
  return percentEncode(text, UNSAFE_IN_ITEM);
}

function percentEncode(text: string, unsafe: RegExp): string {
  return text.toWellFormed().replaceAll(unsafe, encodeURIComponent);
}
