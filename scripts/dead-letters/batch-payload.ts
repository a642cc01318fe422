import { type BatchItem, type EncodedBatch, openAtOnce } from '../../shared/messaging/codec/request-batch.ts';
import { errorText } from '../../shared/platform/errors.ts';
import type { Problem } from '../../shared/platform/problem.ts';

/** Most requests of a batch whose faults are listed. */
const MAX_FAULTY_ITEMS = 20;

/** The requests of a batch as `show` tells of them. */
export interface ShownBatch {
  /** Of requests in Avro each as its type is written in JSON, with its id; absent where the batch cannot be opened. */
  readonly items?: readonly unknown[];
  /** What is wrong with the batch, or with which of its items; counted from 1. */
  readonly notes: readonly string[];
}

/** Reads every request of a batch; `jsonForm` answers what is shown of one. Rejects with lost infrastructure only. */
export async function showBatch(
  batch: EncodedBatch,
  jsonForm: (type: string, payload: unknown) => unknown,
): Promise<ShownBatch> {
  const opened = openAtOnce(batch);
  if (opened.kind === 'invalid') return { notes: notesOf(opened.problem) };
  const items: unknown[] = [];
  const notes: string[] = [];
  let faulty = 0;
  for (const [index, item] of opened.items.entries()) {
    const { shown, faults } = await showItem(item, jsonForm);
    items.push(shown);
    if (faults === undefined) continue;
    faulty += 1;
    if (faulty <= MAX_FAULTY_ITEMS) notes.push(...faults.map((note) => `request ${index + 1}: ${note}`));
  }
  if (faulty > MAX_FAULTY_ITEMS) notes.push(`and ${faulty - MAX_FAULTY_ITEMS} more requests with faults`);
  return { items, notes };
}

async function showItem(
  item: BatchItem,
  jsonForm: (type: string, payload: unknown) => unknown,
): Promise<{ readonly shown: unknown; readonly faults?: readonly string[] }> {
  const decoded = await item.decode();
  const id = item.id === undefined ? {} : { id: item.id };
  const unreadable = { ...id, unreadable: true };
  if (decoded.kind === 'undecodable') return { shown: unreadable, faults: notesOf(decoded.problem) };
  try {
    return { shown: { ...id, ...(jsonForm(decoded.type, decoded.payload) as object) } };
  } catch (error) {
    return { shown: unreadable, faults: [`it cannot be shown: ${errorText(error)}`] };
  }
}

function notesOf({ title, detail, errors = [] }: Problem): readonly string[] {
  return [detail ?? title, ...errors.map((fault) => `${fault.path}: ${fault.message}`)];
}
