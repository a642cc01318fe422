import { HEADER, headerNumber, headerText } from '../messaging/headers.ts';
import type { LogMessage, MessageHeaders, PartitionOffset } from '../messaging/message.ts';
import { readId } from '../notification/notification-id.ts';
import type { Fault } from '../platform/problem.ts';

/** A dead letter without its value, so that many fit into memory. */
export interface DeadLetter extends PartitionOffset {
  /** `topic/partition/offset` on the dead-letter topic. */
  readonly id: string;
  /** Epoch milliseconds at which it became a dead letter. */
  readonly atMs: number;
  readonly code: string;
  readonly type: string | undefined;
  readonly reason: string;
  readonly group: string | undefined;
  /** The position of the original record; undefined if the headers for it are missing. */
  readonly original: PartitionOffset | undefined;
  /** Delivery rounds of a notification, or attempts of the handler for other messages. */
  readonly attempts: number;
  readonly redrives: number;
  readonly notificationId: string | undefined;
  readonly valueBytes: number;
}

const RETRY_TOPIC = /plat\.notification\.retry\.\w+(?:\.urgent)?\.v1$/;

export function placeId({ topic, partition, offset }: PartitionOffset): string {
  return `${topic}/${partition}/${offset}`;
}

/** The place of an id `topic/partition/offset`; undefined for any other text. */
export function parsePlace(text: string): PartitionOffset | undefined {
  const match = /^([\w.-]{1,249})\/(\d{1,6})\/(\d{1,15})$/.exec(text);
  if (match === null) return undefined;
  const [, topic = '', partition, offset] = match;
  return { topic, partition: Number(partition), offset: Number(offset) };
}

/** Reads the headers of a dead letter. Leaves `type` undefined, since for Avro only the codec can tell it. */
export function readDeadLetter(message: LogMessage): DeadLetter {
  const { topic, partition, offset, headers, value } = message;
  return {
    topic,
    partition,
    offset,
    id: placeId(message),
    atMs: headerNumber(headers, HEADER.deadLetterAt) ?? message.timestampMs,
    code: headerText(headers, HEADER.deadLetterCode) ?? 'unknown',
    type: undefined,
    reason: headerText(headers, HEADER.deadLetterReason) ?? '',
    group: headerText(headers, HEADER.deadLetterGroup),
    original: tierOrigin(headers) ?? originalPlace(headers),
    attempts: headerNumber(headers, HEADER.attempt) ?? headerNumber(headers, HEADER.deadLetterAttempts) ?? 1,
    redrives: headerNumber(headers, HEADER.redriveCount) ?? 0,
    notificationId: readId(headerText(headers, HEADER.notificationId)),
    valueBytes: value?.length ?? 0,
  };
}

export const DEAD_LETTER_HEADERS: readonly string[] = Object.values(HEADER).filter((name) =>
  name.startsWith('plat-dead-letter-'),
);

/** Replaces control characters of untrusted text by `?` and truncates it, for output to a terminal. */
export function sanitise(text: string, maxCharacters = 300): string {
  return text.slice(0, maxCharacters).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
}

const FIELD_PATH = /^[A-Za-z_]\w*(?:\[\d+\])*(?:\.[A-Za-z_]\w*(?:\[\d+\])*)*$/;

/** The path of a field, or the name of a type; `?` for other text, which may be misplaced personal data. */
export function plainPath(path: string): string {
  return FIELD_PATH.test(path) ? path : '?';
}

/** A fault of a message as one line, without any value of the message. */
export function faultText({ path, message }: Pick<Fault, 'path' | 'message'>): string {
  return `${plainPath(path)}: ${message}`;
}

/** The place to which a copy on a retry tier returns, if its headers name it: redrives never go to tiers. */
function tierOrigin(headers: MessageHeaders): PartitionOffset | undefined {
  const place = originalPlace(headers);
  if (place === undefined || !RETRY_TOPIC.test(place.topic)) return undefined;
  const topic = headerText(headers, HEADER.retryTopic);
  const partition = headerNumber(headers, HEADER.retryPartition);
  const id = readId(headerText(headers, HEADER.notificationId));
  if (topic === undefined || partition === undefined || id === undefined) return undefined;
  return { topic, partition, offset: place.offset };
}

function originalPlace(headers: MessageHeaders): PartitionOffset | undefined {
  const topic = headerText(headers, HEADER.deadLetterTopic);
  const partition = headerNumber(headers, HEADER.deadLetterPartition);
  const offset = headerNumber(headers, HEADER.deadLetterOffset);
  if (topic === undefined || partition === undefined || offset === undefined) return undefined;
  return { topic, partition, offset };
}
