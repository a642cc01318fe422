/** Messages on the log, independent of the broker. */

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

/** One record to be written. Without `partition` the key determines it; a message has at least one of them. */
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

/** The next offset of a partition to be read: the committed offset is one beyond the last message that is done. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: number;
}

/** A range of a partition: the offsets from `from` up to but not including `to`. */
export interface OffsetRange extends TopicPartition {
  readonly from: number;
  readonly to: number;
}

/** `topic/partition` as one string, to index maps by. */
export function partitionId(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
