/** A batch is a JSON array of requests of the type in plat-message-type, or an Avro record of encoded messages. */

import { createProblem, type Fault, type Problem } from '../../platform/problem.ts';
import type { Decoded, MessageFormat } from '../codec.ts';
import type { SyncOrAsync } from '../../platform/sync-or-async.ts';

export const REQUEST_BATCH = 'RequestBatch';
export const REPLY_BATCH = 'ReplyBatch';

/** The replies to 500 requests with 60 instalments take 2 MB in Avro. In JSON, the replies to 400 fill a message. */
export const MAX_BATCH_ITEMS = 500;
/** Maximum size of the replies of a batch: the largest message of all our topics. */
export const MAX_BATCH_REPLY_BYTES = 8 * 1_024 * 1_024;
export const MAX_ID_CHARACTERS = 200;

export type BatchItemId = string | number;

export interface BatchItem {
  readonly id: BatchItemId | undefined;
  /** Decodes the request as if it had been sent alone. A fault of its id is a fault of the request. Called once. */
  decode(): SyncOrAsync<Decoded>;
}

export type OpenedBatch =
  | { readonly kind: 'items'; readonly items: readonly BatchItem[] }
  | { readonly kind: 'invalid'; readonly problem: Problem };

/** Payload of a decoded RequestBatch. Its bytes are not read before it is opened. */
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

/** One reply. In Avro the id is a string and `value` an encoded message; in JSON `value` is the body as text. */
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

/** The problem of a batch that is empty or has more than MAX_BATCH_ITEMS items; undefined: the size is allowed. */
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
