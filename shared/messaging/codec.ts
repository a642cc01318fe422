import type { MessageHeaders } from './message.ts';
import type { Problem, Warning } from '../platform/problem.ts';

/** The encoding of a message: Avro in the Confluent wire format, or JSON with the field names of the interface. */
export type MessageFormat = 'avro' | 'json';

export type Decoded =
  | {
      readonly kind: 'decoded';
      readonly type: string;
      readonly format: MessageFormat;
      readonly payload: unknown;
      /** Ignored fields of a JSON message (E3); absent if there are none. */
      readonly warnings?: readonly Warning[];
    }
  | { readonly kind: 'undecodable'; readonly format: MessageFormat; readonly problem: Problem };

export interface EncodedMessage {
  readonly value: Buffer | null;
  readonly headers: MessageHeaders;
}

export interface Encoded {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
}

/**
 * decode() tells Avro (first byte 0x00) from JSON (`{` or `[` after whitespace). Malformed bytes are `undecodable`.
 * decode() and encode() return a promise only to query the registry. It rejects with InfrastructureError on failure.
 */
export interface Codec {
  decode(message: EncodedMessage): Decoded | Promise<Decoded>;
  /** Cheap: looks at the first bytes only. False if the registry would have to be queried. */
  isBatch(message: EncodedMessage): boolean;
  /** Throws or rejects with PayloadError if an Avro payload does not fit its schema, which is a bug. */
  encode(type: string, payload: unknown, format: MessageFormat): Encoded | Promise<Encoded>;
  /** Registers the schemas if necessary, so that encode() is synchronous. Can reject with `schema-incompatible`. */
  prepare(types: readonly string[]): Promise<void>;
}
