import { messageDefinition } from '../../../schemas/messages.ts';
import { jsonProblem, MAX_JSON_VALUES, MAX_REQUEST_VALUES, parseJson } from '../../platform/parse-json.ts';
import { createProblem, type Fault, type Warning } from '../../platform/problem.ts';
import type { Decoded } from '../codec.ts';
import { HEADER } from '../headers.ts';
import { batchIdFault, batchSizeProblem } from './request-batch.ts';
import type { BatchItem, BatchItemId, OpenedBatch, ReplyBatch, ReplyBatchItem } from './request-batch.ts';

/** A JSON value parsed as the payload of a message type, or its faults (E1, E3). */
type JsonParsed =
  | { readonly kind: 'valid'; readonly payload: unknown; readonly warnings: readonly Warning[] }
  | {
      readonly kind: 'invalid';
      /** Status 422 if all faults are numbers beyond their limits, 413 if all are oversized files, otherwise 400. */
      readonly problem: 'invalid-request' | 'not-computable' | 'attachments-too-large';
      readonly faults: readonly Fault[];
    };

/** How a message type is represented in JSON and, where the record differs from the payload, in Avro. */
export interface MessageForm {
  parse(value: unknown): JsonParsed;
  render(payload: unknown): string;
  /** Converts a payload to its Avro record; absent if they are the same. Throws if information would be lost. */
  toRecord?(payload: unknown): unknown;
  /** Converts a decoded Avro record to the payload in place. */
  fromRecord?(record: unknown): void;
}

export type MessageForms = Readonly<Record<string, MessageForm>>;

interface JsonType {
  readonly type: string;
  readonly form: MessageForm;
}

/** Largest JSON message that is parsed: parsing blocks for about 10 ms per MiB, and 4,000 instalments take 2 MiB. */
const MAX_JSON_BYTES = 4 * 1_024 * 1_024;

const TOO_LARGE_JSON = createProblem('body-too-large', {
  detail: `A JSON message has at most ${MAX_JSON_BYTES} bytes.`,
});

/** The problem of an undecodable message never contains values of the message. */
export function decodeJson(bytes: Buffer, of: JsonType): Decoded {
  if (bytes.length > MAX_JSON_BYTES) return { kind: 'undecodable', format: 'json', problem: TOO_LARGE_JSON };
  const isCommand = messageDefinition(of.type)?.kind === 'command';
  const parsed = parseJson(bytes, { maxValues: isCommand ? MAX_JSON_VALUES : MAX_REQUEST_VALUES });
  if (parsed.kind === 'parsed') return toDecoded(of.form.parse(parsed.value), of.type);
  return { kind: 'undecodable', format: 'json', problem: jsonProblem(parsed, 'The message') };
}

function toDecoded(parsed: JsonParsed, type: string): Decoded {
  if (parsed.kind === 'invalid') {
    const problem = createProblem(parsed.problem, { errors: parsed.faults });
    return { kind: 'undecodable', format: 'json', problem };
  }
  const { payload, warnings } = parsed;
  const decoded = { kind: 'decoded', type, format: 'json', payload } as const;
  return warnings.length === 0 ? decoded : { ...decoded, warnings };
}

/** Maximum number of members and elements of a batch: 100 for each of 500 requests. Parsing them blocks for 50 ms. */
const MAX_BATCH_VALUES = 50_000;

/** `bytes` must begin with `[`, after any whitespace. An array that is not valid JSON is refused as a whole. */
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

/** Writes `[{"id": ..., "status": ..., "headers": {...}, "body": ...}]`. Items may lack `id` and `headers`. */
export function writeJsonReplyBatch({ items }: ReplyBatch): Buffer {
  const parts = items.flatMap((item, index) => [
    Buffer.from(`${index === 0 ? '' : '},'}${renderOpening(item)}`),
    item.value,
  ]);
  const [start, end] = items.length === 0 ? ['[', ']'] : ['[', '}]'];
  return Buffer.concat([Buffer.from(start), ...parts, Buffer.from(end)]);
}

function renderOpening({ id, status, warnings, holidayCalendar }: ReplyBatchItem): string {
  const idText = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  if (warnings === undefined && holidayCalendar === undefined) return `{${idText}"status":${status},"body":`;
  const headers = { [HEADER.warnings]: warnings, [HEADER.holidayCalendar]: holidayCalendar };
  return `{${idText}"status":${status},"headers":${JSON.stringify(headers)},"body":`;
}
