import type { Producer, ProducerBatch } from 'kafkajs';
import { partitionId } from '../../../message.ts';
import type { PublishFate } from '../../common/connection/errors.ts';
import { encodeBatch } from '../../common/publishing/record-batch.ts';
import { kafkajsModule } from '../patches/internals.ts';
import {
  produceListeners,
  type ProduceAnswer,
  type ProduceListener,
  type ProduceRequest,
} from '../patches/produce-answers.ts';
import type { PublishSlice } from '../../common/publishing/publish-queue.ts';
import type { PublishFailure } from '../../common/publishing/record-sender.ts';

/**
 * Maximum time that the leader waits for its followers; less than the request timeout, so that the leader answers in
 * time.
 */
const ACKS_TIMEOUT_MS = 4_000;
const ALL_IN_SYNC_REPLICAS = -1;

/**
 * One send of a publisher, for which kafkajs makes a request to each broker. Keeps the result of each partition, which kafkajs
 * does not report: repeating the whole send because of one partition would duplicate the records of the others.
 */
export class ProduceRound implements ProduceListener {
  /** Slices that no broker has confirmed, by partition. */
  readonly #open = new Map<string, PublishSlice>();
  readonly #failures = new Map<PublishSlice, Omit<PublishFailure, 'slice'>>();
  readonly #onStored: (slices: readonly PublishSlice[]) => void;

  /** `onStored` is called with the slices of each broker that confirms them, while requests to others may be pending. */
  constructor(slices: readonly PublishSlice[], onStored: (slices: readonly PublishSlice[]) => void) {
    this.#onStored = onStored;
    for (const slice of slices) this.#open.set(partitionId(slice.queue.topic, slice.queue.partition), slice);
  }

  /** Sends once; resolves with the slices that no broker has confirmed. Never rejects. */
  async send(producer: Pick<Producer, 'sendBatch'>): Promise<readonly PublishFailure[]> {
    const batch = toProducerBatch(this.#open.values());
    let error: unknown;
    try {
      await produceListeners.run(this, () => producer.sendBatch(batch));
    } catch (thrown) {
      error = thrown;
    }
    const failures = Array.from(this.#open.values(), (slice) => this.#failureOf(slice, error));
    // Connections that were opened during the send keep a reference to the round, which must not retain its records.
    this.#open.clear();
    this.#failures.clear();
    return failures;
  }

  batchOf(topic: string, partition: number): Buffer | Promise<Buffer> {
    const slice = this.#open.get(partitionId(topic, partition));
    if (slice === undefined) throw new Error(`no records for partition ${partition} of ${topic}`);
    return encodeBatch(slice.entries);
  }

  begin(request: ProduceRequest): void {
    this.#set(request, 'lost', undefined);
  }

  lose(request: ProduceRequest, error: unknown): void {
    this.#set(request, 'lost', error);
  }

  refuseToWrite(request: ProduceRequest, error: unknown): void {
    this.#set(request, 'unwritable', error);
  }

  answer({ topics }: ProduceAnswer): void {
    const stored: PublishSlice[] = [];
    for (const { topicName, partitions } of topics) {
      for (const { partition, errorCode } of partitions) {
        const id = partitionId(topicName, partition);
        const slice = this.#open.get(id);
        if (slice === undefined) continue;
        if (errorCode === 0) {
          this.#open.delete(id);
          stored.push(slice);
        } else {
          this.#failures.set(slice, { fate: 'answered', error: brokerError(errorCode) });
        }
      }
    }
    if (stored.length > 0) this.#onStored(stored);
  }

  #set({ topicData }: ProduceRequest, fate: PublishFate, error: unknown): void {
    for (const { topic, partitions } of topicData) {
      for (const { partition } of partitions) {
        const slice = this.#open.get(partitionId(topic, partition));
        if (slice === undefined || this.#failures.get(slice)?.fate === 'unwritable') continue;
        this.#failures.set(slice, { fate, error });
      }
    }
  }

  #failureOf(slice: PublishSlice, sendError: unknown): PublishFailure {
    const { fate, error } = this.#failures.get(slice) ?? {
      fate: sendError === undefined ? 'left-out' : 'not-asked',
      error: sendError,
    };
    return { slice, fate, error: error ?? sendError ?? unconfirmed(slice) };
  }
}

/**
 * The slices as one request of kafkajs: a record without content for each, by which it finds the leaders. Their records are
 * written by batchOf().
 */
function toProducerBatch(slices: Iterable<PublishSlice>): ProducerBatch {
  const byTopic = Map.groupBy(slices, ({ queue }) => queue.topic);
  const topicMessages = Array.from(byTopic, ([topic, own]) => ({
    topic,
    messages: own.map(({ queue: { partition } }) => ({ value: null, partition })),
  }));
  return { acks: ALL_IN_SYNC_REPLICAS, timeout: ACKS_TIMEOUT_MS, topicMessages };
}

function unconfirmed({ queue }: PublishSlice): Error {
  return new Error(`no broker confirmed partition ${queue.partition} of ${queue.topic}`);
}

function brokerError(code: number): Error {
  const { createErrorFromCode } = kafkajsModule('protocol/error') as {
    createErrorFromCode: (code: number) => Error;
  };
  return createErrorFromCode(code);
}
