/** A batch is a JSON array of requests of the type in plat-message-type, or an Avro record of encoded messages. */

import { MAX_MESSAGE_BYTES } from '../topics/topic-list.ts';
import { createProblem, type Fault, type Problem } from '../../platform/problem.ts';
import type { Decoded, MessageFormat } from '../codec.ts';
import type { SyncOrAsync } from '../../platform/sync-or-async.ts';

export const REQUEST_BATCH = 'RequestBatch';
export const REPLY_BATCH = 'ReplyBatch';

/** In Avro, replies of 60 instalments to 500 requests take 2 MB. In JSON, those to 400 requests fill a message. */
export const MAX_BATCH_ITEMS = 500;
/** Maximum total size of the replies of a batch: the size limit of messages on our topics. */
export const MAX_BATCH_REPLY_BYTES = MAX_MESSAGE_BYTES;
export const MAX_ID_CHARACTERS = 200;

export type BatchItemId = string | number;

export interface BatchItem {
  readonly id: BatchItemId | undefined;
  /** Decodes the request as if it had been sent alone. It is undecodable if its id has a fault. */
  decode(): SyncOrAsync<Decoded>;
}

export type OpenedBatch =
  | { readonly kind: 'items'; readonly items: readonly BatchItem[] }
  | { readonly kind: 'invalid'; readonly problem: Problem };

/** Payload of a decoded RequestBatch. Its items are not read before `open` is called. */
export interface EncodedBatch {
  readonly format: MessageFormat;
  /** Finds the items without decoding them. Blocks the event loop for up to 50 ms. Never throws. */
  open(): OpenedBatch;
}

export interface RequestBatch {
  readonly items: readonly {
    readonly id?: BatchItemId | undefined;
    readonly value: Buffer;
  }[];
}

/** In Avro the id is a string, and `value` an encoded message. In JSON `value` is the body as UTF-8 text. */
export interface ReplyBatchItem {
  readonly id?: BatchItemId | undefined;
  readonly status: number;
  readonly value: Buffer;
  /** As in header plat-warnings (E3). */
  readonly warnings?: string | undefined;
  /** As in header plat-holiday-calendar (H2). */
  readonly holidayCalendar?: string | undefined;
}

export interface ReplyBatch {
  readonly items: readonly ReplyBatchItem[];
}

/** The problem of a batch that is empty or has more than MAX_BATCH_ITEMS items; undefined if the size is allowed. */
export function batchSizeProblem(items: number): Problem | undefined {
  if (items > 0 && items <= MAX_BATCH_ITEMS) return undefined;
  const code = items === 0 ? 'empty' : 'too-many-items';
  const message = `must hold 1 to ${MAX_BATCH_ITEMS} requests`;
  return createProblem('invalid-request', { errors: [{ path: 'items', code, message }] });
}

/** The fault of an id; undefined if it is valid, null or absent. */
export function batchIdFault(id: unknown): Fault | undefined {
  if (id === undefined || id === null || Number.isSafeInteger(id)) return undefined;
  const allowed = `text of 1 to ${MAX_ID_CHARACTERS} characters, or a whole number from -(2^53 - 1) to 2^53 - 1`;
  const fault = { path: 'id', message: `must be ${allowed}` };
  if (typeof id === 'number' || JSON.isRawJSON(id)) return { ...fault, code: 'out-of-range' };
  if (typeof id !== 'string') return { ...fault, code: 'wrong-type' };
  if (id.length === 0) return { ...fault, code: 'empty' };
  return id.length > MAX_ID_CHARACTERS ? { ...fault, code: 'too-long' } : undefined;
}
