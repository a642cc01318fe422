import { HEADER, headerText, contentBytes } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Publisher, Tail } from '../../../shared/messaging/ports.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { errorText, InfrastructureError } from '../../../shared/platform/errors.ts';
import type { Health } from '../../../shared/platform/health.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { QUEUE_LIMITS, type HoldLimits } from '../../../shared/platform/queues/queue-limits.ts';
import type { Timers } from '../../../shared/platform/timers.ts';
import { ReadBack, readWriteMark } from '../ledger/read-back.ts';
import {
  followerEnd,
  followerRecord,
  headEnd,
  headRecord,
  isUrgentKey,
  readHoldRecord,
  type Follower,
  type Head,
  type HoldRecord,
} from './hold-records.ts';

export interface HoldTopicOptions {
  readonly broker: Pick<Broker, 'createTail'>;
  readonly publisher: Publisher;
  readonly topic: string;
  readonly clientId: string;
  readonly self: string;
  /** Measures the age of a head, and limits the times that other processes wrote. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly limits?: Partial<HoldLimits>;
}

const URGENT_EXTRA = 1.1;

/** The head and followers of one key. */
export interface HeldKey {
  readonly partition: number;
  readonly head: Head | undefined;
  /** In order. */
  readonly followers: readonly Follower[];
}

type HeadRecord = Extract<HoldRecord, { readonly kind: 'head' }>;

interface KeyState {
  readonly partition: number;
  head: Head | undefined;
  /** The write of the head, see isOvertaken. */
  headWrite: string | undefined;
  readonly followers: Map<number, Follower>;
  sorted: readonly Follower[] | undefined;
}

/**
 * The hold topic with its content in memory: for each key whose head waits on a retry tier, the head and its followers. The
 * topic has the partitions of the commands. It is written before the commands' offsets are committed, and read by every
 * instance, so that the next owner of a partition continues in the same order. Whole messages are kept in memory, since they
 * are sent soon.
 */
export class HoldTopic {
  readonly #options: HoldTopicOptions;
  readonly #limits: HoldLimits;
  readonly #tail: Tail;
  readonly #readBack: ReadBack;
  readonly #keys = new Map<string, KeyState>();
  readonly #bytesByPartition = new Map<number, number>();
  #followers = 0;
  #bytes = 0;
  /** Being written, and not read back yet. */
  readonly #coming = { keys: 0, followers: 0, bytes: 0 };
  #badRecords = 0;

  constructor(options: HoldTopicOptions) {
    this.#options = options;
    this.#limits = { ...QUEUE_LIMITS.hold, ...options.limits };
    const { broker, topic, clientId } = options;
    this.#tail = broker.createTail({ clientId, topics: [topic], from: 'earliest' });
    this.#readBack = new ReadBack(options.publisher, options.self, options.timers);
  }

  /** Resolves when the records that were on the topic have been read. Rejects after the timeout. */
  async start(timeoutMs: number): Promise<void> {
    await this.#tail.start((message) => this.#read(message));
    await this.#tail.caughtUp(timeoutMs);
  }

