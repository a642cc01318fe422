import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import {
  committedBatches,
  openBatches,
  readMessages,
  type AbortedTransaction,
  type UnreadableBatch,
} from './record-batches.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/**
 * Limits of a fetch per partition and in total (a single larger batch is still returned whole). They are small because a response
 * is decoded in one turn of the event loop; a reader has at most one fetch per broker, so they also bound its memory.
 */
const MAX_BYTES_PER_PARTITION = 256 * KIB;
const MAX_BYTES_PER_FETCH = 2 * MIB;

/** Kafka's name for the error of a position that has no record: removed by retention, or beyond the end. */
export const OUT_OF_RANGE = 'OFFSET_OUT_OF_RANGE';

/** The leaders of topics, by name. */
export type TopicLeaders = ReadonlyMap<
  string,
  {
    /** Kafka's name of the error, for example of a topic that does not exist. */
    readonly error?: string | undefined;
    /** Node id of each partition's leader; -1: none that is alive. */
    readonly leaders: readonly number[];
  }
>;

/** Limits of a request; a larger record batch is still returned whole if it is the first one. */
export interface FetchLimits {
  /** The broker waits this long for the first byte. */
  readonly maxWaitMs: number;
  readonly maxBytes: number;
  readonly maxBytesPerPartition: number;
}

/** What a broker returned for one partition. */
export interface FetchAnswer extends TopicPartition {
  /** Kafka's name of the error. */
  readonly error: string | undefined;
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  readonly aborted: readonly AbortedTransaction[];
  readonly records: Buffer;
}

/** What a client library has to offer to one reader, on connections of its own. All calls reject with its errors. */
export interface FetchClient {
  leaders(topics: readonly string[]): Promise<TopicLeaders>;
  /** One request to the broker with this node id, which leaders() has returned. */
  fetch(
    node: number,
    partitions: readonly PartitionOffset[],
    limits: FetchLimits,
  ): Promise<readonly FetchAnswer[]>;
  /** The first retained offset. */
  earliest(node: number, partition: TopicPartition): Promise<number>;
  /** Reports a record batch that was skipped. */
  onUnreadable(place: TopicPartition, batch: UnreadableBatch): void;
  /** Closes all connections immediately and permanently: pending requests fail. */
  destroy(): void;
}

export type CreateFetchClient = (clientId: string) => FetchClient;

/** The messages that a broker returned for one partition. */
export interface FetchedRecords extends TopicPartition {
  /** The requested offset. */
  readonly from: number;
  /** The next offset to be requested; `from` if there was no complete batch, and after an error. */
  readonly position: number;
  /**
   * There is no other message before it. `stableEnd` if no partition has records: then the size limit has omitted none, and the offsets
   * up to it have none (compaction).
   */
  readonly readTo: number;
  readonly messages: readonly LogMessage[];
  /** The last stable offset. */
  readonly stableEnd: number;
  /** Kafka's name of the error. */
  readonly error: string | undefined;
}

/** Fetches from the leader of these partitions, and reports unreadable batches. Rejects with the errors of the client. */
export async function fetchFrom(
  client: FetchClient,
  node: number,
  partitions: readonly PartitionOffset[],
  maxWaitMs: number,
): Promise<readonly FetchedRecords[]> {
  const limits = { maxWaitMs, maxBytes: MAX_BYTES_PER_FETCH, maxBytesPerPartition: MAX_BYTES_PER_PARTITION };
  const answers = await client.fetch(node, partitions, limits);
  const requested = new Map(partitions.map((one) => [partitionId(one.topic, one.partition), one.offset]));
  const isEmpty = answers.every(({ records }) => records.length === 0);
  const fetched: FetchedRecords[] = [];
  for (const { topic, partition, error, stableEnd, aborted, records } of answers) {
    const from = requested.get(partitionId(topic, partition));
    if (from === undefined) continue;
    const place = { topic, partition, from };
    const batches = await openBatches(records);
    const messages: LogMessage[] = [];
    for (const batch of committedBatches(batches, aborted)) {
      const read = readMessages(place, batch);
      if ('reason' in read) client.onUnreadable(place, read);
      else messages.push(...read);
    }
    const last = batches.at(-1);
    const position = last === undefined ? from : last.lastOffset + 1;
    const readTo = isEmpty ? Math.max(position, stableEnd) : position;
    fetched.push({ ...place, position, readTo, messages, stableEnd, error });
  }
  return fetched;
}
