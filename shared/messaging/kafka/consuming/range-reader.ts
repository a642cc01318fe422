import { randomUUID } from 'node:crypto';
import type { EachBatchPayload } from 'kafkajs';
import { MessagingError } from '../../../platform/errors.ts';
import type { CreateKafkaClient } from '../connection/client.ts';
import type { FetchAnswer } from '../kafkajs/fetch-answers.ts';
import { KafkaConsumerRun, type ConsumerRunListener } from './consumer-run.ts';
import { startConsumer } from './consumer-start.ts';
import { toLogMessage } from '../publishing/record.ts';
import { tailAssigner } from './single-member-run.ts';
import { byTopic } from '../topic-lists.ts';
import { partitionId, type LogMessage, type OffsetRange, type TopicPartition } from '../../message.ts';
import type { BrokerAdmin, OnRangeMessage, ReadOn } from '../../ports.ts';

/** Nobody takes over from a group of one, so its member need not be given up soon. */
const SESSION_TIMEOUT_MS = 30_000;
const REBALANCE_TIMEOUT_MS = 10_000;
/** How long a fetch waits for data. */
const MAX_WAIT_MS = 250;
/** After this without news it is asked whether what is waited for was removed from the log meanwhile. */
const ASK_AGAIN_MS = 3_000;
/** Without news for so long the broker is not able to serve; a range is there, and is fetched at once. */
const GIVE_UP_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

/** What the broker makes it with. */
export interface RangeReaderParts {
  readonly createClient: CreateKafkaClient;
  readonly admin: Pick<BrokerAdmin, 'offsets'>;
  readonly clientId: string;
}

/** A range with the offset that is read next. */
type Cursor = TopicPartition & { readonly to: number; next: number };

/** Hands over the messages of ranges on Kafka (see Broker.readRanges). */
export async function readKafkaRanges(
  ranges: readonly OffsetRange[],
  onMessage: OnRangeMessage,
  parts: RangeReaderParts,
): Promise<void> {
  const waiting = ranges.filter(({ from, to }) => from < to);
  // One position per partition: ranges of the same partition are read one after the other.
  while (waiting.length > 0) {
    const round = new Map<string, OffsetRange>();
    for (const range of waiting) {
      const id = partitionId(range.topic, range.partition);
      if (!round.has(id)) round.set(id, range);
    }
    const taken = new Set(round.values());
    if ((await new KafkaRangeReader([...taken], parts).read(onMessage)) === 'stop') return;
    waiting.splice(0, waiting.length, ...waiting.filter((range) => !taken.has(range)));
  }
}

/**
 * Reads as a member of a group of one that never commits, as tails do. What a fetch brought is handed over message by
 * message with all partitions paused, so that nothing more comes meanwhile.
 */
class KafkaRangeReader implements ConsumerRunListener {
  readonly #parts: RangeReaderParts;
  readonly #cursors: ReadonlyMap<string, Cursor>;
  #run: KafkaConsumerRun | undefined;
  #queue: LogMessage[] = [];
  #crash: MessagingError | undefined;
  #news = Promise.withResolvers<void>();
  #newsAt = performance.now();

