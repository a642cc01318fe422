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

/** Bytes of an item beside its value and texts, at most: five lengths and branches, and the status. */
const ITEM_BYTES = 64;
/** UTF-8 of one UTF-16 code unit, at most. */
const MAX_UNIT_BYTES = 3;

/**
 * Opens a batch: `read` returns its record, or throws on bytes that do not follow their schema. Each item is decoded by
 * `decode`, as the message value that it is.
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

/** The record of a batch: ids are text. */
export function toBatchRecord({ items }: RequestBatch | ReplyBatch): object {
  return {
    items: items.map((item) => (typeof item.id === 'number' ? { ...item, id: String(item.id) } : item)),
  };
}

/** Upper bound for the bytes of a batch, so that answers of megabytes are written at the first attempt. */
export function maxBatchBytes({ items }: { readonly items: readonly BatchEntry[] }): number {
  let bytes = ITEM_BYTES;
  for (const { id = '', value, warnings = '', holidayCalendar = '' } of items) {
    const units = String(id).length + warnings.length + holidayCalendar.length;
    bytes += ITEM_BYTES + value.length + units * MAX_UNIT_BYTES;
  }
  return bytes;
}

type BatchEntry = Pick<ReplyBatchItem, 'id' | 'value' | 'warnings' | 'holidayCalendar'>;
