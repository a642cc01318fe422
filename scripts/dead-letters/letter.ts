import { z } from 'zod';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../shared/messaging/message.ts';
import { readId } from '../../shared/notification/command-id.ts';

/** A place on the log. */
export interface LogPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** What is kept of a dead letter while many are read: never its value. */
export interface Letter extends LogPlace {
  /** `topic/partition/offset` on the dead-letter topic. */
  readonly id: string;
  /** Epoch milliseconds at which it became a dead letter. */
  readonly atMs: number;
  /** Why, as a stable code. */
  readonly code: string;
  readonly reason: string;
  readonly group: string | undefined;
  /** Where it was before; undefined when its headers do not say. */
  readonly original: LogPlace | undefined;
  /** Attempts before it ended: delivery rounds of a notification, else attempts of the handler. */
  readonly attempts: number;
  /** How often an operator has sent it again before it came here. */
  readonly redrives: number;
  readonly notificationId: string | undefined;
  readonly valueBytes: number;
}

const RETRY_TOPIC = /plat\.notification\.retry\.\w+\.v1$/;
/** Code of notifications that may or may not have been sent: they are parked here and never retried automatically. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';

/** The id by which operators name a letter. */
export function placeId({ topic, partition, offset }: LogPlace): string {
  return `${topic}/${partition}/${offset}`;
}

/** A place from its text; undefined when it has another form. */
export function parsePlace(text: string): LogPlace | undefined {
  const match = /^([\w.-]{1,249})\/(\d{1,6})\/(\d{1,15})$/.exec(text);
  if (match === null) return undefined;
  const [, topic = '', partition, offset] = match;
  return { topic, partition: Number(partition), offset: Number(offset) };
}

/** Reads a dead letter's provenance. What its headers lack is taken from the record, or unknown. */
export function readLetter(message: LogMessage): Letter {
  const { topic, partition, offset, headers, value } = message;
  return {
    topic,
    partition,
    offset,
    id: placeId(message),
    atMs: headerNumber(headers, HEADER.deadLetterAt) ?? message.timestampMs,
    code: headerText(headers, HEADER.deadLetterCode) ?? 'unknown',
    reason: headerText(headers, HEADER.deadLetterReason) ?? '',
    group: headerText(headers, HEADER.deadLetterGroup),
    original: tierOrigin(headers) ?? originalPlace(headers),
    attempts: headerNumber(headers, HEADER.attempt) ?? headerNumber(headers, HEADER.deadLetterAttempts) ?? 1,
    redrives: headerNumber(headers, HEADER.redriveCount) ?? 0,
    notificationId: readId(headerText(headers, HEADER.notificationId)),
    valueBytes: value?.length ?? 0,
  };
}

/**
 * Where a copy came from that ended on a retry tier: letters are never redriven to a tier. Its offset on the origin is
 * unknown, so the copy must carry its id.
 */
function tierOrigin(headers: MessageHeaders): LogPlace | undefined {
  const place = originalPlace(headers);
  if (place === undefined || !RETRY_TOPIC.test(place.topic)) return undefined;
  const topic = headerText(headers, HEADER.retryTopic);
  const partition = headerNumber(headers, HEADER.retryPartition);
  const id = readId(headerText(headers, HEADER.notificationId));
  if (topic === undefined || partition === undefined || id === undefined) return undefined;
  return { topic, partition, offset: place.offset };
}

function originalPlace(headers: MessageHeaders): LogPlace | undefined {
  const topic = headerText(headers, HEADER.deadLetterTopic);
  const partition = headerNumber(headers, HEADER.deadLetterPartition);
  const offset = headerNumber(headers, HEADER.deadLetterOffset);
  if (topic === undefined || partition === undefined || offset === undefined) return undefined;
  return { topic, partition, offset };
}

/** One attempt as recorded in the header of former attempts. */
export interface PastAttempt {
  readonly attempt: number;
  /** As JSON; only known fields, since the header may come from upstream and hold anything. */
  readonly text: string;
}

const attemptCode = z
  .string()
  .regex(/^[\w.-]{1,64}$/)
  .optional()
  .catch(undefined);
const attemptsShape = z.array(
  z
    .object({
      attempt: z.int().positive(),
      at: z.int().optional().catch(undefined),
      provider: attemptCode,
      result: attemptCode,
      code: attemptCode,
    })
    .optional()
    .catch(undefined),
);

/** The former attempts that a letter's header lists; none where it cannot be read. */
export function pastAttempts(headers: MessageHeaders): readonly PastAttempt[] {
  try {
    const attempts = attemptsShape.parse(JSON.parse(headerText(headers, HEADER.attemptHistory) ?? ''));
    return attempts.flatMap((known) =>
      known === undefined ? [] : [{ attempt: known.attempt, text: JSON.stringify(known) }],
    );
  } catch {
    return [];
  }
}

/** Headers that describe the letter, not the message. */
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

/** Text of a header of unknown origin, fit for a terminal. */
export function sanitise(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?').slice(0, 300);
}
