import { createRequire } from 'node:module';

interface Encoder {
  buf: Buffer;
  readonly offset: number;
}

interface EncoderClass {
  readonly prototype: { ensureAvailable?: (this: Encoder, length: number) => void };
}

/** Room for the few fields that follow a large value, so that they do not make the buffer grow again. */
const SLACK_BYTES = 512;
const PATCHED = new WeakSet<object>();

/**
 * kafkajs writes a record through some twenty buffers, one within the other, and lets each grow to the next power of two
 * of zeros: 2 MiB are cleared for a reply of 370 kB, and the collector, which sees this memory come and go, runs over the
 * whole heap several times as often. Here a buffer grows to what is needed, at least by half, and is not cleared: only
 * what was written is ever read of it. Does nothing on a kafkajs that is built otherwise.
 */
export function growEncodersAsNeeded(): void {
  const require = createRequire(import.meta.url);
  const { prototype } = require('kafkajs/src/protocol/encoder') as EncoderClass;
  if (prototype.ensureAvailable === undefined || PATCHED.has(prototype)) return;
  PATCHED.add(prototype);
  prototype.ensureAvailable = growWhenFull;
}

function growWhenFull(this: Encoder, length: number): void {
  const needed = this.offset + length;
  const available = this.buf.length;
  if (needed <= available) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed + SLACK_BYTES, available + (available >>> 1)));
  this.buf.copy(grown, 0, 0, this.offset);
  this.buf = grown;
}
