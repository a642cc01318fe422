import { MessagingError } from '../../../../platform/errors.ts';
import { partitionId, type LogMessage, type OffsetRange, type TopicPartition } from '../../../message.ts';
import type { BrokerAdmin, OnRangeMessage, ReadOn } from '../../../ports.ts';
import { existingTopics } from '../../../topics/required-topics.ts';
import type { CreatePartitionReader, PartitionListener } from './partition-reader.ts';

/** Limit without progress: the records of a range exist, so their fetch does not wait for data. */
const STALL_LIMIT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;

interface RangeParts {
  readonly createReader: CreatePartitionReader;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly clientId: string;
}

/** Delivers the messages of ranges (see Broker.readRanges). A reader has one position per partition, so those of one are read in turn. */
export async function readRanges(
  ranges: readonly OffsetRange[],
  onMessage: OnRangeMessage,
  parts: RangeParts,
): Promise<void> {
  let waiting = ranges.filter(({ from, to }) => from < to);
  await existingTopics(parts.admin, [...new Set(waiting.map(({ topic }) => topic))]);
  while (waiting.length > 0) {
    const round = new Map<string, OffsetRange>();
    for (const range of waiting.toReversed()) round.set(partitionId(range.topic, range.partition), range);
    const taken = new Set(round.values());
    if ((await new RangeRound([...taken]).read(onMessage, parts)) === 'stop') return;
    waiting = waiting.filter((range) => !taken.has(range));
  }
}

/** Ranges of different partitions. The reader is paused while the messages of a fetch are delivered one by one. */
class RangeRound implements PartitionListener {
  readonly #ranges: readonly OffsetRange[];
  /** The next offset of each partition that has not reached its end. */
  readonly #next = new Map<string, OffsetRange & { next: number }>();
  #queue: LogMessage[] = [];
  #progress = Promise.withResolvers<void>();

  constructor(ranges: readonly OffsetRange[]) {
    this.#ranges = ranges;
    for (const range of ranges) {
      this.#next.set(partitionId(range.topic, range.partition), { ...range, next: range.from });
    }
  }

  async read(onMessage: OnRangeMessage, { createReader, clientId }: RangeParts): Promise<ReadOn> {
    const topics = [...new Set(this.#ranges.map(({ topic }) => topic))];
    const reader = createReader({ clientId, topics, isFixed: true }, this);
    try {
      const positions = this.#ranges.map(({ topic, partition, from }) => ({
        topic,
        partition,
        offset: from,
      }));
      await reader.start(positions);
      for (;;) {
        if (this.#queue.length > 0) reader.pause();
        if ((await this.#deliver(onMessage)) === 'stop') return 'stop';
        if (this.#queue.length > 0) continue;
        if (this.#next.size === 0) return 'more';
        this.#progress = Promise.withResolvers();
        reader.resume();
        await this.#progressed(clientId);
      }
    } finally {
      await reader.stop(STOP_TIMEOUT_MS);
    }
  }

  async #deliver(onMessage: OnRangeMessage): Promise<ReadOn> {
    const queue = this.#queue;
    this.#queue = [];
    for (const message of queue) {
      if ((await onMessage(message)) === 'stop') return 'stop';
    }
    return 'more';
  }

  onMessages(messages: readonly LogMessage[]): void {
    const [first] = messages;
    const range = first && this.#next.get(partitionId(first.topic, first.partition));
    if (range === undefined) return;
    this.#queue.push(...messages.filter(({ offset }) => offset >= range.next && offset < range.to));
    this.onReadTo(range, (messages.at(-1)?.offset ?? 0) + 1);
  }

  onReadTo({ topic, partition }: TopicPartition, offset: number): void {
    const id = partitionId(topic, partition);
    const range = this.#next.get(id);
    if (range === undefined || offset <= range.next) return;
    range.next = offset;
    if (offset >= range.to) this.#next.delete(id);
    this.#progress.resolve();
  }

  /** Resolves with the next progress. Rejects after STALL_LIMIT_MS without one. */
  async #progressed(clientId: string): Promise<void> {
    const stalled = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const text = `${clientId}: no progress in reading the log for ${STALL_LIMIT_MS / 1_000} s`;
      stalled.reject(new MessagingError('broker-unavailable', text, { canRetry: true }));
    }, STALL_LIMIT_MS);
    try {
      await Promise.race([this.#progress.promise, stalled.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
