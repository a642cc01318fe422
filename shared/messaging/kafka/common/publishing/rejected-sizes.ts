import { COMPRESS_ABOVE_BYTES } from '../batches/gzip-options.ts';
import { recordBodyBytes, varintBytes, type SizedRecord } from '../batches/record-size.ts';

/** How long a rejection counts: the limit of a topic may be raised. */
const VALID_MS = 10_000;
/** Maximum number of remembered topics, since requesters choose the reply topics; the oldest are dropped. */
const MAX_TOPICS = 1_000;

/**
 * The size of the smallest record of each topic that the broker rejected as too large. Without it each record of a peer whose
 * reply topic is too small would cost a request of its own, and those behind it would wait. Records that are compressed are left
 * out: the limit of a topic is that of the compressed batch, so the size of one says nothing about another.
 */
export class RejectedSizes {
  readonly #smallest = new Map<string, { readonly bytes: number; readonly atMs: number }>();

  /** A record that was rejected although it was alone in its batch. Times are monotonic milliseconds. */
  add(topic: string, record: SizedRecord, nowMs: number): void {
    if (isCompressed(record)) return;
    const bytes = Math.min(encodedRecordBytes(record), this.#known(topic, nowMs) ?? Infinity);
    this.#smallest.delete(topic);
    this.#smallest.set(topic, { bytes, atMs: nowMs });
    const [oldest] = this.#smallest.keys();
    if (this.#smallest.size > MAX_TOPICS && oldest !== undefined) this.#smallest.delete(oldest);
  }

  /** Whether the topic has just rejected a record that was not larger. */
  includes(topic: string, record: SizedRecord, nowMs: number): boolean {
    if (isCompressed(record)) return false;
    const smallest = this.#known(topic, nowMs);
    return smallest !== undefined && encodedRecordBytes(record) >= smallest;
  }

  #known(topic: string, nowMs: number): number | undefined {
    const known = this.#smallest.get(topic);
    return known !== undefined && nowMs - known.atMs < VALID_MS ? known.bytes : undefined;
  }
}

function isCompressed({ value }: SizedRecord): boolean {
  return (value?.length ?? 0) > COMPRESS_ABOVE_BYTES;
}

/** The size of a record in a batch of its own, without the constant head of the batch. */
export function encodedRecordBytes(record: SizedRecord): number {
  const bytes = recordBodyBytes(record, 0, 0);
  return bytes + varintBytes(bytes);
}