  constructor(ranges: readonly OffsetRange[], parts: RangeReaderParts) {
    this.#parts = parts;
    this.#cursors = new Map(
      ranges.map(({ topic, partition, from, to }) => [
        partitionId(topic, partition),
        { topic, partition, to, next: from },
      ]),
    );
  }

  async read(onMessage: OnRangeMessage): Promise<ReadOn> {
    try {
      await startConsumer(
        () => this.#makeRun(),
        () => false,
      );
      for (;;) {
        if ((await this.#handOver(onMessage)) === 'stop') return 'stop';
        if (this.#crash !== undefined) throw this.#crash;
        if (this.#queue.length > 0) continue;
        if (this.#unread().length === 0) return 'more';
        await this.#nextBatch();
      }
    } finally {
      await this.#run?.stop(STOP_TIMEOUT_MS);
    }
  }

  async #handOver(onMessage: OnRangeMessage): Promise<ReadOn> {
    const batch = this.#queue;
    this.#queue = [];
    for (const message of batch) {
      if ((await onMessage(message)) === 'stop') return 'stop';
    }
    return 'more';
  }

  onJoined(): void {
    for (const { topic, partition, next } of this.#cursors.values()) {
      this.#run?.consumer.seek({ topic, partition, offset: String(next) });
    }
    this.#setFlow(this.#queue.length > 0 ? [] : this.#unread());
  }

  onBatch(payload: EachBatchPayload): void {
    const { topic, partition, messages } = payload.batch;
    const cursor = this.#cursors.get(partitionId(topic, partition));
    if (cursor === undefined) return;
    for (const read of messages) {
      const message = toLogMessage(topic, partition, read);
      if (message.offset < cursor.next) continue;
      cursor.next = message.offset + 1;
      if (message.offset < cursor.to) this.#queue.push(message);
    }
    const last = messages.at(-1);
    if (last !== undefined) payload.resolveOffset(last.offset);
    this.#setFlow([]);
    this.#tell();
  }

  onPassed({ topic, partition }: TopicPartition, position: number): void {
    const cursor = this.#cursors.get(partitionId(topic, partition));
    if (cursor === undefined || position <= cursor.next) return;
    cursor.next = position;
    this.#tell();
  }

  onRebalancing(): void {}

  onFetchStarted(): void {}

  /** What was asked for shows how far the consumer has come, also past offsets that hold no message. */
  onFetchAnswered({ isEmpty, partitions }: FetchAnswer): void {
    for (const { topic, partition, from, stableEnd } of partitions) {
      const cursor = this.#cursors.get(partitionId(topic, partition));
      if (cursor === undefined) continue;
      const isAtEnd = isEmpty && stableEnd >= cursor.to;
      this.onPassed(cursor, isAtEnd ? cursor.to : from);
    }
  }

  onFetchEnded(): void {}

  onHeartbeat(): void {}

  onCrash(error: MessagingError): void {
    this.#crash = error;
    this.#tell();
  }

  #makeRun(): KafkaConsumerRun {
    const { createClient, clientId } = this.#parts;
    this.#run = new KafkaConsumerRun(
      createClient,
      {
        clientId,
        groupId: `${clientId}.tail.${randomUUID()}`,
        topics: [...new Set([...this.#cursors.values()].map(({ topic }) => topic))],
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
        rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
        maxWaitMs: MAX_WAIT_MS,
        concurrency: this.#cursors.size,
        assigner: tailAssigner(undefined),
      },
      this,
    );
    return this.#run;
  }

  #unread(): readonly Cursor[] {
    return [...this.#cursors.values()].filter(({ next, to }) => next < to);
  }

  /** Lets these partitions flow and no other, those of the topics that nobody asked for included. */
  #setFlow(flowing: readonly Cursor[]): void {
    const consumer = this.#run?.consumer;
    const topics = [...new Set([...this.#cursors.values()].map(({ topic }) => topic))];
    consumer?.pause(topics.map((topic) => ({ topic })));
    if (flowing.length > 0) consumer?.resume(byTopic(flowing));
  }

  /** Resolves when something was read, passed or lost. Rejects when nothing comes at all. */
  async #nextBatch(): Promise<void> {
    this.#news = Promise.withResolvers();
    this.#newsAt = performance.now();
    this.#setFlow(this.#unread());
    for (;;) {
      const timer = Promise.withResolvers<'late'>();
      const handle = setTimeout(() => timer.resolve('late'), ASK_AGAIN_MS);
      const came = await Promise.race([this.#news.promise, timer.promise]);
      clearTimeout(handle);
      if (came !== 'late') return;
      await this.#passRemoved();
      if (this.#unread().length === 0) return;
      if (performance.now() - this.#newsAt > GIVE_UP_MS) throw this.#stalled();
    }
  }

  /** What retention has removed since the ranges were made will never come. */
  async #passRemoved(): Promise<void> {
    for (const topic of new Set(this.#unread().map((cursor) => cursor.topic))) {
      for (const { partition, low } of await this.#parts.admin.offsets(topic)) {
        const cursor = this.#cursors.get(partitionId(topic, partition));
        if (cursor !== undefined && low > cursor.next) cursor.next = low;
      }
    }
  }

  #tell(): void {
    this.#newsAt = performance.now();
    this.#news.resolve();
  }

  #stalled(): MessagingError {
    const text = `${this.#parts.clientId}: the log could not be read on for ${GIVE_UP_MS / 1_000} s`;
    return new MessagingError('broker-unavailable', text, { canRetry: true });
  }
}
