/** Plain kafkajs as in its documentation, the baseline for the message runtime. */

import { Kafka, logLevel, Partitioners, type Consumer, type ConsumerRunConfig, type Producer } from 'kafkajs';

export function rawKafka(brokers: readonly string[], clientId: string): Kafka {
  return new Kafka({ clientId, brokers: [...brokers], logLevel: logLevel.NOTHING });
}

export async function rawProducer(kafka: Kafka): Promise<Producer> {
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  return producer;
}

/** Runs a consumer from the beginning of a topic; resolves when partitions are assigned. */
export async function runConsumer(
  kafka: Kafka,
  options: { readonly topic: string; readonly groupId: string; readonly sessionMs: number },
  run: ConsumerRunConfig,
): Promise<Consumer> {
  const consumer = kafka.consumer({
    groupId: options.groupId,
    sessionTimeout: options.sessionMs,
    allowAutoTopicCreation: false,
  });
  await consumer.connect();
  await consumer.subscribe({ topic: options.topic, fromBeginning: true });
  const joined = new Promise<void>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, () => resolve());
  });
  await consumer.run(run);
  await joined;
  return consumer;
}

/** Deletes all topics whose names start with the prefix. */
export async function deleteTopics(brokers: readonly string[], prefix: string): Promise<void> {
  const admin = rawKafka(brokers, 'bench-admin').admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
  await admin.deleteTopics({ topics });
  await admin.disconnect();
}
