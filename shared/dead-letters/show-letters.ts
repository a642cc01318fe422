import { HEADER } from '../messaging/header-names.ts';
import { headerNumber, headerText } from '../messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../messaging/message.ts';
import { readId } from '../notification/command-id.ts';
import { type AuditRecord, readAudit } from './audit.ts';
import type { LetterContext } from './letter-context.ts';
import { DEAD_LETTER_HEADERS, type Letter, pastAttempts, placeId, sanitise } from './letter.ts';
import { readOne } from './letter-log.ts';
import { showPayload } from './payload.ts';

/** Message keys that the ingress derives from a receiver with an HMAC; they contain no personal data. */
const HASHED_KEY = /^[0-9a-f]{32,}$/;
const OUR_HEADERS: ReadonlySet<string> = new Set(Object.values(HEADER));
/** Headers whose values are printed outside the list of headers. */
const PRINTED_SEPARATELY: ReadonlySet<string> = new Set([...DEAD_LETTER_HEADERS, HEADER.attemptHistory]);

/** A letter as shown to an operator, with personal data masked. */
export type ShownLetter = Awaited<ReturnType<typeof showLetter>>;

/** Reads the complete letters, one after the other; omits those that are no longer retained. */
export async function showLetters(
  context: LetterContext,
  letters: readonly Letter[],
  statusOf: (letter: Letter) => string,
  reveal: boolean,
): Promise<readonly ShownLetter[]> {
  const audit = new Map<string, AuditRecord[]>(letters.map(({ id }) => [id, []]));
  await readAudit(context, (record) => audit.get(placeId(record.letter))?.push(record));
  const all: ShownLetter[] = [];
  for (const letter of letters) {
    const message = await readOne(context.log, letter);
    if (message === undefined) continue;
    const known = { status: statusOf(letter), audit: audit.get(letter.id) ?? [] };
    all.push(await showLetter(context, message, { letter, known, reveal }));
  }
  return all;
}

interface Showing {
  readonly letter: Letter;
  readonly known: { readonly status: string; readonly audit: readonly AuditRecord[] };
  readonly reveal: boolean;
}

async function showLetter(
  { codec, topics }: LetterContext,
  message: LogMessage,
  { letter, known, reveal }: Showing,
) {
  const isCommand = topics.destinations.commands.has(letter.original?.topic ?? '');
  const { id, code, group, attempts, redrives, notificationId, original } = letter;
  const fromAtMs = headerNumber(message.headers, HEADER.deadLetterTimestamp);
  return {
    id,
    code: sanitise(code),
    reason: sanitise(letter.reason),
    at: new Date(letter.atMs).toISOString(),
    from: original === undefined ? undefined : sanitise(placeId(original)),
    fromAt: fromAtMs === undefined ? undefined : new Date(fromAtMs).toISOString(),
    group: group === undefined ? undefined : sanitise(group),
    attempts,
    redrives,
    notificationId: notificationId === undefined ? undefined : sanitise(notificationId),
    key: shownKey(message.key, isCommand && !reveal),
    headers: shownHeaders(message.headers, reveal),

    history: pastAttempts(message.headers).map(({ text }) => sanitise(text)),
    payload: await showPayload(message, codec, { reveal, isCommand }),
    ...known,
  };
}

function shownKey(key: Buffer | null, isMasked: boolean): string | null {
  if (key === null) return null;
  const text = key.toString('utf8');
  if (isMasked && !HASHED_KEY.test(text)) return `[masked, ${key.length} bytes]`;
  return sanitise(text);
}

/** Headers of this project as strings; for other headers, which may contain personal data, only the length. */
function shownHeaders(headers: MessageHeaders, reveal: boolean): Readonly<Record<string, string>> {
  const names = Object.keys(headers).filter((name) => !PRINTED_SEPARATELY.has(name));
  return Object.fromEntries(
    names.map((name) => {
      const text = headerText(headers, name) ?? '';
      const isShown = reveal || (OUR_HEADERS.has(name) && isOwn(name, text));
      const value = isShown ? sanitise(text) : `[masked, ${text.length} characters]`;
      return [sanitise(name), value];
    }),
  );
}

/** Upstream systems may write this header too, so a value that is not an id may be personal data. */
function isOwn(name: string, text: string): boolean {
  return name !== HEADER.notificationId || readId(text) !== undefined;
}
