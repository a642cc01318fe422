import type { Warning } from '../platform/problem.ts';

/** Maximum length of a text in a header, in characters. */
export const HEADER_TEXT_CHARACTERS = 1_024;
/** Maximum length of the list of warnings, in characters (E3). */
const WARNINGS_LIST_CHARACTERS = 4_096;

/** HTTP headers hold only visible ASCII and blanks. Flag `u` is needed: only whole code points have an encoding. */
const UNSAFE_IN_HEADER = /[^\x20-\x7e]/gu;
/** Items of a list must not contain blanks or the separators `,` and `;` either. */
const UNSAFE_IN_ITEM = /[^\x21-\x2b\x2d-\x3a\x3c-\x7e]/gu;
const CUT_BYTE = /%[0-9A-F]?$/;
const TRUNCATED = 'truncated';
const NOT_IN_CALENDAR = /[^\w.+:/-]/gu;

/** Percent-encodes the UTF-8 of all but visible ASCII and blanks, and truncates the result at 1,024 characters. */
export function safeHeaderText(text: string): string {
  // Encoding never shortens a text, so characters beyond the limit need not be encoded.
  const encoded = percentEncode(text.slice(0, HEADER_TEXT_CHARACTERS), UNSAFE_IN_HEADER);
  if (encoded.length <= HEADER_TEXT_CHARACTERS) return encoded;
  return encoded.slice(0, HEADER_TEXT_CHARACTERS).replace(CUT_BYTE, '');
}

/** Percent-encodes the UTF-8 of all but visible ASCII, and the separators of lists. */
export function safeItemText(text: string): string {
  return percentEncode(text, UNSAFE_IN_ITEM);
}

/** The list `code;path, code;path` (E3) and the items of `further`. Over 4,096 characters it ends in `truncated`. */
export function warningsList(warnings: readonly Warning[], further: string | undefined): string | undefined {
  if (warnings.length === 0 && further === undefined) return undefined;
  const own = warnings.map(({ code, path }) => `${safeItemText(code)};${safeItemText(path)}`);
  const others = (further ?? '').split(',').map((item) => item.trim().split(';').map(safeItemText).join(';'));
  const items = [...new Set([...own, ...others])].filter((item) => item !== '');
  if (items.length === 0) return undefined;
  return joinWithin(items, WARNINGS_LIST_CHARACTERS);
}

/** The header `RO+TARGET;version=2026.1+2026.1` (H2). Percent-encodes all but A-Z, a-z, 0-9 and `_.+:/-`. */
export function formatCalendar(used: { readonly name: string; readonly version: string }): string {
  return `${encodeCalendar(used.name)};version=${encodeCalendar(used.version)}`;
}

function encodeCalendar(part: string): string {
  return part.toWellFormed().replaceAll(NOT_IN_CALENDAR, (character) => {
    const escaped = encodeURIComponent(character);
    return escaped === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : escaped;
  });
}

/** Reads a list of {@link warningsList}, except its mark `truncated`. Percent-encoded paths are decoded. */
export function readWarningsList(list = ''): readonly Warning[] {
  const items = list.split(',').map((item) => item.trim());
  return items
    .filter((item) => item !== '' && item !== TRUNCATED)
    .map((item) => {
      const [code = '', path = ''] = item.split(';');
      return { code, path: decoded(path) };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Joins the items by commas. Over `limit` characters the list ends early, in `truncated`. */
export function joinWithin(items: readonly string[], limit: number): string {
  const whole = items.join(', ');
  if (whole.length <= limit) return whole;
  let text = '';
  for (const item of items) {
    const next = `${text}${item}, `;
    if (next.length + TRUNCATED.length > limit) break;
    text = next;
  }
  return text + TRUNCATED;
}

function percentEncode(text: string, unsafe: RegExp): string {
  return text.toWellFormed().replaceAll(unsafe, encodeURIComponent);
}
