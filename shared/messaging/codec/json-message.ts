/** Decodes JSON messages within limits. */

import { messageDefinition } from '../../../schemas/messages.ts';
import { jsonProblem, MAX_JSON_VALUES, MAX_REQUEST_VALUES, parseJson } from '../../platform/json.ts';
import { createProblem, type Fault, type Warning } from '../../platform/problem.ts';
import type { Decoded } from '../codec.ts';

/** A JSON value parsed as the payload of a message type, or all of its faults (E1, E3). */
export type JsonParsed =
  | { readonly kind: 'valid'; readonly payload: unknown; readonly warnings: readonly Warning[] }
  | {
      readonly kind: 'invalid';
      /**
       * `invalid-request` (400) for schema violations, `not-computable` (422) when only values are out of range,
       * `attachments-too-large` (413) when only files are too large.
       */
      readonly problem: 'invalid-request' | 'not-computable' | 'attachments-too-large';
      readonly faults: readonly Fault[];
    };

/** How a message type is represented in JSON and, where the record differs from the payload, in Avro. */
export interface MessageForm {
  /** Parses a value of `JSON.parse`. Never throws. */
  parse(value: unknown): JsonParsed;
  /** Renders a payload of the type as JSON text. */
  render(payload: unknown): string;
  /** Converts a payload to its Avro record, where they differ. Throws when information would be lost. */
  toRecord?(payload: unknown): unknown;
  /** Converts a decoded Avro record to the payload in place. */
  fromRecord?(record: unknown): void;
}

/** The forms by message type (record name in the list of messages). */
export type MessageForms = Readonly<Record<string, MessageForm>>;

/** A message type with its form. */
export interface JsonType {
  readonly type: string;
  readonly form: MessageForm;
}

/** Largest JSON message that is parsed: parsing blocks for about 10 ms per MiB, and 4,000 instalments take 2 MiB. */
export const MAX_JSON_BYTES = 4 * 1_024 * 1_024;

export const TOO_LARGE_JSON = createProblem('body-too-large', {
  detail: `A JSON message has at most ${MAX_JSON_BYTES} bytes.`,
});

/** Decodes a JSON message. Problems never contain parts of the message. */
export function decodeJson(bytes: Buffer, of: JsonType): Decoded {
  if (bytes.length > MAX_JSON_BYTES) return { kind: 'undecodable', format: 'json', problem: TOO_LARGE_JSON };
  const isCommand = messageDefinition(of.type)?.kind === 'command';
  const parsed = parseJson(bytes, { maxValues: isCommand ? MAX_JSON_VALUES : MAX_REQUEST_VALUES });
  if (parsed.kind === 'parsed') return toDecoded(of.form.parse(parsed.value), of.type);
  return { kind: 'undecodable', format: 'json', problem: jsonProblem(parsed, 'The message') };
}

/** Converts the result of parsing a JSON value. */
export function toDecoded(parsed: JsonParsed, type: string): Decoded {
  if (parsed.kind === 'invalid') {
    const problem = createProblem(parsed.problem, { errors: parsed.faults });
    return { kind: 'undecodable', format: 'json', problem };
  }
  const { payload, warnings } = parsed;
  const decoded = { kind: 'decoded', type, format: 'json', payload } as const;
  return warnings.length === 0 ? decoded : { ...decoded, warnings };
}
