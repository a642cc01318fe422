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
      /** Ignored fields of a JSON message (E3); absent when there are none. */
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
 * Detects the format by the first byte (0x00 Avro, `{` or `[` JSON). Malformed bytes return `undecodable` and never throw.
 * Rejects with InfrastructureError if the registry cannot be reached. Calls are synchronous if the schema is known.
 */
export interface Codec {
  decode(message: EncodedMessage): Decoded | Promise<Decoded>;
  /** Detects a batch by the first bytes of the message, at low cost; false if the registry would have to be queried. */
  isBatch(message: EncodedMessage): boolean;
  /** Encodes a payload. Throws when it does not match its schema, which is a bug. */
  encode(type: string, payload: unknown, format: MessageFormat): Encoded | Promise<Encoded>;
  /** Loads or registers the schemas of these types, so that encode() and decode() of them are synchronous afterwards. */
  prepare(types: readonly string[]): Promise<void>;
}
