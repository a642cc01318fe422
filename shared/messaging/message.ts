/** What travels on the log, independent of the broker that carries it. */

/** A header value as Kafka stores it; text is written as UTF-8. */
export type HeaderValue = Buffer | string;

/** Headers as read: a repeated header is an array, in the order it was written. */
export type MessageHeaders = Readonly<Record<string, HeaderValue | readonly HeaderValue[] | undefined>>;

/** One record read from a topic partition. `offset` is a safe integer: a partition never outgrows 2^53 records. */
export interface LogMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: Buffer | null;
  /** `null` is a tombstone on a compacted topic. */
  readonly value: Buffer | null;
  readonly headers: MessageHeaders;
  /** When the record was produced (topic setting CreateTime), in epoch milliseconds. */
  readonly timestampMs: number;
}

/** One record to be written. Without `partition` the key decides it; a message has one or the other, or both. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers?: MessageHeaders;
  readonly partition?: number;
  readonly timestampMs?: number;
}

/** A topic's partition. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** The next offset to be read of a partition, as committed: one beyond the last message that is done. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: number;
}

/** Part of a partition: the offsets from `from` on, `to` and beyond not included. */
export interface OffsetRange extends TopicPartition {
  readonly from: number;
  readonly to: number;
}

/** `topic/partition` as one string, to index maps by. */
export function partitionId(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
