import { checkBatches, type UnreadableBatch } from '../../common/batches/check-batches.ts';
import { decompressByZlib } from '../../common/batches/compression.ts';
import {
  encodeFetchRequest,
  FETCH_VERSION,
  type FetchLimits,
  type RequestedTopic,
} from '../../common/batches/fetch-request.ts';
import { readFetchResponse, type PartitionAnswer } from '../../common/batches/fetch-response.ts';
import { beginDecompression, decodeBatches, type DecodedRecords } from '../../common/batches/records.ts';
import { partitionId, type LogMessage, type TopicPartition } from '../../../message.ts';

/** A broker's response to one fetch request. */
export interface FetchAnswer {
  /** No partition has records, so none was omitted because of the size limit. */
  readonly isEmpty: boolean;
  readonly partitions: readonly FetchedPartition[];
}

export interface FetchedPartition extends TopicPartition {
  /** The requested offset: the consumer has delivered all messages below it. */
  readonly from: number;
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  readonly isEmpty: boolean;
  readonly unreadable: readonly UnreadableBatch[];
}

/**
 * The only record of a partition in a response as kafkajs sees it: it moves the position behind all fetched records. It has no
 * messages when these are markers of transactions, of aborted ones, unreadable, or removed by compaction.
 */
export interface FetchedMessages {
  /** The last fetched offset. */
  readonly offset: string;
  readonly messages: readonly LogMessage[];
}

/** A fetch request of kafkajs. */
export interface FetchRequest {
  /** How long the broker waits for records, in milliseconds. */
  readonly maxWaitTime: number;
  readonly maxBytes: number;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly (RequestedTopic['partitions'][number] & { readonly maxBytes: number })[];
  }[];
}

/** A decoded fetch response as kafkajs has it. */
export interface KafkajsFetchResponse {
  readonly clientSideThrottleTime?: number;
  /** Partitions with records or an error; kafkajs would handle each of the others, and send a heartbeat for it. */
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly errorCode: number;
      readonly highWatermark: string;
      readonly preferredReadReplica: number;
      readonly messages: readonly FetchedMessages[];
    }[];
  }[];
  readonly answer: FetchAnswer;
}

/** From this version on, the client waits for the throttle time; before, the broker has done so. */
const CLIENT_THROTTLES = 8;
const NO_REPLICA = -1;

/** The request in the form of an encoder of kafkajs; undefined for versions that only old brokers need. */
export function encodeFetch(
  version: number,
  { maxWaitTime, maxBytes, topics }: FetchRequest,
): { readonly buf: Buffer; readonly buffer: Buffer } | undefined {
  if (version !== FETCH_VERSION) return undefined;
  const maxBytesPerPartition = topics[0]?.partitions[0]?.maxBytes ?? maxBytes;
  const limits: FetchLimits = { maxWaitMs: maxWaitTime, maxBytes, maxBytesPerPartition };
  // kafkajs mixes the partitions of all topics. In their order each topic follows once, which is less to read for the broker.
  const byTopic = Map.groupBy(topics, ({ topic }) => topic);
  const requested = Array.from(byTopic, ([topic, runs]) => ({
    topic,
    partitions: runs.flatMap(({ partitions }) => partitions),
  }));
  const buffer = encodeFetchRequest(requested, limits);
  return { buf: buffer, buffer };
}

/**
 * Decodes a response in place of kafkajs, which delivers records without checking their checksum ("the library is currently not
 * performing CRC validations"), silently truncates values that do not fit, accepts partitions that were not requested, ends at a
 * batch that it cannot decompress, and needs twice the time. Rejects unless the response is sound to the last byte
 * (readFetchResponse, checkBatches). Unreadable batches are skipped and listed in the answer.
 */
export async function decodeFetch(
  version: number,
  raw: Buffer,
  topics: readonly RequestedTopic[],
): Promise<KafkajsFetchResponse> {
  const requested = new Map<string, number>();
  for (const { topic, partitions } of topics) {
    for (const { partition, fetchOffset } of partitions)
      requested.set(partitionId(topic, partition), Number(fetchOffset));
  }
  const response = readFetchResponse(version, raw, requested);
  for (const { records, from } of response.partitions) checkBatches(records, from);
  const decompression = beginDecompression(decompressByZlib);
  const fetched: FetchedPartition[] = [];
  const responses: KafkajsFetchResponse['responses'][number][] = [];
  for (const answer of response.partitions) {
    const { topic, partition, from, stableEnd, records: bytes } = answer;
    const isEmpty = bytes.length === 0;
    const decoded = isEmpty ? undefined : await decodeBatches({ ...answer, bytes }, decompression);
    fetched.push({ topic, partition, from, stableEnd, isEmpty, unreadable: decoded?.unreadable ?? [] });
    const messages = toKafkajsRecords(from, decoded);
    if (messages.length > 0 || answer.errorCode !== 0) responses.push(toKafkajsResponse(answer, messages));
  }
  return {
    clientSideThrottleTime: version < CLIENT_THROTTLES ? 0 : response.throttleMs,
    responses,
    answer: { isEmpty: fetched.every(({ isEmpty }) => isEmpty), partitions: fetched },
  };
}

function toKafkajsRecords(from: number, decoded: DecodedRecords | undefined): FetchedMessages[] {
  if (decoded === undefined || decoded.position === from) return [];
  const { messages, position } = decoded;
  return [{ offset: String(position - 1), messages }];
}

function toKafkajsResponse(
  { topic, partition, errorCode, stableEnd }: PartitionAnswer,
  messages: readonly FetchedMessages[],
): KafkajsFetchResponse['responses'][number] {
  const one = { partition, errorCode, highWatermark: String(stableEnd), messages };
  return { topicName: topic, partitions: [{ ...one, preferredReadReplica: NO_REPLICA }] };
}