  /** Resolves when the records that are on the topic now have been read. */
  caughtUp(timeoutMs: number): Promise<void> {
    return this.#tail.caughtUp(timeoutMs);
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  get(key: string): HeldKey | undefined {
    const state = this.#keys.get(key);
    if (state === undefined) return undefined;
    state.sorted ??= [...state.followers.values()].toSorted((one, other) => one.offset - other.offset);
    return { partition: state.partition, head: state.head, followers: state.sorted };
  }

  keys(): IterableIterator<string> {
    return this.#keys.keys();
  }

  /** Whether another message of a key, with its bytes, can be kept. */
  hasRoom(key: string, partition: number, bytes: number): boolean {
    const { followersPerKey, followers, bytesPerPartition, bytes: allBytes } = this.#limits;
    const extra = isUrgentKey(key) ? URGENT_EXTRA : 1;
    return (
      (this.#keys.get(key)?.followers.size ?? 0) < followersPerKey &&
      this.#followers + this.#coming.followers < Math.floor(followers * extra) &&
      (this.#bytesByPartition.get(partition) ?? 0) + bytes <= bytesPerPartition * extra &&
      this.#bytes + this.#coming.bytes + bytes <= allBytes * extra
    );
  }

  /** Whether a key can get a head. One that has a head or followers always can, since it takes no further memory. */
  hasRoomForHead(key: string): boolean {
    if (this.#keys.has(key)) return true;
    const extra = isUrgentKey(key) ? URGENT_EXTRA : 1;
    return this.#keys.size + this.#coming.keys < Math.floor(this.#limits.keys * extra);
  }

  /**
   * This method and the next three resolve when the record was read back, and reject when the broker is unavailable. This one
   * also rejects when another process set a head meanwhile: it has, or had, the partition of the key.
   */
  async setHead(key: string, partition: number, head: Head): Promise<void> {
    const known = this.#keys.get(key);
    const record = headRecord(this.#options.topic, { key, partition }, head, known?.head);
    await this.#writeCounted(record, { keys: known === undefined ? 1 : 0 });
    const present = this.#keys.get(key)?.head;
    if (present?.id !== head.id || present.attempt !== head.attempt)
      throw new InfrastructureError('head-replaced', 'another process changed the order of a receiver');
  }

  endHead(key: string, partition: number): Promise<void> {
    const ended = this.#keys.get(key)?.head;
    return this.#readBack.write(headEnd(this.#options.topic, key, partition, ended));
  }

  keep(key: string, partition: number, follower: Follower): Promise<void> {
    const record = followerRecord(this.#options.topic, key, partition, follower);
    return this.#writeCounted(record, { followers: 1, bytes: contentBytes(follower) });
  }

  endFollower(key: string, partition: number, offset: number): Promise<void> {
    return this.#readBack.write(followerEnd(this.#options.topic, key, partition, offset));
  }

  figures() {
    return {
      keys: this.#keys.size,
      followers: this.#followers,
      bytes: this.#bytes,
      badRecords: this.#badRecords,
    };
  }

  health(): Health {
    const { topic } = this.#options;
    if (!this.#tail.isReady()) return { status: 'degraded', reason: `${topic} is not being read` };
    if (this.#keys.size >= this.#limits.keys) {
      const effect = 'while one of their messages is retried, later ones are sent';
      return { status: 'degraded', reason: `${topic} has no room for further receivers: ${effect}` };
    }
    if (this.#bytes < this.#limits.bytes && this.#followers < this.#limits.followers)
      return { status: 'ready' };
    return { status: 'degraded', reason: `${topic} is full: further messages may overtake each other` };
  }

  stop(timeoutMs: number): Promise<void> {
    return this.#tail.stop(timeoutMs);
  }

  /** Writes a record; what it adds counts towards the limits until it was read back. */
  async #writeCounted(
    record: OutgoingMessage,
    { keys = 0, followers = 0, bytes = 0 }: { keys?: number; followers?: number; bytes?: number },
  ): Promise<void> {
    const coming = this.#coming;
    coming.keys += keys;
    coming.followers += followers;
    coming.bytes += bytes;
    try {
      await this.#readBack.write(record);
    } finally {
      coming.keys -= keys;
      coming.followers -= followers;
      coming.bytes -= bytes;
    }
  }

  #read(message: LogMessage): void {
    const record = readHoldRecord(message, this.#options.clock.now());
    if (record === undefined) {
      this.#badRecords += 1;
      const { topic, partition, offset } = message;
      this.#options.log.warn({ topic, partition, offset }, 'a record of the hold topic was skipped');
    } else {
      const { key, partition } = record;
      const state = this.#keys.get(key) ?? {
        partition,
        head: undefined,
        headWrite: undefined,
        followers: new Map(),
        sorted: undefined,
      };
      this.#keys.set(key, state);
      if (record.kind === 'head') this.#setHead(state, record, headerText(message.headers, HEADER.write));
      else this.#setFollower(state, record.offset, record.follower);
      if (state.head === undefined && state.followers.size === 0) this.#keys.delete(key);
    }
    this.#readBack.seen(message);
  }

  /** Applies the record of a head, unless it is late. */
  #setHead(state: KeyState, record: HeadRecord, write: string | undefined): void {
    if (!isOvertaken(write, state.headWrite) && !isOfEarlier(record, state.head)) {
      state.head = record.head;
      state.headWrite = write;
    } else if (state.head !== undefined && readWriteMark(state.headWrite)?.self === this.#options.self)
      void this.#repeatHead(record, state.head);
  }

  /**
   * Writes the present head of this process again, as the one that replaces the late head: compaction may keep only the late
   * record, which others have ignored, and this one.
   */
  async #repeatHead(late: HeadRecord, head: Head): Promise<void> {
    const { topic, log } = this.#options;
    const { partition } = late;
    try {
      await this.#readBack.write(headRecord(topic, late, head, late.head));
    } catch (error) {
      log.warn(
        { topic, partition, reason: errorText(error) },
        'a head of the hold topic was not written again',
      );
    }
  }

  #setFollower(state: KeyState, offset: number, follower: Follower | undefined): void {
    const former = state.followers.get(offset);
    if (former !== undefined) this.#count(state.partition, -1, -contentBytes(former));
    if (follower === undefined) state.followers.delete(offset);
    else {
      state.followers.set(offset, follower);
      this.#count(state.partition, 1, contentBytes(follower));
    }
    state.sorted = undefined;
  }

  #count(partition: number, followers: number, bytes: number): void {
    this.#followers += followers;
    this.#bytes += bytes;
    const left = (this.#bytesByPartition.get(partition) ?? 0) + bytes;
    if (left === 0) this.#bytesByPartition.delete(partition);
    else this.#bytesByPartition.set(partition, left);
  }
}

/**
 * Whether a record ends or replaces an earlier head than the present one: a process that stood still, or whose request was
 * delayed, writes it after another has taken over its partition. One that writes the present head again does not.
 */
function isOfEarlier({ former, head }: HeadRecord, present: Head | undefined): boolean {
  if (former === undefined || present === undefined) return false;
  if (head?.id === present.id && head.attempt === present.attempt) return false;
  return former === 'none' || former.id !== present.id || former.attempt < present.attempt;
}

/**
 * Whether a write of the same process was read before that began later. A produce request that its client has given up and
 * repeated may take effect after later ones, and would otherwise bring an earlier head back.
 */
function isOvertaken(write: string | undefined, known: string | undefined): boolean {
  const one = readWriteMark(write);
  const other = readWriteMark(known);
  return one !== undefined && other !== undefined && one.self === other.self && one.number < other.number;
}
