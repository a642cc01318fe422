import kafkajs, { type Cluster, type Consumer, type ConsumerConfig, type Kafka } from 'kafkajs';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import type { CreateKafkajsClient } from '../../kafkajs/connection/client.ts';
import { brokerErrorName, fetchBytes, type PartitionBytes } from '../../kafkajs/patches/fetches.ts';
import { committedBatches, openBatches, readMessages, type UnreadableBatch } from './record-batches.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** A failed request is repeated by its reader, at the leader of that time. */
const RETRY = { retries: 0 };
const MIN_BYTES = 1;
/**
 * Limits of a fetch per partition and in total (a single larger batch is still returned whole). They are small because a response
 * is decoded in one turn of the event loop; a reader has at most one fetch per broker, so they also bound its memory.
 */
const MAX_BYTES_PER_PARTITION = 256 * KIB;
const MAX_BYTES_PER_FETCH = 2 * MIB;
/** Records of open and aborted transactions are not delivered. */
const READ_COMMITTED = 1;

/** Kafka's name for the error of a position that has no record: removed by retention, or beyond the end. */
export const OUT_OF_RANGE = 'OFFSET_OUT_OF_RANGE';

/** Node ids of the leaders by topic and partition; -1: none that is alive. */
export type TopicLeaders = ReadonlyMap<string, readonly number[]>;

/** The requests of one reader, on connections of its own. All calls reject with the errors of kafkajs. */
export interface FetchClient {
  /** Rejects also if one of the topics does not exist, or may not be read. */
  leaders(topics: readonly string[]): Promise<TopicLeaders>;
  /** One request to the broker with this node id, which leaders() has returned; it waits at most `maxWaitMs` for a record. */
  fetch(
    node: number,
    partitions: readonly PartitionOffset[],
    maxWaitMs: number,
  ): Promise<readonly FetchedRecords[]>;
  /** The first retained offset. */
  earliest(partition: TopicPartition): Promise<number>;
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
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  /** Kafka's name of the error. */
  readonly error: string | undefined;
}

/** Reports a record batch that was skipped. */
type OnUnreadable = (place: TopicPartition, batch: UnreadableBatch) => void;

/** A consumer, and the requests of its library to the cluster, which kafkajs gives to partition assigners. */
export function consumerOf(kafka: Kafka, config: ConsumerConfig): { consumer: Consumer; cluster: Cluster } {
  let cluster: Cluster | undefined;
  const consumer = kafka.consumer({
    ...config,
    allowAutoTopicCreation: false,
    partitionAssigners: [
      (parts) => {
        cluster = parts.cluster;
        return kafkajs.PartitionAssigners.roundRobin(parts);
      },
    ],
  });
  if (cluster === undefined) throw new Error('kafkajs has created no partition assigner');
  return { consumer, cluster };
}

/** Creates the clients of readers: consumers that never join a group. */
export function fetchClients(
  createClient: CreateKafkajsClient,
  onUnreadable: OnUnreadable,
): CreateFetchClient {
  return (clientId) => {
    const { kafka, connections } = createClient({ clientId, retry: RETRY });
    const { consumer, cluster } = consumerOf(kafka, { groupId: clientId });
    consumer.on(consumer.events.REQUEST_TIMEOUT, ({ payload }) => connections.close(payload.broker));
    return {
      leaders: async (topics) => {
        await consumer.connect();
        await cluster.addMultipleTargetTopics([...topics]);
        await cluster.refreshMetadata();
        return new Map(topics.map((topic) => [topic, leadersOf(cluster, topic)]));
      },
      fetch: async (node, partitions, maxWaitMs) => {
        const broker = await cluster.findBroker({ nodeId: String(node) });
        const request = {
          topics: byTopic(partitions),
          maxWaitTime: maxWaitMs,
          minBytes: MIN_BYTES,
          maxBytes: MAX_BYTES_PER_FETCH,
          isolationLevel: READ_COMMITTED,
        };
        const answers = await fetchBytes(() => broker.fetch(request));
        return readAnswers(partitions, answers, onUnreadable);
      },
      earliest: async ({ topic, partition }) => {
        const wanted = [{ topic, partitions: [{ partition }], fromBeginning: true as const }];
        const [found] = await cluster.fetchTopicsOffset(wanted);
        return Number(found?.partitions[0]?.offset ?? 0);
      },
      destroy: () => {
        connections.destroy();
        consumer.disconnect().catch(() => undefined);
      },
    };
  };
}

function leadersOf(cluster: Cluster, topic: string): readonly number[] {
  const alive = new Set(cluster.getNodeIds().map(Number));
  const partitions = cluster.findTopicPartitionMetadata(topic);
  const leaders = partitions.map(() => -1);
  for (const { partitionId: partition, leader } of partitions) {
    if (partition in leaders && alive.has(leader)) leaders[partition] = leader;
  }
  return leaders;
}

function byTopic(partitions: readonly PartitionOffset[]) {
  return [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, list]) => ({
    topic,
    partitions: list.map(({ partition, offset }) => {
      return { partition, fetchOffset: String(offset), maxBytes: MAX_BYTES_PER_PARTITION };
    }),
  }));
}

async function readAnswers(
  partitions: readonly PartitionOffset[],
  answers: readonly PartitionBytes[],
  onUnreadable: OnUnreadable,
): Promise<readonly FetchedRecords[]> {
  const requested = new Map(partitions.map((one) => [partitionId(one.topic, one.partition), one.offset]));
  const isEmpty = answers.every(({ messages }) => messages.length === 0);
  const fetched: FetchedRecords[] = [];
  for (const answer of answers) {
    const { topic, partition } = answer;
    const from = requested.get(partitionId(topic, partition));
    if (from === undefined) continue;
    const place = { topic, partition, from };
    const batches = await openBatches(answer.messages);
    const messages: LogMessage[] = [];
    const aborted = answer.abortedTransactions.map(({ producerId, firstOffset }) => {
      return { producerId: BigInt(producerId), firstOffset: Number(firstOffset) };
    });
    for (const batch of committedBatches(batches, aborted)) {
      const read = readMessages(place, batch);
      if ('reason' in read) onUnreadable(place, read);
      else messages.push(...read);
    }
    const last = batches.at(-1);
    const position = last === undefined ? from : last.lastOffset + 1;
    const stableEnd = Number(answer.lastStableOffset);
    const readTo = isEmpty ? Math.max(position, stableEnd) : position;
    fetched.push({
      ...place,
      position,
      readTo,
      messages,
      stableEnd,
      error: brokerErrorName(answer.errorCode),
    });
  }
  return fetched;
}
