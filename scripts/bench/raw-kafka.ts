import { Kafka, logLevel, Partitioners, type Consumer, type ConsumerRunConfig, type Producer } from 'kafkajs';

/** Plain kafkajs as its documentation shows it: what the message runtime is measured against. */

const SESSION_MS = 6_000;

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

/** A consumer that is assigned when this resolves. */
export function rawConsumer(
  kafka: Kafka,
  options: { topic: string; groupId: string; partitions: number },
  onMessage: (value: Buffer, headers: Record<string, unknown>) => void,
): Promise<Consumer> {
  return runConsumer(
    kafka,
    { ...options, sessionMs: SESSION_MS },
    {
      partitionsConsumedConcurrently: options.partitions,
      eachMessage: ({ message }) => {
        if (message.value !== null) onMessage(message.value, message.headers ?? {});
        return Promise.resolve();
      },
    },
  );
}

/** Runs a consumer from the beginning of a topic; resolves when it is assigned. */
export async function runConsumer(
  kafka: Kafka,
  options: { topic: string; groupId: string; sessionMs: number },
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
