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

/** What is kept of a dead letter while many are looked at: never its value. */
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
  /** Tries before it ended: rounds of delivery of a notification, else attempts of the handler. */
  readonly attempts: number;
  /** How often an operator has sent it again before it came here. */
  readonly redrives: number;
  readonly notificationId: string | undefined;
  readonly valueBytes: number;
}

const RETRY_TOPIC = /plat\.notification\.retry\.\w+\.v1$/;
/** Code of notifications that may or may not have been sent: they are parked here and never sent again by themselves. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';

/** The id by which operators name a letter. */
export function placeId({ topic, partition, offset }: LogPlace): string {
  return `${topic}/${partition}/${offset}`;
}

/** A place from its text; undefined when it is none. */
export function parsePlace(text: string): LogPlace | undefined {
  const match = /^([\w.-]{1,249})\/(\d{1,6})\/(\d{1,15})$/.exec(text);
  if (match === null) return undefined;
  const [, topic = '', partition, offset] = match;
  return { topic, partition: Number(partition), offset: Number(offset) };
}

/** Reads a dead letter's provenance. What its headers do not say is taken from the record, or unknown. */
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
 * Where a copy came from that ended on a retry tier: nothing is sent to a tier by hand. Its offset there is not known, so
 * that it has to have its id with it.
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
