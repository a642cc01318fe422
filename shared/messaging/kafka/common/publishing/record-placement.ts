import type { MessagingError } from '../../../../platform/errors.ts';
import { topicUnknown } from '../../../broker-errors.ts';
import { toMessagingError } from '../connection/errors.ts';
import { partitionOfKey } from '../../../topics/key-partition.ts';
import type { PublishEntry } from './publish-call.ts';
import type { PublishQueue } from './publish-queue.ts';
import type { TopicPartitions } from './topic-partitions.ts';

/** Delay before repeating a query that failed because the broker is unavailable. */
const RETRY_MS = 250;
/**
 * Records without a key that are published in quick succession share a partition, up to this number and for this time: one batch
 * for the broker instead of one for each record. More of them would keep a single worker busy while others are idle.
 */
const MAX_SHARED = 8;
const SHARED_MS = 2;

/**
 * Chooses the partition of each record once: the explicit one, by key (murmur2 as in the Java client), or the next one. kafkajs
 * would choose again for each retry and could write a message without a key to two partitions; and it reports records for
 * a partition that does not exist as sent. While the partition count of a topic is unknown, its records wait here in order.
 */
export class RecordPlacement {
  readonly #topics: TopicPartitions;
  readonly #queue: PublishQueue;
  readonly #onPlaced: () => void;
  readonly #unplaced = new Map<string, PublishEntry[]>();
  #records = 0;
  #bytes = 0;
  /** Number of the current partition for records without a key, modulo the count of each topic. */
  #shared = 0;
  #sharedRecords = 0;
  #sharedSinceMs = Number.NEGATIVE_INFINITY;

  /** `onPlaced` is called after waiting records were placed or rejected. */
  constructor(topics: TopicPartitions, queue: PublishQueue, onPlaced: () => void) {
    this.#topics = topics;
    this.#queue = queue;
    this.#onPlaced = onPlaced;
  }

  /** Number of waiting records, and their bytes. */
  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  place(topic: string, entry: PublishEntry, nowMs: number): void {
    const count = this.#unplaced.has(topic) ? undefined : this.#topics.known(topic, nowMs);
    // A partition beyond the known count may exist: the topic may have grown since the last query.
    if (count === undefined || (entry.record.partition ?? 0) >= count) this.#wait(topic, entry);
    else this.#placeAmong(count, topic, entry, nowMs);
  }

  /** Removes records whose call has passed its deadline. */
  expire(nowMs: number): void {
    for (const [topic, list] of this.#unplaced) {
      const isOver = ({ call }: PublishEntry) => call.isSettled || call.deadlineAt <= nowMs;
      const over = list.filter(isOver);
      if (over.length === 0) continue;
      // Removed first: giving up a record settles its call, which may have other waiting records.
      this.#unplaced.set(
        topic,
        list.filter((entry) => !isOver(entry)),
      );
      for (const entry of over) this.#giveUp(entry, 'the deadline passed');
    }
  }

  giveUpAll(reason: string): void {
    for (const list of this.#unplaced.values()) for (const entry of list) this.#giveUp(entry, reason);
    this.#unplaced.clear();
  }

  #wait(topic: string, entry: PublishEntry): void {
    this.#records += 1;
    this.#bytes += entry.bytes;
    const list = this.#unplaced.get(topic);
    if (list !== undefined) {
      list.push(entry);
      return;
    }
    this.#unplaced.set(topic, [entry]);
    void this.#query(topic);
  }

  async #query(topic: string): Promise<void> {
    try {
      const count = await this.#topics.find(topic);
      const now = performance.now();
      for (const entry of this.#release(topic)) this.#placeAmong(count, topic, entry, now);
      this.#onPlaced();
    } catch (error) {
      this.#failed(topic, toMessagingError(topic, error));
    }
  }

  #failed(topic: string, error: MessagingError): void {
    if (error.code === 'topic-unknown') {
      for (const entry of this.#release(topic)) entry.call.recordDone(error);
      this.#onPlaced();
    } else if ((this.#unplaced.get(topic)?.length ?? 0) > 0) {
      setTimeout(() => void this.#query(topic), RETRY_MS);
    } else {
      this.#unplaced.delete(topic);
    }
  }

  #release(topic: string): readonly PublishEntry[] {
    const list = this.#unplaced.get(topic) ?? [];
    this.#unplaced.delete(topic);
    for (const entry of list) this.#forget(entry);
    return list;
  }

  #placeAmong(count: number, topic: string, entry: PublishEntry, nowMs: number): void {
    const chosen = entry.record.partition ?? this.#choose(entry.record.key ?? null, count, nowMs);
    if (!Number.isInteger(chosen) || chosen < 0 || chosen >= count) {
      entry.call.recordDone(topicUnknown(topic, chosen));
      return;
    }
    entry.record.partition = chosen;
    this.#queue.add(topic, chosen, entry);
  }

  #choose(key: Buffer | string | null, count: number, nowMs: number): number {
    if (key !== null) return partitionOfKey(typeof key === 'string' ? Buffer.from(key) : key, count);
    if (this.#sharedRecords === MAX_SHARED || nowMs - this.#sharedSinceMs > SHARED_MS) {
      this.#shared += 1;
      this.#sharedRecords = 0;
      this.#sharedSinceMs = nowMs;
    }
    this.#sharedRecords += 1;
    return this.#shared % count;
  }

  #giveUp(entry: PublishEntry, reason: string): void {
    this.#forget(entry);
    entry.call.giveUp(reason);
  }

  #forget(entry: PublishEntry): void {
    this.#records -= 1;
    this.#bytes -= entry.bytes;
  }
}
