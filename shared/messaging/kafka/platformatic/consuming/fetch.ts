import { createAPI, fetchV11, listOffsetsV5, type API, type Reader } from '@platformatic/kafka';
import {
  committedBatches,
  openBatches,
  readMessages,
  type AbortedTransaction,
} from '../../common/consuming/record-batches.ts';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import type { BrokerAddress, PlatformaticClient } from '../connection/client.ts';
import { brokerError, brokerErrorName } from '../connection/errors.ts';

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

/** Limits of a fetch. A larger record batch is still returned whole if it is the first one. */
interface FetchLimits {
  /** The broker waits this long for the first byte. */
  readonly maxWaitMs: number;
  readonly maxBytes: number;
  readonly maxBytesPerPartition: number;
}

const FETCH_KEY = 1;
/** The last version with topic names and without compact encodings; Kafka 2.3 to 4 support it. */
const FETCH_VERSION = 11;
const MIN_BYTES = 1;
/** No fetch session: each request lists all its partitions. */
const NO_SESSION = -1;
const NO_RACK = '';
/** Records of open and aborted transactions are not delivered. */
const READ_COMMITTED = 1;
const NO_LEADER_EPOCH = -1;
const NO_REPLICA = -1;
/** Stands for the first retained offset instead of a time. */
const EARLIEST = -2n;

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
  const answers = await client.send(broker, fetchApi(partitions, limits));
  const fetched: FetchedRecords[] = [];
  let isExhaustive = true;
  for (const { topic, partition, offset } of partitions) {
    const answer = answers.get(partitionId(topic, partition));
    if (answer === undefined) continue;
    const { stableEnd, error, records, aborted } = answer;
    const place = { topic, partition, from: offset };
    const batches = await openBatches(records);
    const messages: LogMessage[] = [];
    for (const batch of committedBatches(batches, aborted)) {
      const read = readMessages(place, batch);
      if ('reason' in read) client.onUnreadable(place, read);
      else messages.push(...read);
    }
    const last = batches.at(-1);
    const position = last === undefined ? offset : last.lastOffset + 1;
    fetched.push({ ...place, position, messages, stableEnd, isExhaustive, error });
    if (records.length > 0) isExhaustive = false;
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
  const answer = await client.send(broker, listOffsetsV5.api, NO_REPLICA, READ_COMMITTED, [
    { name: topic, partitions: wanted },
  ]);
  return Number(answer.topics[0]?.partitions[0]?.offset ?? 0);
}

/** What a broker returned for one partition. */
interface Answer {
  readonly error: string | undefined;
  readonly stableEnd: number;
  readonly aborted: readonly AbortedTransaction[];
  readonly records: Buffer;
}

type Answers = ReadonlyMap<string, Answer>;

/** The request of the library; its response is read here, since the library decompresses records without a limit. */
function fetchApi(partitions: readonly PartitionOffset[], limits: FetchLimits): API<[], Answers> {
  const { maxWaitMs, maxBytes, maxBytesPerPartition } = limits;
  const topics = byTopicInOrder(partitions, maxBytesPerPartition);
  return createAPI<[], Answers>(
    FETCH_KEY,
    FETCH_VERSION,
    () =>
      fetchV11.createRequest(
        maxWaitMs,
        MIN_BYTES,
        maxBytes,
        READ_COMMITTED,
        0,
        NO_SESSION,
        topics,
        [],
        NO_RACK,
      ),
    (_correlationId, _key, _version, reader) => readAnswers(reader),
    false,
    false,
  );
}

/** Runs of partitions of the same topic: a topic may occur repeatedly, so that the order is kept. */
function byTopicInOrder(partitions: readonly PartitionOffset[], partitionMaxBytes: number) {
  const runs: { topicId: string; partitions: fetchV11.FetchRequestPartition[] }[] = [];
  for (const { topic, partition, offset } of partitions) {
    const one = {
      partition,
      currentLeaderEpoch: NO_LEADER_EPOCH,
      fetchOffset: BigInt(offset),
      lastFetchedEpoch: NO_LEADER_EPOCH,
      partitionMaxBytes,
    };
    const last = runs.at(-1);
    if (last?.topicId === topic) last.partitions.push(one);
    else runs.push({ topicId: topic, partitions: [one] });
  }
  return runs;
}

function readAnswers(reader: Reader): Answers {
  const answers = new Map<string, Answer>();
  // The throttle time.
  reader.readInt32();
  const errorCode = reader.readInt16();
  if (errorCode !== 0) throw brokerError(errorCode);
  // The session.
  reader.readInt32();
  reader.readArray(
    () => {
      const topic = reader.readString(false);
      reader.readArray(
        () => answers.set(partitionId(topic, reader.readInt32()), readAnswer(reader)),
        false,
        false,
      );
    },
    false,
    false,
  );
  return answers;
}

function readAnswer(reader: Reader): Answer {
  const error = brokerErrorName(reader.readInt16());
  // The next offset to be written.
  reader.readInt64();
  const stableEnd = Number(reader.readInt64());
  // The first retained offset.
  reader.readInt64();
  const aborted = reader.readNullableArray(
    () => ({ producerId: reader.readInt64(), firstOffset: Number(reader.readInt64()) }),
    false,
    false,
  );
  // The preferred replica, which needs a rack in the request.
  reader.readInt32();
  return { error, stableEnd, aborted: aborted ?? [], records: reader.readNullableBytes(false) ?? NO_BYTES };
}

const NO_BYTES = Buffer.alloc(0);
