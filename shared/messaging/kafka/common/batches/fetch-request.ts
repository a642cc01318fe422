/** The partitions of a topic in a fetch request. */
export interface RequestedTopic {
  readonly topic: string;
  readonly partitions: readonly {
    readonly partition: number;
    /** A number, or its digits. */
    readonly fetchOffset: number | string;
  }[];
}

/** Limits of a fetch. A larger record batch is still returned whole if it is the first one. */
export interface FetchLimits {
  /** The broker waits this long for the first byte. */
  readonly maxWaitMs: number;
  readonly maxBytes: number;
  readonly maxBytesPerPartition: number;
}

/** The last version with topic names and without compact encodings; Kafka 2.3 to 4 support it. */
export const FETCH_VERSION = 11;
const MIN_BYTES = 1;
/** Records of open and aborted transactions are not delivered. */
const READ_COMMITTED = 1;
/** No fetch session: each request lists all its partitions. */
const NO_SESSION = -1;
const NO_LEADER_EPOCH = -1;
const NO_LOG_START = -1n;
const NO_REPLICA = -1;

/** The bytes of a request without its topics, of a topic without its name and partitions, and of a partition. */
const REQUEST_BYTES = 35;
const TOPIC_BYTES = 6;
const PARTITION_BYTES = 28;

/** The body of a Fetch request of version 11, in one buffer: those of the clients take one for each partition or field. */
export function encodeFetchRequest(topics: readonly RequestedTopic[], limits: FetchLimits): Buffer {
  let size = REQUEST_BYTES;
  for (const { topic, partitions } of topics) {
    size += TOPIC_BYTES + Buffer.byteLength(topic) + partitions.length * PARTITION_BYTES;
  }
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.writeInt32BE(NO_REPLICA, 0);
  at = bytes.writeInt32BE(limits.maxWaitMs, at);
  at = bytes.writeInt32BE(MIN_BYTES, at);
  at = bytes.writeInt32BE(limits.maxBytes, at);
  at = bytes.writeInt8(READ_COMMITTED, at);
  at = bytes.writeInt32BE(0, at);
  at = bytes.writeInt32BE(NO_SESSION, at);
  at = bytes.writeInt32BE(topics.length, at);
  for (const { topic, partitions } of topics) {
    const length = bytes.write(topic, at + 2);
    bytes.writeInt16BE(length, at);
    at = bytes.writeInt32BE(partitions.length, at + 2 + length);
    for (const { partition, fetchOffset } of partitions) {
      at = bytes.writeInt32BE(partition, at);
      at = bytes.writeInt32BE(NO_LEADER_EPOCH, at);
      at = bytes.writeBigInt64BE(BigInt(fetchOffset), at);
      at = bytes.writeBigInt64BE(NO_LOG_START, at);
      at = bytes.writeInt32BE(limits.maxBytesPerPartition, at);
    }
  }
  // No forgotten topics of a session, and no rack.
  at = bytes.writeInt32BE(0, at);
  bytes.writeInt16BE(0, at);
  return bytes;
}
