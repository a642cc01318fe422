import { HEADER, headerNumber, headerText } from '../messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage, PartitionOffset } from '../messaging/message.ts';
import { readAttempts } from '../notification/attempt-history.ts';
import { idOfPosition, readId } from '../notification/notification-id.ts';
import { OUTCOME_UNKNOWN } from '../notification/notification-state.ts';
import { isHandled, type DeadLetterState } from './audit.ts';
import type { Destinations } from './dead-letter-log.ts';
import { DEAD_LETTER_HEADERS, type DeadLetter, sanitise } from './read-dead-letter.ts';

export interface SendOptions {
  readonly dryRun: boolean;
  /** Includes letters that have already been handled according to the audit. */
  readonly again: boolean;
  /** Includes letters that have reached the limit of redrives. */
  readonly force: boolean;
  /** Includes notifications that may have been sent. */
  readonly acceptDuplicates: boolean;
}

const MAX_REDRIVES = 3;

const OMITTED: ReadonlySet<string> = new Set([
  ...DEAD_LETTER_HEADERS,
  HEADER.deadline,
  HEADER.dueAt,
  HEADER.retryTopic,
  HEADER.retryPartition,
  HEADER.timeLimitFrom,
  HEADER.write,
  HEADER.redriveUnknown,
]);

export type Verdict =
  | { readonly kind: 'send'; readonly to: PartitionOffset; readonly overrides: readonly string[] }
  | { readonly kind: 'refuse'; readonly why: string; readonly override: Override | undefined };

export type Override = 'again' | 'force' | 'acceptDuplicates';

/** Decides whether a letter may be sent again. The caller has skipped handled letters, unless `again` was set. */
export function decideRedrive(
  letter: DeadLetter,
  state: DeadLetterState,
  options: Pick<SendOptions, 'force' | 'acceptDuplicates'>,
  { work, commands }: Destinations,
): Verdict {
  const { original } = letter;
  if (original === undefined) return refuse('its headers do not name the original record; discard it');
  if (!work.has(original.topic)) {
    return refuse(`${sanitise(original.topic)} is not a request or command topic of this system; discard it`);
  }
  const times = letter.redrives + state.sentAgain;
  if (times >= MAX_REDRIVES && !options.force) {
    return refuse(`it came back after ${times} redrives: fix the cause or edit it`, 'force');
  }
  const isUnknown = letter.code === OUTCOME_UNKNOWN && commands.has(original.topic);
  if (isUnknown && !options.acceptDuplicates) {
    return refuse('it may have been sent: ask the provider, then mark it as sent', 'acceptDuplicates');
  }
  const overrides = [
    ...(isHandled(state) ? ['again'] : []),
    ...(times >= MAX_REDRIVES ? ['force'] : []),
    ...(isUnknown ? ['accept-duplicates'] : []),
  ];
  return { kind: 'send', to: original, overrides };
}

/** Decides whether a letter may be marked as sent. Only a notification whose outcome is unknown may. */
export function decideMarking(letter: DeadLetter, { commands }: Destinations): Verdict {
  const { code, original, notificationId } = letter;
  if (original === undefined || !commands.has(original.topic) || code !== OUTCOME_UNKNOWN)
    return refuse('it is not a notification that may have been sent');
  if (notificationId === undefined) return refuse('its headers do not name the notification');
  return { kind: 'send', to: original, overrides: [] };
}

interface CopyOptions {
  readonly nowMs: number;
  readonly isCommand: boolean;
  /** The letter was parked, and the operator accepts that the receiver may get the message twice. */
  readonly mayDuplicate: boolean;
}

/** The copy to send. A notification keeps its partition; the worker recognises a repeat by its attempt number. */
export function redriveMessage(
  letter: LogMessage,
  to: PartitionOffset,
  options: CopyOptions,
): OutgoingMessage {
  const { headers, key, value } = letter;
  return {
    topic: to.topic,
    key,
    value,
    ...(options.isCommand ? { partition: to.partition } : {}),
    headers: {
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => !OMITTED.has(name))),
      [HEADER.redriveCount]: String((headerNumber(headers, HEADER.redriveCount) ?? 0) + 1),
      ...(options.isCommand ? commandHeaders(headers, to, options) : {}),
    },
  };
}

function commandHeaders(
  headers: MessageHeaders,
  to: PartitionOffset,
  { nowMs, mayDuplicate }: CopyOptions,
): MessageHeaders {
  const last = Math.max(
    headerNumber(headers, HEADER.attempt) ?? 1,
    ...readAttempts(headerText(headers, HEADER.attemptHistory)).map(({ attempt }) => attempt),
  );
  return {
    // A command without an id gets one from its original offset, since the offset of each copy differs.
    [HEADER.notificationId]: readId(headerText(headers, HEADER.notificationId)) ?? idOfPosition(to),
    [HEADER.attempt]: String(last + 1),
    [HEADER.timeLimitFrom]: String(nowMs),
    ...(mayDuplicate ? { [HEADER.redriveUnknown]: 'true' } : {}),
  };
}

function refuse(why: string, override?: Override): Verdict {
  return { kind: 'refuse', why, override };
}
