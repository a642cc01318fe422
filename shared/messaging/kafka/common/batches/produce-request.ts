/** The record batch of one partition. */
export interface ProducedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly batch: Buffer;
}

/** The bytes of a request without its topics, of a topic without its name and partitions, and of a partition without its batch. */
const REQUEST_BYTES = 12;
const TOPIC_BYTES = 6;
const PARTITION_BYTES = 8;
/** The length of a text that is null. */
const NULL = -1;

/** The oldest version with record batches and the newest one of this layout: Kafka 0.11 to 4 support one of them. */
export const PRODUCE_VERSIONS = { oldest: 3, newest: 7 } as const;

/** The body of a Produce request outside of transactions, in one buffer. */
export function encodeProduceRequest(
  acks: number,
  timeoutMs: number,
  batches: readonly ProducedBatch[],
): Buffer {
  const topics = Map.groupBy(batches, ({ topic }) => topic);
  let size = REQUEST_BYTES;
  for (const topic of topics.keys()) size += TOPIC_BYTES + Buffer.byteLength(topic);
  for (const { batch } of batches) size += PARTITION_BYTES + batch.length;
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.writeInt16BE(NULL, 0);
  at = bytes.writeInt16BE(acks, at);
  at = bytes.writeInt32BE(timeoutMs, at);
  at = bytes.writeInt32BE(topics.size, at);
  for (const [topic, partitions] of topics) {
    const length = bytes.write(topic, at + 2);
    bytes.writeInt16BE(length, at);
    at = bytes.writeInt32BE(partitions.length, at + 2 + length);
    for (const { partition, batch } of partitions) {
      at = bytes.writeInt32BE(partition, at);
      at = bytes.writeInt32BE(batch.length, at);
      at += batch.copy(bytes, at);
    }
  }
  return bytes;
}
