/** How what is held for a key stands on the hold topic. */

import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Channel } from '../../../shared/notification/command.ts';
import type { Follower, Head } from './hold-index.ts';

const OFFSET_DIGITS = 16;
const RECORD_KEY = /^((?:sms|email)\/\d+\/[0-9a-f]*)\/(head|\d{16})$/;

/** What a record of the hold topic says; `undefined` contents: it is gone. */
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
 * The key that the messages of one receiver have in common on the hold topic; undefined for a message without a key, which
 * has no order. The partition is part of it, since only messages of one partition have an order among themselves.
 */
export function holdKey(
  channel: Channel,
  message: Pick<LogMessage, 'key' | 'partition'>,
): string | undefined {
  if (message.key === null) return undefined;
  return `${channel}/${message.partition}/${message.key.toString('hex')}`;
}

/** Where the messages of a key of the hold topic are on the command topic; undefined for a key of another channel. */
export function placeOfHoldKey(
  channel: Channel,
  key: string,
): { readonly partition: number; readonly messageKey: Buffer } | undefined {
  const [of, partition, hex] = key.split('/');
  if (of !== channel || hex === undefined) return undefined;
  return { partition: Number(partition), messageKey: Buffer.from(hex, 'hex') };
}

/** The record that names the head of a key; without a head, the one that ends it. */
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

/** The record that ends a follower. */
export function followerEnd(topic: string, key: string, partition: number, offset: number): OutgoingMessage {
  return { topic, partition, key: followerKey(key, offset), value: null };
}

/** Reads a record; undefined for one that is not of ours. */
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
    value: isElsewhere ? undefined : ownBytes(value),
    headers: own,
    timestampMs,
  };
  return { kind: 'follower', key, partition, offset, follower };
}

function followerKey(key: string, offset: number): string {
  return `${key}/${String(offset).padStart(OFFSET_DIGITS, '0')}`;
}

/** A value that is a part of what was fetched would keep all of that in memory for as long as it is kept itself. */
function ownBytes(value: Buffer): Buffer {
  if (value.length === value.buffer.byteLength) return value;
  const own = Buffer.allocUnsafeSlow(value.length);
  value.copy(own);
  return own;
}
