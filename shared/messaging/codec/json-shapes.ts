import type { Fault, Warning } from '../../platform/problem.ts';

/** A JSON value read as a message type's domain payload, or everything that is wrong with it (E1, E3). */
export type JsonParsed =
  | { readonly kind: 'valid'; readonly payload: unknown; readonly warnings: readonly Warning[] }
  | {
      readonly kind: 'invalid';
      /**
       * `invalid-request` (400) when the shape is wrong, `not-computable` (422) when only values have no place,
       * `attachments-too-large` (413) when only files are too large.
       */
      readonly problem: 'invalid-request' | 'not-computable' | 'attachments-too-large';
      readonly faults: readonly Fault[];
    };

/** How one message type looks as JSON, in the spellings of the interface. */
export interface JsonShape {
  /** Reads the value of `JSON.parse`. Never throws, whatever the value is. */
  parse(value: unknown): JsonParsed;
  /** Writes a domain payload of the type as JSON text. */
  render(payload: unknown): string;
}

/** The JSON shapes by message type (record name in the catalogue of messages). */
export type JsonShapes = Readonly<Record<string, JsonShape>>;
