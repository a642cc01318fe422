/** Batches in Avro: the records RequestBatch and ReplyBatch. */

import { errorText } from '../../platform/errors.ts';
import { createProblem } from '../../platform/problem.ts';
import type { Decoded } from '../codec.ts';
import type { SyncOrAsync } from '../sync-or-async.ts';
import { TooManyItemsError } from './avro-bounds.ts';
import {
  type BatchItem,
  batchIdFault,
  batchSizeProblem,
  MAX_BATCH_ITEMS,
  type OpenedBatch,
  type ReplyBatch,
  type ReplyBatchItem,
  type RequestBatch,
} from './request-batch.ts';

/**
 * Opens a batch. `read` returns its record or throws if its bytes do not match their schema; `decode` decodes the
 * message value of an item.
 */
export function openAvroBatch(
  read: () => unknown,
  decode: (value: Buffer) => SyncOrAsync<Decoded>,
): OpenedBatch {
  let items: RequestBatch['items'];
  try {
    ({ items } = read() as RequestBatch);
  } catch (error) {
    const tooMany = error instanceof TooManyItemsError ? batchSizeProblem(MAX_BATCH_ITEMS + 1) : undefined;
    const detail = `The message does not follow its schema: ${errorText(error)}.`;
    return { kind: 'invalid', problem: tooMany ?? createProblem('undecodable-message', { detail }) };
  }
  const problem = batchSizeProblem(items.length);
  if (problem !== undefined) return { kind: 'invalid', problem };
  return { kind: 'items', items: items.map((item) => toItem(item, decode)) };
}

function toItem(
  { id, value }: RequestBatch['items'][number],
  decode: (value: Buffer) => SyncOrAsync<Decoded>,
): BatchItem {
  const fault = batchIdFault(id);
  if (fault === undefined) return { id, decode: () => decode(value) };
  const problem = createProblem('invalid-request', { errors: [fault] });
  return { id: undefined, decode: () => ({ kind: 'undecodable', format: 'avro', problem }) };
}

/** An item of a batch record; the items of a RequestBatch have only an id and a value. */
interface ItemRecord {
  readonly id: string | null;
  readonly status: number | undefined;
  readonly value: Buffer;
  readonly warnings: string | null;
  readonly holidayCalendar: string | null;
}

/**
 * The record of a batch. Ids are strings. Absent fields are null, not undefined: avsc writes a null faster than a
 * default value. Complete items are not copied.
 */
export function toBatchRecord({ items }: RequestBatch | ReplyBatch): {
  readonly items: readonly ItemRecord[];
} {
  return { items: items.map((item: Partial<ReplyBatchItem> & { value: Buffer }) => toItemRecord(item)) };
}

function toItemRecord(item: Partial<ReplyBatchItem> & { readonly value: Buffer }): ItemRecord {
  const { id, status, value, warnings, holidayCalendar } = item;
  if (typeof id === 'string' && warnings !== undefined && holidayCalendar !== undefined)
    return item as ItemRecord;
  return {
    id: id === undefined ? null : String(id),
    status,
    value,
    warnings: warnings ?? null,
    holidayCalendar: holidayCalendar ?? null,
  };
}
