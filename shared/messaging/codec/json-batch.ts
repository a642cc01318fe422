/** Batches in JSON: an array of requests of one type, each of which may have an id. */

import { jsonProblem, parseJson } from '../../platform/json.ts';
import { createProblem } from '../../platform/problem.ts';
import { HEADER } from '../header-names.ts';
import { MAX_JSON_BYTES, toDecoded, TOO_LARGE_JSON, type JsonType } from './json-message.ts';
import {
  type BatchItem,
  type BatchItemId,
  batchIdFault,
  batchSizeProblem,
  type OpenedBatch,
  type ReplyBatch,
  type ReplyBatchItem,
} from './request-batch.ts';

/** Members and elements of all items: 100 of each of 500 requests, which take about 50 ms to read without interruption. */
const MAX_BATCH_VALUES = 50_000;

/** Reads an array of requests of one type. One that is not valid JSON is refused as a whole. */
export function openJsonBatch(bytes: Buffer, of: JsonType): OpenedBatch {
  if (bytes.length > MAX_JSON_BYTES) return { kind: 'invalid', problem: TOO_LARGE_JSON };
  const parsed = parseJson(bytes, { maxValues: MAX_BATCH_VALUES });
  if (parsed.kind === 'refused') return { kind: 'invalid', problem: jsonProblem(parsed, 'The message') };
  const values = parsed.value as readonly unknown[];
  const problem = batchSizeProblem(values.length);
  if (problem !== undefined) return { kind: 'invalid', problem };
  return { kind: 'items', items: values.map((value) => toItem(value, of)) };
}

function toItem(value: unknown, { type, form }: JsonType): BatchItem {
  const hasId = typeof value === 'object' && value !== null && Object.hasOwn(value, 'id');
  const { id, ...fields } = hasId ? (value as { readonly id: unknown }) : { id: undefined };
  const fault = batchIdFault(id);
  return {
    id: fault === undefined ? ((id as BatchItemId | null | undefined) ?? undefined) : undefined,
    decode: () => {
      const parsed = form.parse(hasId ? fields : value);
      if (fault === undefined) return toDecoded(parsed, type);
      const errors = [fault, ...(parsed.kind === 'invalid' ? parsed.faults : [])];
      return { kind: 'undecodable', format: 'json', problem: createProblem('invalid-request', { errors }) };
    },
  };
}

/** Writes a ReplyBatch as JSON: `[{"id": ..., "status": ..., "headers": {...}, "body": ...}]`. */
export function writeJsonReplyBatch({ items }: ReplyBatch): Buffer {
  const parts = items.flatMap((item, index) => [
    Buffer.from(`${index === 0 ? '' : '},'}${renderOpening(item)}`),
    item.value,
  ]);
  const [start, end] = items.length === 0 ? ['[', ']'] : ['[', '}]'];
  return Buffer.concat([Buffer.from(start), ...parts, Buffer.from(end)]);
}

/** Renders an item up to its body. */
function renderOpening({ id, status, warnings, holidayCalendar }: ReplyBatchItem): string {
  const idText = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  if (warnings === undefined && holidayCalendar === undefined) return `{${idText}"status":${status},"body":`;
  const headers = { [HEADER.warnings]: warnings, [HEADER.holidayCalendar]: holidayCalendar };
  return `{${idText}"status":${status},"headers":${JSON.stringify(headers)},"body":`;
}
