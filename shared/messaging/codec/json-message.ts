/** JSON messages: from bytes to payload within limits, and back. */

import { isUtf8 } from 'node:buffer';
import { exceedsJsonDepth, MAX_JSON_DEPTH } from '../../platform/json-depth.ts';
import { createProblem, type Fault, type Warning } from '../../platform/problem.ts';
import type { Decoded } from '../codec.ts';

/** A JSON value read as the payload of a message type, or everything that is wrong with it (E1, E3). */
export type JsonParsed =
  | { readonly kind: 'valid'; readonly payload: unknown; readonly warnings: readonly Warning[] }
  | {
      readonly kind: 'invalid';
      /**
       * `invalid-request` (400) when the shape is wrong, `not-computable` (422) when only values are out of range,
       * `attachments-too-large` (413) when only files are too large.
       */
      readonly problem: 'invalid-request' | 'not-computable' | 'attachments-too-large';
      readonly faults: readonly Fault[];
    };

/** How a message type is written: as JSON in the spellings of the interface, and where it differs as an Avro record. */
export interface MessageForm {
  /** Reads the value of `JSON.parse`. Never throws, whatever the value is. */
  parse(value: unknown): JsonParsed;
  /** Writes a payload of the type as JSON text. */
  render(payload: unknown): string;
  /** The Avro record of a payload, where it differs from the payload. Throws when something would be lost. */
  toRecord?(payload: unknown): unknown;
  /** Makes a decoded Avro record the payload, in place. */
  fromRecord?(record: unknown): void;
}

/** The forms by message type (record name in the list of messages). */
export type MessageForms = Readonly<Record<string, MessageForm>>;

/** A message type with its form. */
export interface JsonType {
  readonly type: string;
  readonly form: MessageForm;
}

/** Largest JSON message that is parsed: parsing takes about 10 ms a MiB without interruption, and 4,000 rows have 2 MiB. */
export const MAX_JSON_BYTES = 4 * 1_024 * 1_024;

export const TOO_LARGE_JSON = createProblem('body-too-large', {
  detail: `A JSON message has at most ${MAX_JSON_BYTES} bytes.`,
});

/** Decodes the bytes of a JSON message; problems never repeat what was sent. */
export function decodeJson(bytes: Buffer, of: JsonType): Decoded {
  if (bytes.length > MAX_JSON_BYTES) return { kind: 'undecodable', format: 'json', problem: TOO_LARGE_JSON };
  if (!isUtf8(bytes)) return malformedJson('The message is not valid UTF-8.');
  if (exceedsJsonDepth(bytes)) return tooDeepJson();
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return malformedJson('The message is not valid JSON.');
  }
  return toDecoded(of.form.parse(value), of.type);
}

/** The result of reading a JSON value as a message. */
export function toDecoded(parsed: JsonParsed, type: string): Decoded {
  if (parsed.kind === 'invalid') {
    const problem = createProblem(parsed.problem, { errors: parsed.faults });
    return { kind: 'undecodable', format: 'json', problem };
  }
  const { payload, warnings } = parsed;
  const decoded = { kind: 'decoded', type, format: 'json', payload } as const;
  return warnings.length === 0 ? decoded : { ...decoded, warnings };
}

export function malformedJson(detail: string): Extract<Decoded, { kind: 'undecodable' }> {
  return { kind: 'undecodable', format: 'json', problem: createProblem('malformed-json', { detail }) };
}

export function tooDeepJson(): Extract<Decoded, { kind: 'undecodable' }> {
  return malformedJson(`Objects and arrays are nested deeper than ${MAX_JSON_DEPTH} levels.`);
}
