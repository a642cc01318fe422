import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import type { Decoded } from '../../../shared/messaging/codec.ts';
import {
  createMessageCodec,
  type MessageCodecOptions,
} from '../../../shared/messaging/codec/message-codec.ts';
import type { EncodedBatch } from '../../../shared/messaging/codec/request-batch.ts';

export function codecOf(options: Partial<MessageCodecOptions> = {}) {
  return createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 }, ...options });
}

export function payloadOf(decoded: Decoded | Promise<Decoded>): unknown {
  const now = atOnce(decoded);
  if (now.kind !== 'decoded') throw new Error(`undecodable: ${JSON.stringify(now.problem)}`);
  return now.payload;
}

export function itemsOf(decoded: Decoded | Promise<Decoded>) {
  const opened = (payloadOf(decoded) as EncodedBatch).open();
  if (opened.kind === 'invalid') throw new Error(JSON.stringify(opened.problem));
  return opened.items;
}

/** The problem that decoding a message reports; throws if the message can be decoded. */
export function problemOf(decoded: Decoded | Promise<Decoded>) {
  const now = atOnce(decoded);
  if (now.kind !== 'undecodable') throw new Error('the message was decoded');
  return now.problem;
}

export function atOnce<Value>(value: Value | Promise<Value>): Value {
  if (value instanceof Promise) throw new Error('the codec returned a promise');
  return value;
}
