import { MessagingError } from '../../../../platform/errors.ts';
import type { CreateKafkajsClient } from '../connection/client.ts';
import type { FetchAnswer } from '../patches/fetch-messages.ts';
import type { ConsumerRunListener, KafkajsConsumerRun } from './consumer-run.ts';
import { startConsumer } from './consumer-start.ts';
import { createSingleMemberRun } from './single-member-run.ts';
import {
  partitionId,
  type LogMessage,
  type OffsetRange,
  type PartitionOffset,
  type TopicPartition,
} from '../../../message.ts';
import type { BrokerAdmin, OnRangeMessage, ReadOn } from '../../../ports.ts';

/** After this time without progress the retained offsets are queried: retention may have removed records meanwhile. */
const RETENTION_CHECK_MS = 3_000;
/** Limit without progress: the records of a range exist, so their fetch does not wait for data. */
const STALL_LIMIT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

export interface RangeReaderParts {
  readonly createClient: CreateKafkajsClient;
  readonly admin: Pick<BrokerAdmin, 'offsets'>;
  readonly clientId: string;
}

/** A range with the next offset to read. */
type Cursor = TopicPartition & { readonly to: number; next: number };

/** Delivers the messages of ranges on Kafka (see Broker.readRanges). */
export async function readKafkajsRanges(
  ranges: readonly OffsetRange[],
  onMessage: OnRangeMessage,
  parts: RangeReaderParts,
): Promise<void> {
  const waiting = ranges.filter(({ from, to }) => from < to);
  // A consumer has one position per partition, so ranges of the same partition are read in succession.
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
 * Reads as the only member of a group, as tails do. While the messages of a fetch are delivered one by one, all partitions are
 * paused, so that no more are fetched.
 */
class KafkaRangeReader implements ConsumerRunListener {
  readonly #parts: RangeReaderParts;
  readonly #cursors: ReadonlyMap<string, Cursor>;
  #run: KafkajsConsumerRun | undefined;
  #queue: LogMessage[] = [];
  #crash: MessagingError | undefined;
  #progress = Promise.withResolvers<void>();
  #progressAt = performance.now();

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
        () => (this.#run = this.#makeRun()),
        () => false,
      );
      for (;;) {
        if ((await this.#deliver(onMessage)) === 'stop') return 'stop';
        if (this.#crash !== undefined) throw this.#crash;
        if (this.#queue.length > 0) continue;
        if (this.#unread().length === 0) return 'more';
        await this.#nextBatch();
      }
    } finally {
      await this.#run?.stop(STOP_TIMEOUT_MS);
    }
  }

  async #deliver(onMessage: OnRangeMessage): Promise<ReadOn> {
    const batch = this.#queue;
    this.#queue = [];
    for (const message of batch) {
      if ((await onMessage(message)) === 'stop') return 'stop';
    }
    return 'more';
  }

  onJoined(): void {
    for (const { topic, partition, next } of this.#cursors.values()) {
      this.#run?.seek({ topic, partition, offset: next });
    }
    this.#run?.fetchOnly(this.#queue.length > 0 ? [] : this.#unread());
  }

  onBatch(messages: readonly LogMessage[]): boolean {
    const [first] = messages;
    const cursor = first && this.#cursors.get(partitionId(first.topic, first.partition));
    if (cursor === undefined) return false;
    for (const message of messages) {
      if (message.offset < cursor.next) continue;
      cursor.next = message.offset + 1;
      if (message.offset < cursor.to) this.#queue.push(message);
    }
    this.#run?.fetchOnly([]);
    this.#progressed();
    return true;
  }

  onPassed({ topic, partition, offset }: PartitionOffset): boolean {
    const cursor = this.#cursors.get(partitionId(topic, partition));
    if (cursor === undefined || offset <= cursor.next) return true;
    cursor.next = offset;
    this.#progressed();
    return true;
  }

  /** The requested offset is the position of the consumer, also after offsets without a message. */
  onFetchAnswered({ isEmpty, partitions }: FetchAnswer): void {
    for (const { topic, partition, from, stableEnd } of partitions) {
      const cursor = this.#cursors.get(partitionId(topic, partition));
      if (cursor === undefined) continue;
      const isAtEnd = isEmpty && stableEnd >= cursor.to;
      this.onPassed({ topic, partition, offset: isAtEnd ? cursor.to : from });
    }
  }

  onCrash(error: MessagingError): void {
    this.#crash = error;
    this.#progressed();
  }

  #makeRun(): KafkajsConsumerRun {
    const { createClient, clientId } = this.#parts;
    const topics = [...new Set([...this.#cursors.values()].map(({ topic }) => topic))];
    return createSingleMemberRun(createClient, { clientId, topics, concurrency: this.#cursors.size }, this);
  }

  #unread(): readonly Cursor[] {
    return [...this.#cursors.values()].filter(({ next, to }) => next < to);
  }

  /** Resolves when messages were read or skipped, or the consumer crashed. Rejects after STALL_LIMIT_MS without progress. */
  async #nextBatch(): Promise<void> {
    this.#progress = Promise.withResolvers();
    this.#progressAt = performance.now();
    this.#run?.fetchOnly(this.#unread());
    for (;;) {
      const timeout = Promise.withResolvers<'timeout'>();
      const timer = setTimeout(() => timeout.resolve('timeout'), RETENTION_CHECK_MS);
      const event = await Promise.race([this.#progress.promise, timeout.promise]);
      clearTimeout(timer);
      if (event !== 'timeout') return;
      await this.#skipRemoved();
      if (this.#unread().length === 0) return;
      if (performance.now() - this.#progressAt > STALL_LIMIT_MS) {
        const text = `${this.#parts.clientId}: no progress in reading the log for ${STALL_LIMIT_MS / 1_000} s`;
        throw new MessagingError('broker-unavailable', text, { canRetry: true });
      }
    }
  }

  /** Skips records that retention has removed since the ranges were determined. */
  async #skipRemoved(): Promise<void> {
    for (const topic of new Set(this.#unread().map((cursor) => cursor.topic))) {
      for (const { partition, low } of await this.#parts.admin.offsets(topic)) {
        const cursor = this.#cursors.get(partitionId(topic, partition));
        if (cursor !== undefined && low > cursor.next) cursor.next = low;
      }
    }
  }

  #progressed(): void {
    this.#progressAt = performance.now();
    this.#progress.resolve();
  }
}
