import type { Warning } from '../../shared/platform/problem.ts';
import { HTTP_LIMITS } from './http-limits.ts';

const TRUNCATED = 'truncated';
/** Whatever is not visible ASCII, and the two separators, would break the list. */
const NOT_IN_ITEM = /[^\x21-\x2b\x2d-\x3a\x3c-\x7e]/g;

/**
 * The response header `Warnings` (E3): `code;path` items separated by a comma and a blank, ASCII, at most 4 KiB and
 * then ending in `truncated`. `fromWorker` is such a list already. Undefined when there is nothing to say.
 */
export function warningsHeader(
  warnings: readonly Warning[],
  fromWorker: string | undefined,
): string | undefined {
  if (warnings.length === 0 && fromWorker === undefined) return undefined;
  const own = warnings.map(({ code, path }) => `${asAscii(code)};${asAscii(path)}`);
  const theirs = (fromWorker ?? '').split(',').map((item) => item.trim());
  const items = [...new Set([...own, ...theirs.map(asAsciiItem)])].filter((item) => item !== '');
  if (items.length === 0) return undefined;
  const whole = items.join(', ');
  return whole.length <= HTTP_LIMITS.warningsHeaderBytes ? whole : cut(items);
}

function cut(items: readonly string[]): string {
  let text = '';
  for (const item of items) {
    const next = `${text}${item}, `;
    if (next.length + TRUNCATED.length > HTTP_LIMITS.warningsHeaderBytes) break;
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
