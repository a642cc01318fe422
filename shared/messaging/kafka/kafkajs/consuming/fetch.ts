import kafkajs, { type Cluster, type Consumer, type ConsumerConfig, type Kafka } from 'kafkajs';
import type { FetchAnswer, FetchClient, TopicLeaders } from '../../common/consuming/fetch.ts';
import type { PartitionOffset } from '../../../message.ts';
import type { CreateKafkajsClient } from '../connection/client.ts';
import { brokerErrorName, fetchBytes, type BytesAnswer } from '../patches/fetches.ts';

/** A failed request is repeated by its reader, at the leader of that time. */
const RETRY = { retries: 0 };
const MIN_BYTES = 1;
/** Records of open and aborted transactions are not delivered. */
const READ_COMMITTED = 1;

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

/** Creates clients for the fetches of one reader: consumers that never join a group. */
export function kafkajsFetches(createClient: CreateKafkajsClient) {
  return (clientId: string): Omit<FetchClient, 'onUnreadable'> => {
    const { kafka, connections } = createClient({ clientId, retry: RETRY });
    const { consumer, cluster } = consumerOf(kafka, { groupId: clientId });
    consumer.on(consumer.events.REQUEST_TIMEOUT, ({ payload }) => connections.close(payload.broker));
    return {
      leaders: async (topics) => {
        await consumer.connect();
        await cluster.addMultipleTargetTopics([...topics]);
        await cluster.refreshMetadata();
        return leadersOf(cluster, topics);
      },
      fetch: async (node, partitions, { maxWaitMs, maxBytes, maxBytesPerPartition }) => {
        const broker = await cluster.findBroker({ nodeId: String(node) });
        const topics = byTopic(partitions, maxBytesPerPartition);
        const request = { topics, maxWaitTime: maxWaitMs, minBytes: MIN_BYTES, maxBytes };
        return toAnswers(
          await fetchBytes(() => broker.fetch({ ...request, isolationLevel: READ_COMMITTED })),
        );
      },
      earliest: async (_node, { topic, partition }) => {
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

function leadersOf(cluster: Cluster, topics: readonly string[]): TopicLeaders {
  const alive = new Set(cluster.getNodeIds().map(Number));
  return new Map(
    topics.map((topic) => {
      const partitions = cluster.findTopicPartitionMetadata(topic);
      const leaders = partitions.map(() => -1);
      for (const { partitionId, leader } of partitions) {
        if (partitionId in leaders && alive.has(leader)) leaders[partitionId] = leader;
      }
      return [topic, { leaders }];
    }),
  );
}

function byTopic(partitions: readonly PartitionOffset[], maxBytes: number) {
  return [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, list]) => ({
    topic,
    partitions: list.map(({ partition, offset }) => ({ partition, fetchOffset: String(offset), maxBytes })),
  }));
}

function toAnswers({ responses }: BytesAnswer): FetchAnswer[] {
  return responses.flatMap(({ topicName: topic, partitions }) =>
    partitions.map(({ partition, errorCode, lastStableOffset, abortedTransactions, messages: records }) => ({
      topic,
      partition,
      error: brokerErrorName(errorCode),
      stableEnd: Number(lastStableOffset),
      aborted: abortedTransactions.map(({ producerId, firstOffset }) => {
        return { producerId: BigInt(producerId), firstOffset: Number(firstOffset) };
      }),
      records,
    })),
  );
}
