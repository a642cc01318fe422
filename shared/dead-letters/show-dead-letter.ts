import { HEADER, headerNumber, headerText } from '../messaging/headers.ts';
import type { MessageHeaders } from '../messaging/message.ts';
import { readAttempts } from '../notification/attempt-history.ts';
import { readId } from '../notification/notification-id.ts';
import { type AuditRecord, readAudit } from './audit.ts';
import { type DeadLetterContext, readOne } from './dead-letter-log.ts';
import { DEAD_LETTER_HEADERS, type DeadLetter, placeId, sanitise } from './read-dead-letter.ts';
import { showPayload } from './masked-payload.ts';

/** Message keys that the ingress derives from a receiver with an HMAC; they contain no personal data. */
const HASHED_KEY = /^[0-9a-f]{32,}$/;
/** Maximum number of audit steps that are shown: each redrive or edit has two. */
const MAX_STEPS = 100;
/** Maximum number of headers that are shown. The workers write fewer than thirty; a sender may write thousands. */
const MAX_HEADERS = 100;
const OUR_HEADERS: ReadonlySet<string> = new Set(Object.values(HEADER));
/** Headers whose values, unless a sender misuses them, are numbers, ids, or names of types and topics. */
const OF_WORKERS: ReadonlySet<string> = new Set(
  Object.values(HEADER).filter((name) => name.startsWith('plat-') || name === HEADER.contentType),
);
const ATTEMPT_CODE = /^[\w.-]{1,64}$/;
const HEADER_NAME = /^[A-Za-z_][\w.-]{0,99}$/;
const OWN_VALUE = /^(?:\d{1,15}|[A-Za-z][\w./;=,-]{0,299}|[0-9a-f-]{1,64})$/;
const PRINTED_SEPARATELY: ReadonlySet<string> = new Set([...DEAD_LETTER_HEADERS, HEADER.attemptHistory]);

/** A letter with its audit and masked payload; undefined if it is gone, or when the signal is aborted. */
export async function showDeadLetter(context: DeadLetterContext, letter: DeadLetter, status: string) {
  const { codec, topics, log } = context;
  const steps: AuditRecord[] = [];
  const { isComplete } = await readAudit(context, (record) => {
    if (placeId(record.letter) === letter.id) steps.push(record);
  });
  if (context.signal.aborted) return undefined;
  const message = await readOne(log, letter);
  if (message === undefined) return undefined;
  const { id, code, group, attempts, redrives, notificationId, original } = letter;
  // Headers may be edited, so the topic counts too: only the notification worker writes to its dead letters.
  const isCommand =
    letter.topic === topics.notificationLetters || topics.destinations.commands.has(original?.topic ?? '');
  const key = message.key?.toString('utf8');
  const isKeyShown = !isCommand || HASHED_KEY.test(key ?? '');
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
    key: key === undefined ? null : isKeyShown ? sanitise(key) : `[masked, ${message.key?.length} bytes]`,
    headers: shownHeaders(message.headers, isCommand),
    history: readAttempts(headerText(message.headers, HEADER.attemptHistory)).map((attempt) =>
      sanitise(JSON.stringify(attempt, withoutProse)),
    ),
    payload: await showPayload(message, codec, isCommand),
    status,
    audit: steps.slice(-MAX_STEPS),
    /** False if older steps are left out, or a part of the audit was not read. */
    isAuditComplete: isComplete && steps.length <= MAX_STEPS,
  };
}

/** Leaves out texts that are not codes, since an upstream system may have written any text as a provider or a code. */
function withoutProse(_: string, value: unknown): unknown {
  return typeof value === 'string' && !ATTEMPT_CODE.test(value) ? undefined : value;
}

/** Headers of this project as strings; for other headers, which may contain personal data, only the length. */
function shownHeaders(headers: MessageHeaders, isCommand: boolean): Readonly<Record<string, string>> {
  const names = Object.keys(headers).filter((name) => !PRINTED_SEPARATELY.has(name));
  const left = names.length - MAX_HEADERS;
  const shown = Object.fromEntries(
    names.slice(0, MAX_HEADERS).map((name) => {
      const text = headerText(headers, name) ?? '';
      const isShown = OUR_HEADERS.has(name) && isOwn(name, text, isCommand);
      const value = isShown ? sanitise(text) : `[masked, ${text.length} characters]`;
      return [HEADER_NAME.test(name) ? sanitise(name) : '[masked]', value];
    }),
  );
  return left > 0 ? { ...shown, '…': `${left} more headers` } : shown;
}

/** Values of an unexpected form may be personal data, as may those that the sender of a notification chooses. */
function isOwn(name: string, text: string, isCommand: boolean): boolean {
  if (name === HEADER.notificationId) return readId(text) !== undefined;
  return OF_WORKERS.has(name) ? OWN_VALUE.test(text) : !isCommand;
}
