/**
 * kafkajs as fast as it goes with large messages: whole batches read, one request for what each of them leads to, nothing
 * awaited in between, packed by the very codec that the bulk lane uses.
 */

import { CompressionTypes, Kafka, logLevel, type Message, type Producer } from 'kafkajs';
import { installCodecs } from '../../../shared/messaging/kafka/kafkajs/compression.ts';
import { stopIdlePolling } from '../../../shared/messaging/kafka/kafkajs/patches.ts';
import { rawProducer, runConsumer } from '../calls/raw-client.ts';

const SESSION_MS = 30_000;
const COMMIT_INTERVAL_MS = 200;

/** A message as it was read. */
export type ReadMessage = Pick<Message, 'key' | 'value' | 'headers'>;

/** A client that shares the codecs of the bulk lane. */
export function rawBatchKafka(brokers: readonly string[], clientId: string): Kafka {
  installCodecs();
  stopIdlePolling();
  return new Kafka({ clientId, brokers: [...brokers], logLevel: logLevel.NOTHING });
}

/** Sends each array that it is given as one request, however many are under way; a failure ends the process. */
export async function batchSender(kafka: Kafka, topic: string): Promise<(messages: Message[]) => void> {
  const producer: Producer = await rawProducer(kafka);
  return (messages) => {
    if (messages.length === 0) return;
    producer.send({ topic, acks: -1, compression: CompressionTypes.GZIP, messages }).catch(endProcess);
  };
}

/** Reads whole batches of all partitions side by side; resolves once partitions are assigned. */
export async function batchReader(
  kafka: Kafka,
  options: { readonly topic: string; readonly partitions: number },
  onBatch: (messages: readonly ReadMessage[]) => void,
): Promise<void> {
  const group = { topic: options.topic, groupId: `${options.topic}.bench`, sessionMs: SESSION_MS };
  await runConsumer(kafka, group, {
    partitionsConsumedConcurrently: options.partitions,
    autoCommitInterval: COMMIT_INTERVAL_MS,
    eachBatch: ({ batch }) => {
      onBatch(batch.messages);
      return Promise.resolve();
    },
  });
}

/** Says why and ends: a measurement with a broken part is worth nothing. */
export function endProcess(error: unknown): never {
  console.error(error);
  process.exit(1);
}
