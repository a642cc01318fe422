import type { Broker, Publisher, Tail } from '../../../shared/messaging/ports.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { HoldIndex, type Follower, type Head, type HeldKey } from './hold-index.ts';
import { followerEnd, followerRecord, headRecord, readHoldRecord } from './hold-records.ts';
import { ReadBack } from '../ledger/read-back.ts';

export interface HoldOptions {
  readonly broker: Pick<Broker, 'createTail'>;
  readonly publisher: Publisher;
  readonly topic: string;
  readonly clientId: string;
  readonly self: string;
  readonly log: Log;
  readonly limits?: Partial<HoldLimits>;
}

/** What may be kept with its value; of what is beyond it only the place is kept. */
export interface HoldLimits {
  readonly followersPerKey: number;
  readonly bytesPerPartition: number;
  /** Over all partitions: each instance keeps them all in memory. */
  readonly bytes: number;
  /** Places kept of one key, and of all keys, with or without a value; beyond them nothing is taken. */
  readonly placesPerKey: number;
  readonly places: number;
}

const MIB = 1_024 * 1_024;
const LIMITS: HoldLimits = {
  followersPerKey: 100,
  bytesPerPartition: 64 * MIB,
  bytes: 256 * MIB,
  placesPerKey: 10_000,
  places: 100_000,
};

/**
 * Who waits for whom: for each key whose head waits on a retry tier, the head's name and the messages behind it, on a topic
 * with the partitions of the commands. Written before the commands' offsets are committed, and read by every instance, so
 * that whoever takes over a partition goes on in the same order.
 */
export class Hold {
  readonly #options: HoldOptions;
  readonly #limits: HoldLimits;
  readonly #index = new HoldIndex();
  readonly #tail: Tail;
  readonly #readBack: ReadBack;
  #badRecords = 0;

  constructor(options: HoldOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    const { broker, topic, clientId } = options;
    this.#tail = broker.createTail({ clientId, topics: [topic], from: 'earliest' });
    this.#readBack = new ReadBack(options.publisher, options.self);
  }

  /** Resolves when all that was on the topic has been read. Rejects when that takes too long. */
  async start(timeoutMs: number): Promise<void> {
    await this.#tail.start((message) => this.#take(message));
    await this.#tail.caughtUp(timeoutMs);
  }

  /** Resolves when all that is on the topic at this moment has been read. */
  caughtUp(timeoutMs: number): Promise<void> {
    return this.#tail.caughtUp(timeoutMs);
  }

  has(key: string): boolean {
    return this.#index.has(key);
  }

  get(key: string): HeldKey | undefined {
    return this.#index.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#index.keys();
  }

  /** How one more message of a key can be kept: itself, only its place, or not at all. */
  room(key: string, partition: number, bytes: number): 'whole' | 'place' | 'none' {
    const { followersPerKey, bytesPerPartition, bytes: allBytes, placesPerKey, places } = this.#limits;
    const held = this.#index.get(key)?.followers.length ?? 0;
    if (held >= placesPerKey || this.#index.followers >= places) return 'none';
    const isFull =
      held >= followersPerKey ||
      this.#index.bytesOf(partition) + bytes > bytesPerPartition ||
      this.#index.totalBytes + bytes > allBytes;
    return isFull ? 'place' : 'whole';
  }

  /** The following resolve when it is on the log and counts here. They reject with lost infrastructure. */
  setHead(key: string, partition: number, head: Head): Promise<void> {
    return this.#readBack.write(headRecord(this.#options.topic, key, partition, head));
  }

  endHead(key: string, partition: number): Promise<void> {
    return this.#readBack.write(headRecord(this.#options.topic, key, partition));
  }

  keep(key: string, partition: number, follower: Follower): Promise<void> {
    return this.#readBack.write(followerRecord(this.#options.topic, key, partition, follower));
  }

  endFollower(key: string, partition: number, offset: number): Promise<void> {
    return this.#readBack.write(followerEnd(this.#options.topic, key, partition, offset));
  }

  figures() {
    const { size, followers, totalBytes } = this.#index;
    return { keys: size, followers, bytes: totalBytes, badRecords: this.#badRecords };
  }

  health(): Health {
    const { topic } = this.#options;
    if (!this.#tail.isReady()) return { status: 'degraded', reason: `${topic} is not read` };
    if (this.#index.totalBytes < this.#limits.bytes) return { status: 'ready' };
    return {
      status: 'degraded',
      reason: `${topic} is full: messages of waiting receivers go to retry tiers`,
    };
  }

  stop(timeoutMs: number): Promise<void> {
    return this.#tail.stop(timeoutMs);
  }

  #take(message: LogMessage): void {
    const record = readHoldRecord(message);
    if (record === undefined) {
      this.#badRecords += 1;
      const { topic, partition, offset } = message;
      this.#options.log.warn({ topic, partition, offset }, 'a record of the hold topic was skipped');
    } else if (record.kind === 'head') this.#index.setHead(record.key, record.partition, record.head);
    else this.#index.setFollower(record.key, record.partition, record.offset, record.follower);
    this.#readBack.seen(message);
  }
}
