import type { Message } from 'kafkajs';

/** How long a rejection counts: the limit of a topic may be raised. */
const VALID_MS = 10_000;
/** Maximum number of remembered topics, since requesters choose the reply topics; the oldest are dropped. */
const MAX_TOPICS = 1_000;
/** Bits of each byte of a variable-length integer. */
const VARINT_BITS = 7;
/** Attributes, and the differences of timestamp and offset to those of the batch, which are 0 in a batch of one record. */
const FIXED_BYTES = 3;

/**
 * The size of the smallest record of each topic that the broker rejected as too large. Without it each record of a peer whose
 * reply topic is too small would cost a request of its own, and those behind it would wait.
 */
export class RejectedSizes {
  readonly #smallest = new Map<string, { readonly bytes: number; readonly atMs: number }>();

  /** A record that was rejected although it was alone in its batch. Times are monotonic milliseconds. */
  add(topic: string, record: Message, nowMs: number): void {
    const bytes = Math.min(encodedRecordBytes(record), this.#known(topic, nowMs) ?? Infinity);
    this.#smallest.delete(topic);
    this.#smallest.set(topic, { bytes, atMs: nowMs });
    const [oldest] = this.#smallest.keys();
    if (this.#smallest.size > MAX_TOPICS && oldest !== undefined) this.#smallest.delete(oldest);
  }

  /** Whether the topic has just rejected a record that was not larger. */
  includes(topic: string, record: Message, nowMs: number): boolean {
    const smallest = this.#known(topic, nowMs);
    return smallest !== undefined && encodedRecordBytes(record) >= smallest;
  }

  #known(topic: string, nowMs: number): number | undefined {
    const known = this.#smallest.get(topic);
    return known !== undefined && nowMs - known.atMs < VALID_MS ? known.bytes : undefined;
  }
}

/** The size of a record in a batch of its own, without the constant head of the batch (record format 2). */
export function encodedRecordBytes({ key, value, headers = {} }: Message): number {
  let bytes = FIXED_BYTES + lengthBytes(key) + lengthBytes(value);
  let count = 0;
  for (const [name, given] of Object.entries(headers)) {
    for (const header of Array.isArray(given) ? given : [given]) {
      bytes += lengthBytes(name) + lengthBytes(header);
      count += 1;
    }
  }
  bytes += varintBytes(count);
  return bytes + varintBytes(bytes);
}

/** The bytes of a text or buffer with its length in front; a length of -1 stands for null. */
function lengthBytes(content: string | Buffer | null | undefined): number {
  if (content === null || content === undefined) return 1;
  const length = Buffer.byteLength(content);
  return varintBytes(length) + length;
}

/** The bytes of a number in zigzag encoding, which doubles it. */
function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value * 2; rest >= 2 ** VARINT_BITS; rest /= 2 ** VARINT_BITS) bytes += 1;
  return bytes;
}
