/** The records of the hold topic: per key one for its head, and one for each follower. */

import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Channel } from '../../../shared/notification/command.ts';

const OFFSET_DIGITS = 16;
const RECORD_KEY = /^((?:sms|email)\/\d+\/[0-9a-f]*)\/(head|\d{16})$/;

/** A message that is kept until those before it of its key have ended. */
export interface Follower {
  /** In its partition of the command topic: its place in the order. */
  readonly offset: number;
  readonly id: string;
  /** Undefined: only its place is kept, the message itself waits on a retry tier. */
  readonly value: Buffer | undefined;
  readonly headers: MessageHeaders;
  /** Epoch milliseconds at which the message entered the log. */
  readonly timestampMs: number;
}

/** The notification of a key that all later ones of the key wait for. */
export interface Head {
  readonly id: string;
  /** The round of delivery that its next copy asks for. */
  readonly attempt: number;
  /** Only its place was kept: its copy on the tier has not been handled yet. */
  readonly isDeferred: boolean;
  /** Epoch milliseconds at which it became the head, or its last copy was put onto a tier. */
  readonly sinceMs: number;
}

/** What a record of the hold topic says; undefined head or follower: it has ended. */
export type HoldRecord =
  | {
      readonly kind: 'head';
      readonly key: string;
      readonly partition: number;
      readonly head: Head | undefined;
    }
  | {
      readonly kind: 'follower';
      readonly key: string;
      readonly partition: number;
      readonly offset: number;
      readonly follower: Follower | undefined;
    };

/**
 * The hold key of a message: its channel, partition and key. The partition is part of it, since only messages of one
 * partition are ordered. Undefined for a message without a key, which has no order.
 */
export function holdKey(
  channel: Channel,
  message: Pick<LogMessage, 'key' | 'partition'>,
): string | undefined {
  if (message.key === null) return undefined;
  return `${channel}/${message.partition}/${message.key.toString('hex')}`;
}

/** The partition and message key of a hold key; undefined for a key of another channel. */
export function parseHoldKey(
  channel: Channel,
  key: string,
): { readonly partition: number; readonly messageKey: Buffer } | undefined {
  const [keyChannel, partition, hex] = key.split('/');
  if (keyChannel !== channel || hex === undefined) return undefined;
  return { partition: Number(partition), messageKey: Buffer.from(hex, 'hex') };
}

/** The record that names the head of a key; without a head, the tombstone that ends it. */
export function headRecord(topic: string, key: string, partition: number, head?: Head): OutgoingMessage {
  const record = { topic, partition, key: `${key}/head` };
  if (head === undefined) return { ...record, value: null };
  return {
    ...record,
    value: Buffer.alloc(0),
    timestampMs: head.sinceMs,
    headers: {
      [HEADER.notificationId]: head.id,
      [HEADER.attempt]: String(head.attempt),
      [HEADER.heldElsewhere]: String(head.isDeferred),
    },
  };
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
    value: value ?? Buffer.alloc(0),
    timestampMs,
    headers: {
      ...headers,
      [HEADER.notificationId]: id,
      [HEADER.heldElsewhere]: String(value === undefined),
    },
  };
}

/** The tombstone that ends a follower. */
export function followerEnd(topic: string, key: string, partition: number, offset: number): OutgoingMessage {
  return { topic, partition, key: followerKey(key, offset), value: null };
}

/** Reads a record; undefined for one of another form. */
export function readHoldRecord(message: LogMessage): HoldRecord | undefined {
  const [, key, place] = RECORD_KEY.exec(message.key?.toString() ?? '') ?? [];
  if (key === undefined || place === undefined) return undefined;
  const { partition, value, headers, timestampMs } = message;
  const id = headerText(headers, HEADER.notificationId) ?? '';
  const isElsewhere = headerText(headers, HEADER.heldElsewhere) === 'true';
  if (place === 'head') {
    const attempt = headerNumber(headers, HEADER.attempt) ?? 1;
    const head = { id, attempt, isDeferred: isElsewhere, sinceMs: timestampMs };
    return { kind: 'head', key, partition, head: value === null ? undefined : head };
  }
  const offset = Number(place);
  if (value === null) return { kind: 'follower', key, partition, offset, follower: undefined };
  const { [HEADER.write]: _write, [HEADER.heldElsewhere]: _elsewhere, ...own } = headers;
  const follower = {
    offset,
    id,
    value: isElsewhere ? undefined : copyOfSlice(value),
    headers: own,
    timestampMs,
  };
  return { kind: 'follower', key, partition, offset, follower };
}

function followerKey(key: string, offset: number): string {
  return `${key}/${String(offset).padStart(OFFSET_DIGITS, '0')}`;
}

/** A slice of a fetch response would keep the whole response in memory. */
function copyOfSlice(value: Buffer): Buffer {
  if (value.length === value.buffer.byteLength) return value;
  const own = Buffer.allocUnsafeSlow(value.length);
  value.copy(own);
  return own;
}
