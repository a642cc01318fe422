/** What is sent when a letter is sent again, and when it is not. Pure. */

import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../shared/messaging/message.ts';
import { idOfPlace, readId } from '../../shared/notification/command-id.ts';
import type { SendOptions } from './command-arguments.ts';
import { type Letter, type LogPlace, OUTCOME_UNKNOWN } from './letter.ts';
import { isHandled, type LetterState } from './letter-states.ts';

/** After so many times the letter comes back for a reason that sending alone does not mend. */
export const MAX_REDRIVES = 3;

/** The topics that letters may be sent to; nothing else, whatever a letter's headers say. */
export interface Destinations {
  /** Requests and commands of this system. */
  readonly work: ReadonlySet<string>;
  /** Those of them that hold notifications. */
  readonly commands: ReadonlySet<string>;
}

export type Verdict =
  | { readonly kind: 'send'; readonly to: LogPlace; readonly overrides: readonly string[] }
  | { readonly kind: 'skip' | 'refuse'; readonly why: string };

/** Whether a letter is sent again, by its provenance and by what was done with it before. */
export function verdictOn(
  letter: Letter,
  state: LetterState,
  options: Omit<SendOptions, 'dryRun' | 'ratePerSecond'>,
  { work, commands }: Destinations,
): Verdict {
  const { original } = letter;
  if (original === undefined) return refuse('its headers do not say where it came from; discard it');
  if (!work.has(original.topic)) {
    return refuse(`${shown(original.topic)} is not a request or command topic of this system; discard it`);
  }
  if (isHandled(state) && !options.again) return skip(`it was ${state.status} already; --again repeats that`);
  const times = letter.redrives + state.sentAgain;
  if (times >= MAX_REDRIVES && !options.force) {
    return refuse(`it was sent again ${times} times and came back: mend the cause, edit it, or use --force`);
  }
  const isUnknown = letter.code === OUTCOME_UNKNOWN && commands.has(original.topic);
  if (isUnknown && !options.acceptDuplicates) {
    return refuse('it may have been sent: ask the provider, then discard it or use --accept-duplicates');
  }
  const overrides = [
    ...(isHandled(state) ? ['again'] : []),
    ...(times >= MAX_REDRIVES ? ['force'] : []),
    ...(isUnknown ? ['accept-duplicates'] : []),
  ];
  return { kind: 'send', to: original, overrides };
}

/** What a notification's copy needs beyond that of a request. */
export interface CopyOptions {
  readonly nowMs: number;
  readonly isCommand: boolean;
  /** The letter was parked, and a second message to the receiver is accepted. */
  readonly mayDuplicate: boolean;
}

/**
 * The copy that is sent again: key, value and headers as they were, without those of the dead letter, of the deadline
 * that nobody waits for any more, and of a retry tier. A command goes to the partition that it was on, in its order; its
 * attempt is the last one plus 1 however often this is repeated, so that its worker takes a doubled copy for one; its time
 * limit counts from now.
 */
export function redriveMessage(letter: LogMessage, to: LogPlace, options: CopyOptions): OutgoingMessage {
  const { headers, key, value } = letter;
  return {
    topic: to.topic,
    key,
    value,
    ...(options.isCommand ? { partition: to.partition } : {}),
    headers: {
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name))),
      [HEADER.redriveCount]: String((headerNumber(headers, HEADER.redriveCount) ?? 0) + 1),
      ...(options.isCommand ? commandHeaders(headers, to, options) : {}),
    },
  };
}

function commandHeaders(
  headers: MessageHeaders,
  to: LogPlace,
  { nowMs, mayDuplicate }: CopyOptions,
): MessageHeaders {
  const last = Math.max(headerNumber(headers, HEADER.attempt) ?? 1, ...attemptsOf(headers));
  return {
    // A command that was refused before it had an id: the copy's own place would give another one each time.
    [HEADER.notificationId]: readId(headerText(headers, HEADER.notificationId)) ?? idOfPlace(to),
    [HEADER.attempt]: String(last + 1),
    [HEADER.timeLimitFrom]: String(nowMs),
    ...(mayDuplicate ? { [HEADER.redriveUnknown]: 'true' } : {}),
  };
}

/** One try as the header of former attempts tells it. */
export interface PastAttempt {
  readonly attempt: number;
  /** As JSON; only members that tell of the try, since the header may come from upstream and hold anything. */
  readonly text: string;
}

const ATTEMPT_CODE = /^[\w.-]{1,64}$/;
const ATTEMPT_MEMBERS: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['attempt', Number.isSafeInteger],
  ['at', Number.isSafeInteger],
  ...['provider', 'result', 'code'].map(
    (name) => [name, (value: unknown) => typeof value === 'string' && ATTEMPT_CODE.test(value)] as const,
  ),
];

/** The former attempts that a letter's header tells of; none where it cannot be read. */
export function pastAttempts(headers: MessageHeaders): readonly PastAttempt[] {
  const text = headerText(headers, HEADER.attemptHistory);
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return [];
    return list.flatMap((item: unknown) => {
      const known = knownMembers(item);
      const { attempt } = known;
      return typeof attempt === 'number' && attempt > 0 ? [{ attempt, text: JSON.stringify(known) }] : [];
    });
  } catch {
    return [];
  }
}

function knownMembers(item: unknown): { readonly attempt?: unknown } {
  if (typeof item !== 'object' || item === null) return {};
  const members = ATTEMPT_MEMBERS.map(([name, isFit]) => [name, Reflect.get(item, name), isFit] as const);
  return Object.fromEntries(members.flatMap(([name, value, isFit]) => (isFit(value) ? [[name, value]] : [])));
}

function attemptsOf(headers: MessageHeaders): readonly number[] {
  return pastAttempts(headers).map(({ attempt }) => attempt);
}

/** Headers that tell of the letter, not of the message. */
export const DEAD_LETTER_HEADERS: readonly string[] = [
  HEADER.deadLetterTopic,
  HEADER.deadLetterPartition,
  HEADER.deadLetterOffset,
  HEADER.deadLetterTimestamp,
  HEADER.deadLetterGroup,
  HEADER.deadLetterCode,
  HEADER.deadLetterReason,
  HEADER.deadLetterAttempts,
  HEADER.deadLetterAt,
];
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...DEAD_LETTER_HEADERS,
  HEADER.deadline,
  HEADER.dueAt,
  HEADER.retryTopic,
  HEADER.retryPartition,
  HEADER.timeLimitFrom,
  HEADER.write,
  HEADER.heldElsewhere,
  HEADER.redriveUnknown,
]);

/** Text of a header of unknown origin, fit for a terminal. */
export function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?').slice(0, 300);
}

function refuse(why: string): Verdict {
  return { kind: 'refuse', why };
}

function skip(why: string): Verdict {
  return { kind: 'skip', why };
}
