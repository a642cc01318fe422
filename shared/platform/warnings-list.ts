import type { Warning } from './problem.ts';

/** The longest list of warnings, in characters (E3). */
export const WARNINGS_LIST_CHARACTERS = 4_096;

const TRUNCATED = 'truncated';
/** Whatever is not visible ASCII, and the two separators, would break the list. By code points: half a pair has no encoding. */
const NOT_IN_ITEM = /[^\x21-\x2b\x2d-\x3a\x3c-\x7e]/gu;

/**
 * Warnings as they stand in a header (E3): `code;path` items separated by a comma and a blank, each once, ASCII, at most
 * 4 KiB and then ending in `truncated`. `further` is such a list already. Undefined when there is nothing to say.
 */
export function warningsList(warnings: readonly Warning[], further: string | undefined): string | undefined {
  if (warnings.length === 0 && further === undefined) return undefined;
  const own = warnings.map(({ code, path }) => `${asAscii(code)};${asAscii(path)}`);
  const theirs = (further ?? '').split(',').map((item) => item.trim());
  const items = [...new Set([...own, ...theirs.map(asAsciiItem)])].filter((item) => item !== '');
  if (items.length === 0) return undefined;
  const whole = items.join(', ');
  return whole.length <= WARNINGS_LIST_CHARACTERS ? whole : cut(items);
}

function cut(items: readonly string[]): string {
  let text = '';
  for (const item of items) {
    const next = `${text}${item}, `;
    if (next.length + TRUNCATED.length > WARNINGS_LIST_CHARACTERS) break;
    text = next;
  }
  return text + TRUNCATED;
}

/** Percent-encoded as UTF-8, so that a member's name can still be told. */
function asAscii(text: string): string {
  return text.toWellFormed().replaceAll(NOT_IN_ITEM, encodeURIComponent);
}

function asAsciiItem(item: string): string {
  return item.split(';').map(asAscii).join(';');
}
