import { errorText } from '../../../../platform/errors.ts';
import { NO_HEADER_VALUE, setHeader } from '../../../headers.ts';
import type { HeaderValue, LogMessage, TopicPartition } from '../../../message.ts';

const KIB = 1_024;
const MIB = KIB * KIB;

/**
 * Largest decompressed record batch: four times the largest batch that our topics allow (8 MiB). A larger one, an attack or a mistake, is
 * skipped before it exhausts the memory of the process.
 */
const MAX_BATCH_BYTES = 32 * MIB;
/** The limit as options of zlib, which returns its output in chunks; each takes a round trip to another thread. */
export const DECOMPRESSION = { maxOutputLength: MAX_BATCH_BYTES, chunkSize: 256 * KIB } as const;

/** Positions in a batch of version 2, since Kafka 0.11; its length counts the bytes after the length field. */
const LENGTH_AT = 8;
const LENGTH_END = 12;
const MAGIC_AT = 16;
const LAST_OFFSET_DELTA_AT = 23;
const BATCH_HEADER_BYTES = 61;
const MAGIC = 2;

/** A batch as its library decodes it. */
export interface DecodedBatch {
  readonly producerId: bigint;
  readonly isTransactional: boolean;
  /** Its record is the end of a transaction. */
  readonly isControl: boolean;
  readonly records: readonly BatchRecord[];
}

type BatchRecord = Omit<LogMessage, keyof TopicPartition>;

/** A batch of a fetch response. */
export interface RecordBatch extends DecodedBatch {
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** Why it cannot be read. */
  readonly reason?: string;
}

/** A batch that cannot be read; its messages are skipped. */
export interface UnreadableBatch {
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly reason: string;
}

/**
 * The complete batches of one partition in a fetch response; the last one may be cut off at the size limit of the fetch. Ends early when they
 * have become too large, and the others are fetched again. Rejects with a RangeError on an unknown format.
 */
export async function readBatches(
  bytes: Buffer,
  decode: (batch: Buffer) => DecodedBatch | Promise<DecodedBatch>,
): Promise<readonly RecordBatch[]> {
  const batches: RecordBatch[] = [];
  let size = 0;
  for (let at = 0; bytes.length - at >= BATCH_HEADER_BYTES && size <= MAX_BATCH_BYTES;) {
    const end = at + LENGTH_END + bytes.readInt32BE(at + LENGTH_AT);
    if (end > bytes.length) break;
    if (end < at + BATCH_HEADER_BYTES || bytes[at + MAGIC_AT] !== MAGIC) {
      throw new RangeError('a record batch with an unknown format');
    }
    const firstOffset = Number(bytes.readBigInt64BE(at));
    const lastOffset = firstOffset + bytes.readInt32BE(at + LAST_OFFSET_DELTA_AT);
    try {
      const batch = await decode(bytes.subarray(at, end));
      for (const { key, value } of batch.records) size += (key?.length ?? 0) + (value?.length ?? 0);
      batches.push({ firstOffset, lastOffset, ...batch });
    } catch (error) {
      const reason = errorText(error);
      const nothing = { producerId: -1n, isTransactional: false, isControl: false, records: [] };
      batches.push({ firstOffset, lastOffset, ...nothing, reason });
    }
    at = end;
  }
  return batches;
}

/** The messages of a batch from this offset on, or why it cannot be read. */
export function messagesOf(
  { topic, partition, from }: TopicPartition & { readonly from: number },
  { firstOffset, lastOffset, reason, records }: RecordBatch,
): LogMessage[] | UnreadableBatch {
  if (reason !== undefined) return { firstOffset, lastOffset, reason };
  const messages: LogMessage[] = [];
  for (const record of records) {
    if (record.offset >= from) messages.push({ topic, partition, ...record });
  }
  return messages;
}

/** Headers from the pairs of a library, in which an absent value is null. */
export function toHeaders(pairs: Iterable<readonly [string, Buffer | null]>): LogMessage['headers'] {
  const headers: Record<string, HeaderValue | readonly HeaderValue[]> = {};
  for (const [name, content] of pairs) {
    const value = content ?? NO_HEADER_VALUE;
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
    setHeader(headers, name, known === undefined ? value : [known, value].flat());
  }
  return headers;
}

/** A transaction that was aborted, with the offset of its first record in the partition. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

/** The batches whose messages are delivered: no control records, and none of aborted transactions, as a read_committed reader. */
export function committedBatches(
  batches: readonly RecordBatch[],
  aborted: readonly AbortedTransaction[],
): ReadonlySet<RecordBatch> {
  const delivered = new Set<RecordBatch>();
  const ahead = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  const producers = new Set<bigint>();
  for (const batch of batches) {
    for (let [next] = ahead; next !== undefined && next.firstOffset <= batch.lastOffset; [next] = ahead) {
      producers.add(next.producerId);
      ahead.shift();
    }
    const isAborted = batch.isTransactional && producers.has(batch.producerId);
    // Transactions of a producer follow each other in a partition: its next marker ends the one that was aborted.
    if (batch.isControl) producers.delete(batch.producerId);
    if (!batch.isControl && !isAborted) delivered.add(batch);
  }
  return delivered;
}
