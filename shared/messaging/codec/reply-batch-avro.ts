/**
 * A ReplyBatch in Avro. Answers of megabytes are copied once, into bytes of exactly the length that is needed, where a
 * general encoder would find out by trying, and copy the whole again.
 */

import { MAGIC_BYTE, WIRE_HEADER_BYTES } from './avro-message.ts';
import type { ReplyBatch, ReplyBatchItem } from './request-batch.ts';

/** The index of a union's branch as it is written: zigzag of 0 and of 1. */
const NULL_BRANCH = 0;
const TEXT_BRANCH = 2;

/** A ReplyBatch in the Confluent wire format. */
export function writeAvroReplyBatch(schemaId: number, { items }: ReplyBatch): Buffer {
  const target = Buffer.allocUnsafe(WIRE_HEADER_BYTES + lengthOf(items));
  target[0] = MAGIC_BYTE;
  target.writeUInt32BE(schemaId, 1);
  let at = WIRE_HEADER_BYTES;
  if (items.length > 0) at = writeLong(target, at, items.length);
  for (const { id, status, value, warnings, holidayCalendar } of items) {
    at = writeText(target, at, id === undefined ? undefined : String(id));
    at = writeLong(target, at, status);
    at = writeLong(target, at, value.length);
    at += value.copy(target, at);
    at = writeText(target, at, warnings);
    at = writeText(target, at, holidayCalendar);
  }
  target[at] = 0;
  return target;
}

/** Bytes of the array: a block of all items where there are any, and a closing zero. */
function lengthOf(items: readonly ReplyBatchItem[]): number {
  let length = 1 + (items.length > 0 ? longLength(items.length) : 0);
  for (const { id, status, value, warnings, holidayCalendar } of items) {
    length += textLength(id === undefined ? undefined : String(id)) + longLength(status);
    length += longLength(value.length) + value.length;
    length += textLength(warnings) + textLength(holidayCalendar);
  }
  return length;
}

function textLength(text: string | undefined): number {
  if (text === undefined) return 1;
  const bytes = Buffer.byteLength(text);
  return 1 + longLength(bytes) + bytes;
}

function writeText(target: Buffer, at: number, text: string | undefined): number {
  if (text === undefined) {
    target[at] = NULL_BRANCH;
    return at + 1;
  }
  target[at] = TEXT_BRANCH;
  const start = writeLong(target, at + 1, Buffer.byteLength(text));
  return start + target.write(text, start);
}

/** Small numbers of either sign as small ones from 0 on. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** Bytes of a number as a zigzag varint. */
function longLength(value: number): number {
  let length = 1;
  for (let rest = zigzag(value); rest >= 0x80; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}

function writeLong(target: Buffer, start: number, value: number): number {
  let at = start;
  let rest = zigzag(value);
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    target[at] = (rest % 0x80) + 0x80;
    at += 1;
  }
  target[at] = rest;
  return at + 1;
}
