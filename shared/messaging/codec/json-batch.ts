/**
 * Batches in JSON. The array is only cut into its items at first, which takes 3 to 8 ms a MiB, in steps of half a
 * millisecond; each item is parsed when its turn comes (about 10 ms a MiB, without interruption), and one that is not
 * valid JSON, or UTF-8, is no fault of the others.
 */

import { isUtf8 } from 'node:buffer';
import { createProblem, type Fault, type Problem } from '../../platform/problem.ts';
import { MAX_JSON_DEPTH } from '../../platform/json-depth.ts';
import type { Decoded } from '../codec.ts';
import { JsonArrayCutter, type Span } from './json-array-cutter.ts';
import { MAX_JSON_BYTES } from './json-codec.ts';
import type { JsonShape } from './json-shapes.ts';
import {
  type BatchItem,
  type BatchItemId,
  batchIdFault,
  batchSizeProblem,
  type BatchOpening,
  MAX_BATCH_ITEMS,
} from './request-batch.ts';

/** Bytes that are looked through between two looks at the time. */
const STEP_BYTES = 64 * 1_024;

/** The type of all items of an array, with its JSON form. */
export interface ItemType {
  readonly type: string;
  readonly shape: JsonShape;
}

/** Cuts an array of requests into its items. */
export function openJsonBatch(bytes: Buffer, of: ItemType): BatchOpening {
  if (bytes.length > MAX_JSON_BYTES) {
    const detail = `A JSON message has at most ${MAX_JSON_BYTES} bytes.`;
    return { step: () => ({ kind: 'invalid', problem: createProblem('body-too-large', { detail }) }) };
  }
  const cutter = new JsonArrayCutter(bytes, MAX_BATCH_ITEMS);
  return {
    step: () => {
      const found = cutter.step(STEP_BYTES);
      if (found === 'more') return undefined;
      if (found === 'malformed')
        return { kind: 'invalid', problem: malformed('The message is not valid JSON.') };
      const { spans } = cutter;
      const problem = batchSizeProblem(spans.length);
      if (problem !== undefined) return { kind: 'invalid', problem };
      return { kind: 'items', items: spans.map((span) => new JsonBatchItem(bytes, span, of)) };
    },
  };
}

/** What is in the bytes of an item. */
type Content =
  | { readonly kind: 'content'; readonly body: unknown; readonly id: unknown }
  | { readonly kind: 'malformed'; readonly problem: Problem };

class JsonBatchItem implements BatchItem {
  readonly #bytes: Buffer;
  readonly #span: Span;
  readonly #of: ItemType;
  #content: Content | undefined;

  constructor(bytes: Buffer, span: Span, of: ItemType) {
    this.#bytes = bytes;
    this.#span = span;
    this.#of = of;
  }

  get id(): BatchItemId | undefined {
    const content = this.#read();
    if (content.kind === 'malformed' || batchIdFault(content.id) !== undefined) return undefined;
    return (content.id as BatchItemId | null | undefined) ?? undefined;
  }

  decode(): Decoded {
    const content = this.#read();
    if (content.kind === 'malformed') return undecodable(content.problem);
    const { type, shape } = this.#of;
    const read = shape.parse(content.body);
    const idFault = batchIdFault(content.id);
    if (idFault !== undefined) return undecodable(withIdFault(idFault, read));
    if (read.kind === 'invalid') return undecodable(createProblem(read.problem, { errors: read.faults }));
    const decoded = { kind: 'decoded', type, format: 'json', payload: read.payload } as const;
    return read.warnings.length === 0 ? decoded : { ...decoded, warnings: read.warnings };
  }

  #read(): Content {
    this.#content ??= readContent(this.#bytes, this.#span);
    return this.#content;
  }
}

function readContent(bytes: Buffer, { start, end, isTooDeep }: Span): Content {
  if (isTooDeep) {
    const detail = `Objects and arrays are nested deeper than ${MAX_JSON_DEPTH} levels.`;
    return { kind: 'malformed', problem: malformed(detail) };
  }
  if (!isUtf8(bytes.subarray(start, end)))
    return { kind: 'malformed', problem: malformed('The item is not valid UTF-8.') };
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8', start, end));
  } catch {
    return { kind: 'malformed', problem: malformed('The item is not valid JSON.') };
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) {
    return { kind: 'content', body: value, id: undefined };
  }
  const { id, ...body } = value as { readonly id: unknown };
  return { kind: 'content', body, id };
}

/** All faults at once: the id's, and those of the request. */
function withIdFault(idFault: Fault, read: ReturnType<JsonShape['parse']>): Problem {
  const others = read.kind === 'invalid' ? read.faults : [];
  return createProblem('invalid-request', { errors: [idFault, ...others] });
}

function malformed(detail: string): Problem {
  return createProblem('malformed-json', { detail });
}

function undecodable(problem: Problem): Decoded {
  return { kind: 'undecodable', format: 'json', problem };
}
