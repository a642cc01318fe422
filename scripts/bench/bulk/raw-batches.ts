/**
 * The fastest use of kafkajs with large messages: reads whole batches, sends the replies to each of them in one
 * request, does not wait in between, and compresses with the codec of the bulk lane.
 */

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import kafkajs, { type Kafka, type Message } from 'kafkajs';
import {
  decompressionOptions,
  gzipOptions,
} from '../../../shared/messaging/kafka/common/batches/gzip-options.ts';
import { stopIdlePolling } from '../../../shared/messaging/kafka/kafkajs/patches/patch-kafkajs.ts';
import { topicName } from '../../../shared/messaging/topics/topics.ts';
import { askChild, type Child, endProcess } from '../processes.ts';
import { rawProducer, runConsumer } from '../raw-kafka.ts';
import { PARTITIONS, type System } from '../system.ts';

/** Node does not detect the codecs as named exports of kafkajs' CommonJS module. */
const { CompressionCodecs, CompressionTypes, logLevel } = kafkajs;
const SESSION_MS = 30_000;
const COMMIT_INTERVAL_MS = 200;

/** A consumed message. */
export type ReadMessage = Pick<Message, 'key' | 'value' | 'headers'>;

/** The request of the parent process; the warm-up is not measured. */
export interface BulkWords {
  readonly warmUpMs?: number;
  readonly measureMs: number;
}

/** The measurements of the requester. */
export interface BulkAnswer {
  readonly contractsPerSecond: number;
  readonly contracts: number;
}

/** Time limit for replies that are still missing at the end of a round, and for draining the bulk lane. */
const ANSWER_MARGIN_MS = 90_000;

/**
 * Starts the raw requester of batches, or the echo that replies to it, on the topics of the bulk lane. A `background` requester
 * lowers its priority, as `npm run recalculate` does.
 */
export function startRawBatches(
  system: System,
  end: 'requester' | 'echo',
  priority: 'normal' | 'background' = 'normal',
): Promise<Child> {
  return system.start([
    `scripts/bench/bulk/raw-batch-${end}.ts`,
    system.brokers.join(','),
    topicName(system.prefix, 'scheduleBulkRequests'),
    topicName(system.prefix, 'recalculationReplies'),
    String(PARTITIONS),
    priority,
  ]);
}

export function askRequester(requester: Child, words: BulkWords): Promise<BulkAnswer> {
  const limitMs = (words.warmUpMs ?? 0) + words.measureMs + ANSWER_MARGIN_MS;
  return askChild<BulkAnswer>(requester, { ...words }, limitMs);
}

/** A client that compresses as the bulk lane does. */
export function rawBatchKafka(brokers: readonly string[], clientId: string): Kafka {
  const [compress, decompress] = [promisify(gzip), promisify(gunzip)];
  CompressionCodecs[CompressionTypes.GZIP] = () => ({
    compress: ({ buffer }: { readonly buffer: Buffer }) => compress(buffer, gzipOptions(buffer.length)),
    decompress: (buffer: Buffer) => decompress(buffer, decompressionOptions(buffer.length)),
  });
  stopIdlePolling();
  return new kafkajs.Kafka({ clientId, brokers: [...brokers], logLevel: logLevel.NOTHING });
}

/** Sends each array of messages as one request, however many requests are in flight; the process exits on a failure. */
export async function batchSender(kafka: Kafka, topic: string): Promise<(messages: Message[]) => void> {
  const producer = await rawProducer(kafka);
  return (messages) => {
    if (messages.length === 0) return;
    producer.send({ topic, acks: -1, compression: CompressionTypes.GZIP, messages }).catch(endProcess);
  };
}

/** Reads whole batches of all partitions concurrently; resolves once partitions are assigned. */
export async function batchReader(
  kafka: Kafka,
  options: { readonly topic: string; readonly partitions: number },
  onBatch: (messages: readonly ReadMessage[]) => void,
): Promise<void> {
  const group = { topic: options.topic, groupId: `${options.topic}.bench`, sessionMs: SESSION_MS };
  await runConsumer(kafka, group, {
    partitionsConsumedConcurrently: options.partitions,
    autoCommitInterval: COMMIT_INTERVAL_MS,
    eachBatch: async ({ batch }) => onBatch(batch.messages),
  });
}
