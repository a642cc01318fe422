/**
 * Batches in JSON. The array is first split into its items, in steps of half a millisecond (3 to 8 ms for 1 MiB). Each item
 * is parsed when it is handled (about 10 ms for 1 MiB, without interruption), so that an item with invalid JSON or UTF-8
 * does not affect the others.
 */

import { parseJson } from '../../platform/json.ts';
import { createProblem } from '../../platform/problem.ts';
import type { Decoded } from '../codec.ts';
import { HEADER } from '../header-names.ts';
import { JsonArrayCutter, type Span } from './json-array-cutter.ts';
import {
  MAX_JSON_BYTES,
  maxValuesOf,
  refusedJson,
  toDecoded,
  TOO_LARGE_JSON,
  type JsonType,
} from './json-message.ts';
import {
  type BatchItem,
  type BatchItemId,
  batchIdFault,
  batchSizeProblem,
  type BatchOpening,
  MAX_BATCH_ITEMS,
  type ReplyBatch,
  type ReplyBatchItem,
} from './request-batch.ts';

/** Bytes that are scanned in one step. */
const STEP_BYTES = 64 * 1_024;

/** Splits an array of requests of one type into its items. */
export function openJsonBatch(bytes: Buffer, of: JsonType): BatchOpening {
  if (bytes.length > MAX_JSON_BYTES) return { step: () => ({ kind: 'invalid', problem: TOO_LARGE_JSON }) };
  const cutter = new JsonArrayCutter(bytes, MAX_BATCH_ITEMS);
  return {
    step: () => {
      const found = cutter.step(STEP_BYTES);
      if (found === 'more') return undefined;
      const { spans } = cutter;
      const problem =
        found === 'malformed'
          ? createProblem('malformed-json', { detail: 'The message is not valid JSON.' })
          : batchSizeProblem(spans.length);
      if (problem !== undefined) return { kind: 'invalid', problem };
      return { kind: 'items', items: spans.map((span) => new JsonBatchItem(bytes, span, of)) };
    },
  };
}

/**
 * Writes a ReplyBatch as JSON: `[{"id": ..., "status": ..., "headers": {...}, "body": ...}]`. Bodies are copied once, into a
 * buffer of the exact length.
 */
export function writeJsonReplyBatch({ items }: ReplyBatch): Buffer {
  const openings = items.map((item, index) => `${index === 0 ? '[' : '},'}${renderOpening(item)}`);
  const end = items.length === 0 ? '[]' : '}]';
  let length = end.length;
  for (const [index, { value }] of items.entries()) {
    length += Buffer.byteLength(openings[index] ?? '') + value.length;
  }
  const target = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [index, { value }] of items.entries()) {
    at += target.write(openings[index] ?? '', at);
    at += value.copy(target, at);
  }
  target.write(end, at, 'latin1');
  return target;
}

/** Renders an item up to its body. */
function renderOpening({ id, status, warnings, holidayCalendar }: ReplyBatchItem): string {
  const idText = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  if (warnings === undefined && holidayCalendar === undefined) return `{${idText}"status":${status},"body":`;
  const headers = { [HEADER.warnings]: warnings, [HEADER.holidayCalendar]: holidayCalendar };
  return `{${idText}"status":${status},"headers":${JSON.stringify(headers)},"body":`;
}

/** The parsed item, or why it cannot be parsed. */
type Content =
  | { readonly kind: 'content'; readonly body: unknown; readonly id: unknown }
  | Extract<Decoded, { kind: 'undecodable' }>;

class JsonBatchItem implements BatchItem {
  readonly #bytes: Buffer;
  readonly #span: Span;
  readonly #of: JsonType;
  #content: Content | undefined;

  constructor(bytes: Buffer, span: Span, of: JsonType) {
    this.#bytes = bytes;
    this.#span = span;
    this.#of = of;
  }

  get id(): BatchItemId | undefined {
    const content = this.#read();
    if (content.kind === 'undecodable' || batchIdFault(content.id) !== undefined) return undefined;
    return (content.id as BatchItemId | null | undefined) ?? undefined;
  }

  decode(): Decoded {
    const content = this.#read();
    if (content.kind === 'undecodable') return content;
    const { type, form } = this.#of;
    const parsed = form.parse(content.body);
    const idFault = batchIdFault(content.id);
    if (idFault === undefined) return toDecoded(parsed, type);
    const errors = [idFault, ...(parsed.kind === 'invalid' ? parsed.faults : [])];
    return { kind: 'undecodable', format: 'json', problem: createProblem('invalid-request', { errors }) };
  }

  #read(): Content {
    this.#content ??= readContent(this.#bytes, this.#span, this.#of.type);
    return this.#content;
  }
}

function readContent(bytes: Buffer, { start, end }: Span, type: string): Content {
  const parsed = parseJson(bytes.subarray(start, end), { maxValues: maxValuesOf(type) });
  if (parsed.kind === 'refused') return refusedJson(parsed, 'The item');
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) {
    return { kind: 'content', body: value, id: undefined };
  }
  const { id, ...body } = value as { readonly id: unknown };
  return { kind: 'content', body, id };
}
