/** The records of the hold topic: for each key, one record of its head and one of each follower. */

import { HEADER, headerNumber, headerText, copyContent } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Channel, Priority } from '../../../shared/notification/command.ts';

const OFFSET_DIGITS = 16;
const NO_HEAD = 'none';
const REPLACED_HEAD = /^(.+)\/(\d{1,15})$/;
const RECORD_KEY = /^((?:sms|email)(?:-urgent)?\/\d+\/[0-9a-f]*)\/(head|\d{16})$/;

/** A message that waits until the earlier ones of its key have ended. */
export interface Follower {
  /** Offset in its partition of the command topic, which defines the order. */
  readonly offset: number;
  readonly id: string;
  readonly value: Buffer;
  readonly headers: MessageHeaders;
  /** When the message was written, in epoch milliseconds. */
  readonly timestampMs: number;
}

/** The notification for which all later ones of its key wait. */
export interface Head {
  readonly id: string;
  /** The round of delivery of its next copy. */
  readonly attempt: number;
  /** When it became the head or its last copy was written to a tier, in epoch milliseconds. */
  readonly sinceMs: number;
}

/** The head that a record ends or replaces, as its writer knew it. */
export type FormerHead = Pick<Head, 'id' | 'attempt'>;

/** The content of a record of the hold topic; an undefined head or follower has ended. */
export type HoldRecord =
  | {
      readonly kind: 'head';
      readonly key: string;
      readonly partition: number;
      readonly head: Head | undefined;
      /** Which head this ends or replaces: `none` if there was none, undefined in records of earlier versions. */
      readonly former: FormerHead | 'none' | undefined;
    }
  | {
      readonly kind: 'follower';
      readonly key: string;
      readonly partition: number;
      readonly offset: number;
      readonly follower: Follower | undefined;
    };

/** The messages of one command topic: those of a channel and priority. */
export interface CommandLane {
  readonly channel: Channel;
  readonly priority: Priority;
}

/** Name of a lane in hold keys, consumer groups and metrics, such as `sms` or `sms-urgent`. */
export function laneName({ channel, priority }: CommandLane): string {
  return priority === 'urgent' ? `${channel}-urgent` : channel;
}

/**
 * The hold key of a message: its lane, partition and key, since only messages of one partition of a topic are ordered.
 * Undefined for a message without a key, which has no order.
 */
export function holdKey(
  lane: CommandLane,
  message: Pick<LogMessage, 'key' | 'partition'>,
): string | undefined {
  if (message.key === null) return undefined;
  return `${laneName(lane)}/${message.partition}/${message.key.toString('hex')}`;
}

/** Whether the message of a hold key is urgent. */
export function isUrgentKey(key: string): boolean {
  return /^\w+-urgent\//.test(key);
}

/** The partition and message key of a hold key; undefined for a key of another lane. */
export function parseHoldKey(
  lane: CommandLane,
  key: string,
): { readonly partition: number; readonly messageKey: Buffer } | undefined {
  const [keyLane, partition, hex] = key.split('/');
  if (keyLane !== laneName(lane) || hex === undefined) return undefined;
  return { partition: Number(partition), messageKey: Buffer.from(hex, 'hex') };
}

/** The record of the head of a key. It names the head that it replaces, so that a late one does not replace another. */
export function headRecord(
  topic: string,
  { key, partition }: { readonly key: string; readonly partition: number },
  head: Head,
  former: FormerHead | undefined,
): OutgoingMessage {
  return {
    topic,
    partition,
    key: `${key}/head`,
    value: Buffer.alloc(0),
    timestampMs: head.sinceMs,
    headers: {
      [HEADER.notificationId]: head.id,
      [HEADER.attempt]: String(head.attempt),
      [HEADER.replacedHead]: former === undefined ? NO_HEAD : `${former.id}/${former.attempt}`,
    },
  };
}

/** The tombstone of the head of a key. It names the head, so that a late one does not end another. */
export function headEnd(topic: string, key: string, partition: number, ended?: FormerHead): OutgoingMessage {
  const record = { topic, partition, key: `${key}/head`, value: null };
  if (ended === undefined) return record;
  const headers = { [HEADER.notificationId]: ended.id, [HEADER.attempt]: String(ended.attempt) };
  return { ...record, headers };
}

/** The record of a follower. */
export function followerRecord(
  topic: string,
  key: string,
  partition: number,
  { offset, id, value, headers, timestampMs }: Follower,
): OutgoingMessage {
  return {
    topic,
    partition,
    key: followerKey(key, offset),
    value,
    timestampMs,
    headers: { ...headers, [HEADER.notificationId]: id },
  };
}

/** The tombstone of a follower. */
export function followerEnd(topic: string, key: string, partition: number, offset: number): OutgoingMessage {
  return { topic, partition, key: followerKey(key, offset), value: null };
}

/**
 * Reads a record; undefined if its key is invalid. The time of a head is at most `nowMs`, so that the wait for it is limited
 * even if the clock of its writer was ahead.
 */
export function readHoldRecord(message: LogMessage, nowMs: number): HoldRecord | undefined {
  const [, key, place] = RECORD_KEY.exec(message.key?.toString() ?? '') ?? [];
  if (key === undefined || place === undefined) return undefined;
  const { partition, value, headers, timestampMs } = message;
  const id = headerText(headers, HEADER.notificationId) ?? '';
  if (place === 'head') {
    const attempt = headerNumber(headers, HEADER.attempt) ?? 1;
    const head = { id, attempt, sinceMs: Math.min(timestampMs, nowMs) };
    if (value !== null) return { kind: 'head', key, partition, head, former: replacedHead(headers) };
    return { kind: 'head', key, partition, head: undefined, former: id === '' ? undefined : { id, attempt } };
  }
  const offset = Number(place);
  if (value === null) return { kind: 'follower', key, partition, offset, follower: undefined };
  const { [HEADER.write]: _write, ...own } = headers;
  const kept = copyContent({ value, headers: own });
  return { kind: 'follower', key, partition, offset, follower: { offset, id, ...kept, timestampMs } };
}

function replacedHead(headers: MessageHeaders): FormerHead | 'none' | undefined {
  const text = headerText(headers, HEADER.replacedHead);
  const [, id, attempt] = REPLACED_HEAD.exec(text ?? '') ?? [];
  if (id !== undefined) return { id, attempt: Number(attempt) };
  return text === NO_HEAD ? NO_HEAD : undefined;
}

function followerKey(key: string, offset: number): string {
  return `${key}/${String(offset).padStart(OFFSET_DIGITS, '0')}`;
}
