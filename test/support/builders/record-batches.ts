/** Record batches as Kafka writes them, encoded by kafkajs. */

import { createRequire } from 'node:module';
import { crc32c } from '@platformatic/kafka';

const require = createRequire(import.meta.url);

interface Encoder {
  readonly buffer: Buffer;
}

const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch: (options: object) => Promise<Encoder>;
};
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0') as (record: object) => Encoder;

const BATCH_HEADER_BYTES = 61;
const LENGTH_AT = 8;
const CHECKSUM_AT = 17;
const CHECKED_FROM = 21;
const ATTRIBUTES_AT = 21;
const MAX_TIMESTAMP_AT = 35;
const PRODUCER_ID_AT = 43;

export interface BuiltRecord {
  readonly key?: Buffer | string | null;
  readonly value?: Buffer | string | null;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly timestampDelta?: number;
}

export interface BatchOptions {
  /** Attributes of the batch: bits of Kafka's protocol. */
  readonly attributes?: number;
  readonly producerId?: bigint;
  readonly maxTimestampMs?: number;
  readonly firstTimestampMs?: number;
  /** Compresses the records; the number of the compression belongs into the attributes. */
  readonly compress?: (records: Buffer) => Buffer;
  readonly damage?: (records: Buffer) => Buffer;
}

export async function recordBatch(
  first: number,
  records: readonly BuiltRecord[],
  options: BatchOptions = {},
): Promise<Buffer> {
  const { firstTimestampMs = 1_000, maxTimestampMs = firstTimestampMs } = options;
  const encoded = records.map((record, offsetDelta) =>
    encodeRecord({ offsetDelta, timestampDelta: offsetDelta, ...record }),
  );
  const { buffer } = await RecordBatch({
    firstOffset: first,
    firstTimestamp: firstTimestampMs,
    maxTimestamp: maxTimestampMs,
    lastOffsetDelta: Math.max(0, records.length - 1),
    records: encoded,
  });
  const { damage = (all) => all, compress = (all) => all } = options;
  const content = compress(damage(Buffer.from(buffer.subarray(BATCH_HEADER_BYTES))));
  const batch = Buffer.concat([buffer.subarray(0, BATCH_HEADER_BYTES), content]);
  batch.writeInt32BE(batch.length - LENGTH_AT - 4, LENGTH_AT);
  batch.writeInt16BE(options.attributes ?? 0, ATTRIBUTES_AT);
  batch.writeBigInt64BE(BigInt(maxTimestampMs), MAX_TIMESTAMP_AT);
  batch.writeBigInt64BE(options.producerId ?? -1n, PRODUCER_ID_AT);
  batch.writeUInt32BE(crc32c(batch.subarray(CHECKED_FROM)), CHECKSUM_AT);
  return batch;
}
