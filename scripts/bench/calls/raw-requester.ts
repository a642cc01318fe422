import { randomUUID } from 'node:crypto';
import { rawKafka, rawProducer, runConsumer } from '../raw-kafka.ts';

export interface RawRequester {
  /** Sends one message, and receives one with the same correlation id. */
  request(): Promise<void>;
  stop(): Promise<void>;
}

const SESSION_MS = 6_000;

/** The requester of the raw round trip: one send() per request, without codec and HTTP. */
export async function startRawRequester(options: {
  readonly brokers: readonly string[];
  readonly requestTopic: string;
  readonly replyTopic: string;
  readonly partitions: number;
  readonly requestBytes: number;
}): Promise<RawRequester> {
  const { requestTopic, replyTopic } = options;
  const kafka = rawKafka(options.brokers, 'raw-requester');
  const producer = await rawProducer(kafka);
  const pending = new Map<string, () => void>();
  const group = { topic: replyTopic, groupId: `${replyTopic}.requester`, sessionMs: SESSION_MS };
  const consumer = await runConsumer(kafka, group, {
    partitionsConsumedConcurrently: options.partitions,
    eachMessage: async ({ message }) => {
      const correlationId = message.headers?.['kafka_correlationId'] as Buffer;
      const id = correlationId.toString('latin1');
      const resolve = pending.get(id);
      pending.delete(id);
      resolve?.();
    },
  });
  const value = Buffer.alloc(options.requestBytes, 0x61);
  return {
    request: () =>
      new Promise((resolve, reject) => {
        const id = randomUUID();
        pending.set(id, resolve);
        const headers = { kafka_correlationId: id, kafka_replyTopic: replyTopic };
        producer
          .send({ topic: requestTopic, acks: -1, messages: [{ key: id, value, headers }] })
          .catch(reject);
      }),
    stop: async () => {
      await consumer.disconnect();
      await producer.disconnect();
    },
  };
}
