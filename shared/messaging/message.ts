/** Bytes, or text that is written as UTF-8. */
export type HeaderValue = Buffer | string;

/** The values of a repeated header are an array, in the order in which they were written. */
export type MessageHeaders = Readonly<Record<string, HeaderValue | readonly HeaderValue[] | undefined>>;

/** A record read from a partition. `offset` is a safe integer: no partition has 2^53 records. */
export interface LogMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: Buffer | null;
  /** `null` is a tombstone on a compacted topic. */
  readonly value: Buffer | null;
  readonly headers: MessageHeaders;
  /** Epoch milliseconds, set by the producer (CreateTime), or by the broker on topics with LogAppendTime. */
  readonly timestampMs: number;
}

/** Without `partition`, the key determines it; without both, the publisher chooses. `timestampMs` defaults to now. */
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

/** A position in a partition: the next offset to be read. If it is committed, all messages below it are done. */
export interface PartitionOffset extends TopicPartition {
  readonly offset: number;
}

/** From `from` up to but not including `to`. */
export interface OffsetRange extends TopicPartition {
  readonly from: number;
  readonly to: number;
}

export function partitionId(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
