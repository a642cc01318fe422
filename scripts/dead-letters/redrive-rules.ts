/** Whether a letter may be sent again, and the copy that is sent. Pure. */

import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../shared/messaging/message.ts';
import { idOfPlace, readId } from '../../shared/notification/command-id.ts';
import type { SendOptions } from './arguments.ts';
import { isHandled, type LetterState } from './audit.ts';
import type { Destinations } from './command-context.ts';
import {
  DEAD_LETTER_HEADERS,
  type Letter,
  type LogPlace,
  OUTCOME_UNKNOWN,
  pastAttempts,
  sanitise,
} from './letter.ts';

/** After this many redrives the cause must be fixed first. */
const MAX_REDRIVES = 3;

/** Headers that the copy does not get. */
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

export type Verdict =
  | { readonly kind: 'send'; readonly to: LogPlace; readonly overrides: readonly string[] }
  | { readonly kind: 'refuse'; readonly why: string };

/**
 * Whether a letter is sent again, by its provenance and by the number of times it was sent before. Letters that were
 * handled already are skipped before, unless they are to be sent again.
 */
export function verdictOn(
  letter: Letter,
  state: LetterState,
  options: Pick<SendOptions, 'force' | 'acceptDuplicates'>,
  { work, commands }: Destinations,
): Verdict {
  const { original } = letter;
  if (original === undefined) return refuse('its headers do not say where it came from; discard it');
  if (!work.has(original.topic)) {
    return refuse(`${sanitise(original.topic)} is not a request or command topic of this system; discard it`);
  }
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
 * The copy that is sent again: key, value and headers as they were, without the headers of the dead letter, of the expired
 * deadline, and of a retry tier. A command goes to its original partition to keep its order; its attempt is the last one
 * plus 1 however often this is repeated, so that its worker recognises duplicate copies; its time limit counts from now.
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
  const last = Math.max(
    headerNumber(headers, HEADER.attempt) ?? 1,
    ...pastAttempts(headers).map(({ attempt }) => attempt),
  );
  return {
    // A command refused before it had an id: the place of the copy would give another id each time.
    [HEADER.notificationId]: readId(headerText(headers, HEADER.notificationId)) ?? idOfPlace(to),
    [HEADER.attempt]: String(last + 1),
    [HEADER.timeLimitFrom]: String(nowMs),
    ...(mayDuplicate ? { [HEADER.redriveUnknown]: 'true' } : {}),
  };
}

function refuse(why: string): Verdict {
  return { kind: 'refuse', why };
}
