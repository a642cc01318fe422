/**
 * Many requests in one message, and their answers in one. In JSON a batch is an array whose header plat-message-type
 * names the type of its items; in Avro it is a record of whole message values.
 */

import { createProblem, type Fault, type Problem } from '../../platform/problem.ts';
import type { Decoded, MessageFormat } from '../codec.ts';
import type { SyncOrAsync } from '../sync-or-async.ts';

/** Record names in the list of messages. */
export const REQUEST_BATCH = 'RequestBatch';
export const REPLY_BATCH = 'ReplyBatch';

/** Most requests in one message: with schedules of 60 rows a reply of 2 MB in Avro; in JSON some 400 fill a message. */
export const MAX_BATCH_ITEMS = 500;
/** A batch whose answers exceed this is refused: it is the largest message of any of our topics. */
export const MAX_BATCH_REPLY_BYTES = 8 * 1_024 * 1_024;
/** Longest id of an item that is text. */
export const MAX_ID_CHARACTERS = 200;

export type BatchItemId = string | number;

/** One request of a batch. */
export interface BatchItem {
  /** As sent; undefined where there is none, or none that can be echoed. */
  readonly id: BatchItemId | undefined;
  /** Reads the request as if it had come alone; a fault of its id is one of the request. Called once. */
  decode(): SyncOrAsync<Decoded>;
}

/** The requests of a batch in their order, or why it cannot be opened. */
export type OpenedBatch =
  | { readonly kind: 'items'; readonly items: readonly BatchItem[] }
  | { readonly kind: 'invalid'; readonly problem: Problem };

/** The search for the items of a batch, in steps of some 64 KiB so that other work can run in between. */
export interface BatchOpening {
  /** Searches some more bytes; undefined while there are more. Never throws. */
  step(): OpenedBatch | undefined;
}

/** Payload of a decoded RequestBatch: its bytes are not read before it is opened. */
export interface EncodedBatch {
  /** Format of the message, and of the reply. */
  readonly format: MessageFormat;
  /** Begins to find the items, each of which is read later. */
  open(): BatchOpening;
}

/** Opens a batch in one go, which may take 20 ms: for commands, which have nothing else to do meanwhile. */
export function openAtOnce(batch: EncodedBatch): OpenedBatch {
  const opening = batch.open();
  let opened = opening.step();
  while (opened === undefined) opened = opening.step();
  return opened;
}

/** Payload of a RequestBatch to be written; written as Avro only. */
export interface RequestBatch {
  readonly items: readonly {
    readonly id?: BatchItemId | undefined;
    /** A whole message value as it would be sent alone. */
    readonly value: Buffer;
  }[];
}

/** One answer. In Avro an id is text, and `value` a whole message value; in JSON `value` is the text of the body. */
export interface ReplyBatchItem {
  readonly id?: BatchItemId | undefined;
  /** 200, or the status of the problem. */
  readonly status: number;
  readonly value: Buffer;
  /** As in header plat-warnings (E3). */
  readonly warnings?: string | undefined;
  /** As in header plat-holiday-calendar (H2). */
  readonly holidayCalendar?: string | undefined;
}

/** Payload of a ReplyBatch: one answer for each request, in their order. */
export interface ReplyBatch {
  readonly items: readonly ReplyBatchItem[];
}

/** What is wrong with the number of requests in a message; undefined when nothing is. */
export function batchSizeProblem(items: number): Problem | undefined {
  if (items > 0 && items <= MAX_BATCH_ITEMS) return undefined;
  const code = items === 0 ? 'empty' : 'too-many-items';
  const message = `must hold 1 to ${MAX_BATCH_ITEMS} requests`;
  return createProblem('invalid-request', { errors: [{ path: 'items', code, message }] });
}

/** What is wrong with the id of an item; undefined when nothing is. */
export function batchIdFault(id: unknown): Fault | undefined {
  if (id === undefined || id === null || Number.isSafeInteger(id)) return undefined;
  const path = 'id';
  const allowed = `text of 1 to ${MAX_ID_CHARACTERS} characters, or a whole number that binary numbers hold exactly`;
  const message = `must be ${allowed}`;
  if (typeof id === 'number') return { path, code: 'out-of-range', message };
  if (typeof id !== 'string') return { path, code: 'wrong-type', message };
  if (id.length === 0) return { path, code: 'empty', message };
  return id.length > MAX_ID_CHARACTERS ? { path, code: 'too-long', message } : undefined;
}
