import type { LetterPage, ListedLetter } from '../../../shared/contract/operations/dead-letter-calls.ts';
import { OPERATIONS_LIMITS } from '../../../shared/contract/operations/operation-fields.ts';
import { countByCode, visibleLetters } from '../../../shared/dead-letters/handle-letters.ts';
import { placeId, sanitise, type Letter } from '../../../shared/dead-letters/letter.ts';
import { plainPath } from '../../../shared/dead-letters/plain-path.ts';
import type { Scan } from '../../../shared/dead-letters/scan-letters.ts';
import { channelOf } from '../../../shared/dead-letters/selection.ts';

export interface PageQuery {
  /** Includes those that were handled. */
  readonly all: boolean;
  readonly limit?: number | undefined;
  /** `time:id` of the last letter of the previous page. */
  readonly cursor?: string | undefined;
}

/** A page of the scanned letters, newest first. */
export function renderPage(
  scan: Scan,
  { all, limit = OPERATIONS_LIMITS.defaultPageLetters, cursor }: PageQuery,
): LetterPage {
  const visible = visibleLetters(scan, all);
  const rest = cursor === undefined ? visible : visible.slice(afterCursor(visible, cursor));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    letters: page.map((letter) => renderLetter(letter, scan)),
    count: visible.length,
    codes: countByCode(visible),
    handled: scan.letters.length - visible.length,
    isComplete: scan.isComplete,
    isAuditComplete: scan.audit.isComplete,
    ...(last === undefined || rest.length === page.length ? {} : { nextCursor: cursorOf(last) }),
  };
}

function cursorOf({ atMs, id }: Letter): string {
  return `${atMs}:${id}`;
}

/** The index after the letter of the cursor; if that is gone, of the first one that is older. */
function afterCursor(letters: readonly Letter[], cursor: string): number {
  const at = letters.findIndex((letter) => cursorOf(letter) === cursor);
  if (at >= 0) return at + 1;
  const atMs = Number(cursor.slice(0, cursor.indexOf(':')));
  const older = letters.findIndex((letter) => letter.atMs < atMs);
  return older < 0 ? letters.length : older;
}

function renderLetter(letter: Letter, { states, prefix }: Scan): ListedLetter {
  const { id, atMs, code, reason, type, original, attempts, redrives, notificationId, valueBytes } = letter;
  const channel = channelOf(letter, prefix);
  return {
    id,
    at: new Date(atMs).toISOString(),
    code: sanitise(code),
    reason: sanitise(reason),
    ...(type === undefined ? {} : { type: plainPath(type) }),
    ...(channel === undefined ? {} : { channel }),
    ...(original === undefined ? {} : { from: sanitise(placeId(original)) }),
    attempts,
    redrives,
    status: states.of(id).status,
    ...(notificationId === undefined ? {} : { notificationId: sanitise(notificationId) }),
    bytes: valueBytes,
  };
}
