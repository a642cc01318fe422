import kafkajs from 'kafkajs';
import { partitionId } from '../message.ts';
import { ACKS_TIMEOUT_MS, checkConfirmed, isLarge } from './kafka-publisher.ts';
import type { ConnectProducer, OutgoingRecord } from './kafka-publisher.ts';
import { NO_HEADER_VALUE, valuesOf } from '../headers.ts';
import type { CreateKafkajsClient } from './kafkajs-client.ts';

const { CompressionTypes } = kafkajs;
const CONNECT_RETRY = { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 };
const ALL_IN_SYNC_REPLICAS = -1;

export function kafkajsProducers(createClient: CreateKafkajsClient): ConnectProducer {
  return async (clientId) => {
    const { kafka, connections } = createClient({ clientId, retry: CONNECT_RETRY });
    const producer = kafka.producer({
      idempotent: false,
      allowAutoTopicCreation: false,
      // The publisher repeats failed sends itself, and has chosen the partitions.
      retry: { retries: 0 },
      createPartitioner: () => (args) => args.message.partition ?? 0,
    });
    const destroy = () => {
      connections.destroy();
      producer.disconnect().catch(() => undefined);
    };
    try {
      await producer.connect();
    } catch (error) {
      destroy();
      throw error;
    }
    return {
      send: async (records) => {
        const byTopic = [...Map.groupBy(records, ({ topic }) => topic)];
        const topicMessages = byTopic.map(([topic, own]) => ({ topic, messages: own.map(toMessage) }));
        const compression = isLarge(records) ? CompressionTypes.GZIP : CompressionTypes.None;
        const batch = { acks: ALL_IN_SYNC_REPLICAS, timeout: ACKS_TIMEOUT_MS, compression, topicMessages };
        const answers = await producer.sendBatch(batch);
        // For a partition that its metadata lacks, kafkajs reports success without sending.
        const confirmed = answers.map(({ topicName, partition }) => partitionId(topicName, partition));
        checkConfirmed(records, confirmed);
      },
      destroy,
    };
  };
}

/** Without timestamps on all records, kafkajs computes a wrong maximum. It cannot write headers without a value. */
function toMessage({ key, value, partition, headers = {}, timestampMs }: OutgoingRecord) {
  const entries = Object.entries(headers).map(([name, header]) => {
    return [name, valuesOf(header).filter((one) => one !== NO_HEADER_VALUE)] as const;
  });
  return { key, value, partition, headers: Object.fromEntries(entries), timestamp: String(timestampMs) };
}
