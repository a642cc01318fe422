import type { MessageHeaders } from './message.ts';
import type { Problem, Warning } from '../platform/problem.ts';

/** How a message is written: Avro in the Confluent wire format, or JSON in the interface's spellings. */
export type MessageFormat = 'avro' | 'json';

/** A decoded message, or why it cannot be decoded. `payload` has the domain shape of its type (see the catalogue of messages). */
export type Decoded =
  | {
      readonly kind: 'decoded';
      readonly type: string;
      readonly format: MessageFormat;
      readonly payload: unknown;
      /** Members of a JSON message that had no effect (E3); absent when there are none. */
      readonly warnings?: readonly Warning[];
    }
  | { readonly kind: 'undecodable'; readonly format: MessageFormat; readonly problem: Problem };

/** What is decoded: the value and the headers of a record. */
export interface EncodedMessage {
  readonly value: Buffer | null;
  readonly headers: MessageHeaders;
}

/** An encoded value with the headers that say what it is. */
export interface Encoded {
  readonly value: Buffer;
  readonly headers: MessageHeaders;
}

/**
 * Turns bytes into typed payloads and back. The first byte decides the format (0x00 Avro, `{` or `[` JSON); the
 * content-type header may only confirm it. Bad bytes are a value (`undecodable`), never a throw; an unreachable schema
 * registry rejects with InfrastructureError. Answers synchronously whenever the schema is already known, so that the
 * hot path pays for no promise.
 */
export interface Codec {
  decode(message: EncodedMessage): Decoded | Promise<Decoded>;
  /** Whether the message is a batch, by its first bytes alone; false where the registry would have to be asked. Cheap. */
  isBatch(message: EncodedMessage): boolean;
  /** Encodes a payload of a catalogue type. Throws on a payload that does not fit its schema: that is a bug. */
  encode(type: string, payload: unknown, format: MessageFormat): Encoded | Promise<Encoded>;
  /** Loads or registers what the given types need, so that encode() and decode() of them are synchronous from then on. */
  prepare(types: readonly string[]): Promise<void>;
}
