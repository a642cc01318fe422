import { createAPI, listOffsetsV5, Writer, type API, type Reader } from '@platformatic/kafka';
import { checkBatches } from '../../common/batches/check-batches.ts';
import {
  encodeFetchRequest,
  FETCH_VERSION,
  type FetchLimits,
  type RequestedTopic,
} from '../../common/batches/fetch-request.ts';
import { readFetchResponse, type PartitionAnswer } from '../../common/batches/fetch-response.ts';
import { beginDecompression, decodeBatches } from '../../common/batches/records.ts';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import type { PlatformaticClient } from '../connection/client.ts';
import type { BrokerAddress } from '../connection/connections.ts';
import { brokerError, brokerErrorName } from '../connection/errors.ts';
import { decompress } from './compression.ts';

/** What a broker returned for one partition. */
export interface FetchedRecords extends TopicPartition {
  /** The requested offset. */
  readonly from: number;
  /** The next offset to be requested; `from` if there was no complete batch, and after an error. */
  readonly position: number;
  readonly messages: readonly LogMessage[];
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  /**
   * No partition before it in the request has records, so the size limit omitted none of its own: if it has no records, there
   * is none between `from` and `stableEnd`.
   */
  readonly isExhaustive: boolean;
  /** Kafka's name of the error. */
  readonly error: string | undefined;
}

const FETCH_KEY = 1;
/** Records of open and aborted transactions are not delivered. */
const READ_COMMITTED = 1;
const NO_LEADER_EPOCH = -1;
const NO_REPLICA = -1;
const NO_MESSAGES: readonly LogMessage[] = [];
const NO_BYTES = Buffer.alloc(0);
/** Stands for the first retained offset instead of a time. */
const EARLIEST = -2n;

/** Kafka's name for the error of record batches that fail their check. */
export const CORRUPT = 'CORRUPT_MESSAGE';
/** Kafka's name for the error of a position that has no record: removed by retention, or beyond the end. */
export const OUT_OF_RANGE = 'OFFSET_OUT_OF_RANGE';

/**
 * Fetches from the leader of these partitions, in their order, which Kafka keeps within the size limit. Reports unreadable
 * batches to the client. Rejects with the errors of the client; an invalid response closes the connection.
 */
export async function fetchFrom(
  client: PlatformaticClient,
  broker: BrokerAddress,
  partitions: readonly PartitionOffset[],
  limits: FetchLimits,
): Promise<readonly FetchedRecords[]> {
  const { partitions: answers } = await client.send(broker, [fetchApi(partitions, limits)]);
  const fetched: FetchedRecords[] = [];
  let isExhaustive = true;
  const decompression = beginDecompression(decompress);
  for (const { topic, partition, offset } of partitions) {
    const answer = answers.get(partitionId(topic, partition));
    if (answer === undefined) continue;
    const { stableEnd, error, records: bytes, aborted } = answer;
    const place = { topic, partition, from: offset };
    const decoded =
      bytes.length === 0 ? undefined : await decodeBatches({ ...place, bytes, aborted }, decompression);
    for (const batch of decoded?.unreadable ?? []) client.onUnreadable(place, batch);
    const { messages, position } = decoded ?? { messages: NO_MESSAGES, position: offset };
    fetched.push({ ...place, position, messages, stableEnd, isExhaustive, error });
    if (bytes.length > 0 || error === CORRUPT) isExhaustive = false;
  }
  return fetched;
}

/** The first retained offset of a partition, from its leader. Rejects with the errors of the client. */
export async function earliestOffset(
  client: PlatformaticClient,
  broker: BrokerAddress,
  { topic, partition }: TopicPartition,
): Promise<number> {
  const wanted = [{ partitionIndex: partition, currentLeaderEpoch: NO_LEADER_EPOCH, timestamp: EARLIEST }];
  const answer = await client.send(broker, [listOffsetsV5.api], NO_REPLICA, READ_COMMITTED, [
    { name: topic, partitions: wanted },
  ]);
  return Number(answer.topics[0]?.partitions[0]?.offset ?? 0);
}

interface Answer {
  /** As in the responses of the library. */
  readonly throttleTimeMs: number;
  readonly partitions: ReadonlyMap<string, SoundAnswer>;
}

interface SoundAnswer extends Omit<PartitionAnswer, 'errorCode'> {
  readonly error: string | undefined;
}

function fetchApi(partitions: readonly PartitionOffset[], limits: FetchLimits): API<[], Answer> {
  const requested = new Map(
    partitions.map(({ topic, partition, offset }) => [partitionId(topic, partition), offset]),
  );
  return createAPI<[], Answer>(
    FETCH_KEY,
    FETCH_VERSION,
    () => Writer.create().append(encodeFetchRequest(byTopicInOrder(partitions), limits)),
    (_correlationId, _key, _version, reader) => parseAnswer(reader, requested),
    false,
    false,
  );
}

/** Runs of partitions of the same topic: a topic may occur repeatedly, so that the order is kept. */
function byTopicInOrder(partitions: readonly PartitionOffset[]): readonly RequestedTopic[] {
  const runs: { topic: string; partitions: { partition: number; fetchOffset: number }[] }[] = [];
  for (const { topic, partition, offset } of partitions) {
    const one = { partition, fetchOffset: offset };
    const last = runs.at(-1);
    if (last?.topic === topic) last.partitions.push(one);
    else runs.push({ topic, partitions: [one] });
  }
  return runs;
}

/** Throws on a response that readFetchResponse() does not read. */
function parseAnswer({ buffer }: Reader, requested: ReadonlyMap<string, number>): Answer {
  const { throttleMs, errorCode, partitions } = readFetchResponse(FETCH_VERSION, buffer.buffer, requested);
  if (errorCode !== 0) throw brokerError(errorCode);
  const answers = new Map(
    partitions.map((answer) => [partitionId(answer.topic, answer.partition), withSoundBatches(answer)]),
  );
  return { throttleTimeMs: throttleMs, partitions: answers };
}

/**
 * The answer, or the error CORRUPT_MESSAGE in place of batches that are damaged: on the disk of the broker, which concerns this
 * partition only, or on the way, in which case the next fetch succeeds.
 */
function withSoundBatches({ errorCode, ...answer }: PartitionAnswer): SoundAnswer {
  try {
    checkBatches(answer.records, answer.from);
    return { ...answer, error: brokerErrorName(errorCode) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...answer, error: CORRUPT, records: NO_BYTES };
  }
}
