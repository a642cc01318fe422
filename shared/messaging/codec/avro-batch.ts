/** Batches in Avro: what is in the record RequestBatch, and the bytes of the record ReplyBatch. */

import { createProblem } from '../../platform/problem.ts';
import { errorText } from '../../platform/errors.ts';
import { TooManyItemsError } from './avro-bounds.ts';
import type { Decoded } from '../codec.ts';
import type { SyncOrAsync } from '../sync-or-async.ts';
import {
  type BatchItem,
  batchIdFault,
  batchSizeProblem,
  MAX_BATCH_ITEMS,
  type OpenedBatch,
  type ReplyBatch,
  type RequestBatch,
} from './request-batch.ts';

/**
 * Opens a batch whose record `read` answers, or throws on bytes that do not follow their schema. Each item is decoded by
 * `decode`, as the message value that it is.
 */
export function openAvroBatch(
  read: () => unknown,
  decode: (value: Buffer) => SyncOrAsync<Decoded>,
): OpenedBatch {
  let batch: RequestBatch;
  try {
    batch = read() as RequestBatch;
  } catch (error) {
    const tooMany = error instanceof TooManyItemsError ? batchSizeProblem(MAX_BATCH_ITEMS + 1) : undefined;
    if (tooMany !== undefined) return { kind: 'invalid', problem: tooMany };
    const detail = `The message does not follow its schema: ${errorText(error)}.`;
    return { kind: 'invalid', problem: createProblem('undecodable-message', { detail }) };
  }
  const problem = batchSizeProblem(batch.items.length);
  if (problem !== undefined) return { kind: 'invalid', problem };
  return { kind: 'items', items: batch.items.map((item) => itemOf(item, decode)) };
}

function itemOf(
  { id, value }: RequestBatch['items'][number],
  decode: (value: Buffer) => SyncOrAsync<Decoded>,
): BatchItem {
  const fault = batchIdFault(id);
  if (fault === undefined) return { id, decode: () => decode(value) };
  const problem = createProblem('invalid-request', { errors: [fault] });
  return { id: undefined, decode: () => ({ kind: 'undecodable', format: 'avro', problem }) };
}

/** A batch as its record has it: ids are text. */
export function batchRecord({ items }: RequestBatch | ReplyBatch): object {
  return {
    items: items.map((item) => (typeof item.id === 'number' ? { ...item, id: String(item.id) } : item)),
  };
}
