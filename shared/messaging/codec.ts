import type { MessageHeaders } from './message.ts';
import type { Problem, Warning } from '../platform/problem.ts';

/** How a message is written: Avro in the Confluent wire format, or JSON in the interface's spellings. */
export type MessageFormat = 'avro' | 'json';

/** A decoded message, or why it cannot be decoded. `payload` is the domain value of its type (see the list of messages). */
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

/** The value and the headers of a record. */
export interface EncodedMessage {
  readonly value: Buffer | null;
  readonly headers: MessageHeaders;
}

/** An encoded value with the headers that describe it. */
export interface Encoded {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
}

/**
 * Turns bytes into typed payloads and back. The first byte decides the format (0x00 Avro, `{` or `[` JSON); the
 * content-type header may only confirm it. Malformed bytes are a value (`undecodable`), never a throw; an unreachable
 * schema registry rejects with InfrastructureError. Synchronous whenever the schema is already known, so that the hot
 * path needs no promise.
 */
export interface Codec {
  decode(message: EncodedMessage): Decoded | Promise<Decoded>;
  /** Whether the message is a batch, by its first bytes alone; false where the registry would have to be queried. Cheap. */
  isBatch(message: EncodedMessage): boolean;
  /** Encodes a payload. Throws on one that does not fit its schema: that is a bug. */
  encode(type: string, payload: unknown, format: MessageFormat): Encoded | Promise<Encoded>;
  /** Loads or registers what the given types need, so that encode() and decode() of them are synchronous afterwards. */
  prepare(types: readonly string[]): Promise<void>;
}
