import { randomUUID } from 'node:crypto';
import { rawConsumer, rawKafka, rawProducer } from './raw-client.ts';

export interface RawRequester {
  /** One message out, one message back under the same correlation id. */
  request(): Promise<void>;
  stop(): Promise<void>;
}

/** The requester's half of the raw ping-pong: one send() per request, no codec, no HTTP. */
export async function startRawRequester(options: {
  brokers: readonly string[];
  requestTopic: string;
  replyTopic: string;
  partitions: number;
  requestBytes: number;
}): Promise<RawRequester> {
  const kafka = rawKafka(options.brokers, 'raw-requester');
  const producer = await rawProducer(kafka);
  const pending = new Map<string, () => void>();
  const consumer = await rawConsumer(
    kafka,
    { topic: options.replyTopic, groupId: `${options.replyTopic}.requester`, partitions: options.partitions },
    (_, headers) => {
      const id = (headers.kafka_correlationId as Buffer).toString('latin1');
      const resolve = pending.get(id);
      pending.delete(id);
      resolve?.();
    },
  );
  const value = Buffer.alloc(options.requestBytes, 0x61);
  return {
    request: () =>
      new Promise((resolve, reject) => {
        const id = randomUUID();
        pending.set(id, resolve);
        producer
          .send({
            topic: options.requestTopic,
            acks: -1,
            messages: [
              { key: id, value, headers: { kafka_correlationId: id, kafka_replyTopic: options.replyTopic } },
            ],
          })
          .catch(reject);
      }),
    stop: async () => {
      await consumer.disconnect();
      await producer.disconnect();
    },
  };
}
