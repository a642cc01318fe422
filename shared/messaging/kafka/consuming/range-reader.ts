import { MessagingError } from '../../../platform/errors.ts';
import type { CreateKafkaClient } from '../connection/client.ts';
import type { FetchAnswer } from '../kafkajs/unreadable-batches.ts';
import type { ConsumerRunListener, KafkaConsumerRun } from './consumer-run.ts';
import { startConsumer } from './consumer-start.ts';
import { createSingleMemberRun } from './single-member-run.ts';
import {
  partitionId,
  type LogMessage,
  type OffsetRange,
  type PartitionOffset,
  type TopicPartition,
} from '../../message.ts';
import type { BrokerAdmin, OnRangeMessage, ReadOn } from '../../ports.ts';

/** After this without progress the log is queried for records that were removed from it meanwhile. */
const ASK_AGAIN_MS = 3_000;
/** Without progress for this long the broker cannot serve: a range exists, and is fetched at once. */
const GIVE_UP_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

/** Dependencies, from the broker. */
export interface RangeReaderParts {
  readonly createClient: CreateKafkaClient;
  readonly admin: Pick<BrokerAdmin, 'offsets'>;
  readonly clientId: string;
}

/** A range with the next offset to read. */
type Cursor = TopicPartition & { readonly to: number; next: number };

/** Delivers the messages of ranges on Kafka (see Broker.readRanges). */
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
 * Reads as the only member of a group, as tails do. The messages of a fetch are delivered one by one with all partitions
 * paused, so that no others are fetched meanwhile.
 */
class KafkaRangeReader implements ConsumerRunListener {
  readonly #parts: RangeReaderParts;
  readonly #cursors: ReadonlyMap<string, Cursor>;
  #run: KafkaConsumerRun | undefined;
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

  onPassed({ topic, partition, offset }: PartitionOffset): void {
    const cursor = this.#cursors.get(partitionId(topic, partition));
    if (cursor === undefined || offset <= cursor.next) return;
    cursor.next = offset;
    this.#progressed();
  }

  /** The requested offset shows the position of the consumer, also past offsets without a message. */
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

  #makeRun(): KafkaConsumerRun {
    const { createClient, clientId } = this.#parts;
    const options = { clientId, topics: this.#topics(), concurrency: this.#cursors.size };
    return createSingleMemberRun(createClient, options, this);
  }

  #topics(): readonly string[] {
    return [...new Set([...this.#cursors.values()].map(({ topic }) => topic))];
  }

  #unread(): readonly Cursor[] {
    return [...this.#cursors.values()].filter(({ next, to }) => next < to);
  }

  /** Resolves when something was read, skipped or lost. Rejects when there is no progress at all. */
  async #nextBatch(): Promise<void> {
    this.#progress = Promise.withResolvers();
    this.#progressAt = performance.now();
    this.#run?.fetchOnly(this.#unread());
    for (;;) {
      const timer = Promise.withResolvers<'late'>();
      const handle = setTimeout(() => timer.resolve('late'), ASK_AGAIN_MS);
      const came = await Promise.race([this.#progress.promise, timer.promise]);
      clearTimeout(handle);
      if (came !== 'late') return;
      await this.#passRemoved();
      if (this.#unread().length === 0) return;
      if (performance.now() - this.#progressAt > GIVE_UP_MS) throw this.#stalled();
    }
  }

  /** Skips what retention has removed since the ranges were made. */
  async #passRemoved(): Promise<void> {
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

  #stalled(): MessagingError {
    const text = `${this.#parts.clientId}: no progress in reading the log for ${GIVE_UP_MS / 1_000} s`;
    return new MessagingError('broker-unavailable', text, { canRetry: true });
  }
}
