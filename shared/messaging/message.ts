/** A header value as Kafka stores it. Text is written as UTF-8. */
export type HeaderValue = Buffer | string;

/** A repeated header is an array, in the order of writing. */
export type MessageHeaders = Readonly<Record<string, HeaderValue | readonly HeaderValue[] | undefined>>;

/** A record from a topic partition. `offset` is a safe integer: no partition has 2^53 records. */
export interface LogMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: Buffer | null;
  /** `null` is a tombstone on a compacted topic. */
  readonly value: Buffer | null;
  readonly headers: MessageHeaders;
  /** Epoch milliseconds of the producer (CreateTime), or of the broker on topics with LogAppendTime. */
  readonly timestampMs: number;
}

/** Without `partition` the key determines it. Without both the publisher chooses one. Default `timestampMs`: the time of the call. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers?: MessageHeaders;
  readonly partition?: number;
  readonly timestampMs?: number;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** A position in a partition: the next offset to be read. A committed offset is one beyond the last message that is done. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: number;
}

/** The offsets of a partition from `from` up to but not including `to`. */
export interface OffsetRange extends TopicPartition {
  readonly from: number;
  readonly to: number;
}

export function partitionId(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
