import { MessagingError } from '../../platform/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SystemPorts } from '../../platform/system-ports.ts';
import type { Timers } from '../../platform/timers.ts';
import { HEADER } from '../header-names.ts';
import { headerText } from '../headers.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import type { EmbeddedScheduler } from './scheduler.ts';
import { recordBytes, type PartitionLog } from './partition-log.ts';
import type { SqliteStore } from './sqlite-store.ts';
import { parseTopicConfig, type MemoryLimits, type EmbeddedTopicConfig } from './topic-config.ts';
import { topicUnknown } from '../broker-errors.ts';
import { partitionId, type OutgoingMessage, type PartitionOffset } from '../message.ts';
import type { TopicSpec, TopicStorage } from '../ports.ts';

/** Between removals of expired rows, each of which takes a few milliseconds. */
const SWEEP_PAUSE_MS = 10;

export interface EmbeddedTopic {
  readonly storage: TopicStorage | undefined;
  readonly config: EmbeddedTopicConfig;
  readonly logs: readonly PartitionLog[];
  /** Partition of the next message without a key. */
  nextPartition: number;
}

/** A group or a tail, whose unread records are kept. */
export interface LogUser {
  /** Records from this offset on are not removed to make room. Infinity: it does not read the partition. */
  keepFrom(topic: string, partition: number): number;
}

/** A publisher, a consumer or a tail, which is stopped when the broker closes. */
export interface Stoppable {
  stop(timeoutMs?: number): Promise<void>;
}

/** Shared by the publishers, consumers and tails of one broker. */
export interface EmbeddedParts {
  readonly topics: EmbeddedTopics;
  readonly scheduler: EmbeddedScheduler;
  readonly ports: SystemPorts;
  /** Resolves when the offsets are stored. Rejects with MessagingError `broker-unavailable`. */
  saveCommits(groupId: string, offsets: readonly PartitionOffset[]): Promise<void>;
  /** Whether the store takes records. */
  isStoring(): boolean;
  /** Called when the part has stopped, so that the broker does not stop it again. */
  onStopped(part: Stoppable): void;
}

/** All topics of the broker. */
export class EmbeddedTopics {
  readonly #topics = new Map<string, EmbeddedTopic>();
  readonly #users = new Set<LogUser>();
  readonly #clock: Clock;
  readonly #limits: MemoryLimits;
  readonly #store: SqliteStore;
  readonly #scheduler: EmbeddedScheduler;
  readonly #timers: Timers;
  /** The logs that the sweep in progress has yet to visit. */
  #unswept: PartitionLog[] = [];

  constructor(options: {
    clock: Clock;
    limits: MemoryLimits;
    scheduler: EmbeddedScheduler;
    timers: Timers;
    store: SqliteStore;
  }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#store = options.store;
    this.#scheduler = options.scheduler;
    this.#timers = options.timers;
    this.#store.open((log) => {
      for (const reader of log.readers) this.#scheduler.wake(reader);
    });
    for (const { spec, config, logs } of this.#store.topics) {
      this.#topics.set(spec.topic, { storage: spec.storage, config, logs, nextPartition: 0 });
    }
  }

  /** Creates a topic; returns false if it exists. Throws MessagingError `invalid-topic`. */
  create(spec: TopicSpec): boolean {
    const config = parseTopicConfig(spec, this.#limits);
    if (this.#topics.has(spec.topic)) return false;
    const logs = this.#store.createLogs(spec, config);
    this.#topics.set(spec.topic, { storage: spec.storage, config, logs, nextPartition: 0 });
    return true;
  }

  /** See SqliteStore.flushed(). */
  flushed(): Promise<void> | undefined {
    return this.#store.flushed();
  }

  /** Names the partition of a message; of one without a key only the topic if it may be any of several partitions. */
  placeOf({ topic, partition, key }: OutgoingMessage): string {
    const count = this.find(topic)?.logs.length ?? 0;
    if (partition !== undefined) return partitionId(topic, partition);
    if (count === 1) return partitionId(topic, 0);
    if (key === null || count === 0) return topic;
    return partitionId(topic, partitionOfKey(typeof key === 'string' ? Buffer.from(key) : key, count));
  }

  names(): string[] {
    return [...this.#topics.keys()];
  }

  find(topic: string): EmbeddedTopic | undefined {
    return this.#topics.get(topic);
  }

  /** Throws MessagingError `topic-unknown`. */
  get(topic: string): EmbeddedTopic {
    const found = this.#topics.get(topic);
    if (found === undefined) throw topicUnknown(topic);
    return found;
  }

  addUser(user: LogUser): void {
    this.#users.add(user);
  }

  removeUser(user: LogUser): void {
    this.#users.delete(user);
  }

  /**
   * Appends one message. `pending`: it is stored when flushed() has resolved; `full`: the log is full of unread records, or the
   * disk is slow, and the message was not appended. Throws MessagingError `topic-unknown`, `message-too-large` or
   * `invalid-message`.
   */
  append(message: OutgoingMessage): 'done' | 'pending' | 'full' {
    const topic = this.get(message.topic);
    const key = typeof message.key === 'string' ? Buffer.from(message.key) : message.key;
    checkMessage(message, key, topic.config);
    const log = topic.logs[partitionFor(topic, message.partition, key)];
    if (log === undefined) throw topicUnknown(message.topic, message.partition);
    const now = this.#clock.now();
    if (log.isFull()) {
      log.makeRoom(this.#keepFrom(log), now);
      if (log.isFull()) return 'full';
    }
    const result = log.append(message, key, now, this.#isInMemory(topic, message));
    if (log.isCrowded) this.#forgetRead(log);
    return result;
  }

  /**
   * Applies retention and compaction to all logs, and removes what their readers have read meanwhile; called periodically, for logs
   * without appends. A long sweep goes on after pauses, and a call during it has no effect.
   */
  sweep(): void {
    if (this.#unswept.length > 0) return;
    this.#unswept = [...this.#topics.values()].flatMap(({ logs }) => logs);
    this.#sweepSome();
  }

  /** Visits logs until one has removed rows, which is enough for a turn. */
  #sweepSome(): void {
    const now = this.#clock.now();
    for (let log = this.#unswept.shift(); log !== undefined; log = this.#unswept.shift()) {
      const isMore = log.sweep(now);
      this.#forgetRead(log);
      if (!isMore) continue;
      this.#unswept.push(log);
      this.#timers.schedule(() => this.#sweepSome(), SWEEP_PAUSE_MS, 'background');
      return;
    }
  }

  /** A request needs the disk if its reply does. Nobody waits for the reply to one that was redriven. */
  #isInMemory({ storage }: EmbeddedTopic, { headers = {} }: OutgoingMessage): boolean {
    if (storage !== 'as-reply') return storage === 'memory';
    const replyTopic = headerText(headers, HEADER.replyTopic);
    if (replyTopic === undefined || headers[HEADER.redriveCount] !== undefined) return false;
    return this.#topics.get(replyTopic)?.storage === 'memory';
  }

  /** Records without a reader, such as dead letters, are kept for commands. */
  #forgetRead(log: PartitionLog): void {
    const keepFrom = this.#keepFrom(log);
    log.forgetRead(keepFrom === Infinity ? log.low : keepFrom);
  }

  #keepFrom(log: PartitionLog): number {
    let lowest = Infinity;
    for (const user of this.#users) lowest = Math.min(lowest, user.keepFrom(log.topic, log.partition));
    return lowest;
  }
}

function partitionFor(topic: EmbeddedTopic, wanted: number | undefined, key: Buffer | null): number {
  if (wanted !== undefined) return wanted;
  const count = topic.logs.length;
  if (key !== null) return partitionOfKey(key, count);
  const partition = topic.nextPartition;
  topic.nextPartition = (partition + 1) % count;
  return partition;
}

/** Kafka limits the compressed batch; here the limit applies to the uncompressed bytes, which is stricter. */
function checkMessage(message: OutgoingMessage, key: Buffer | null, config: EmbeddedTopicConfig): void {
  const { value, headers = {} } = message;
  const bytes = recordBytes(key, value, headers);
  if (bytes > config.maxMessageBytes) {
    const text = `a message of ${bytes} bytes is larger than ${message.topic} allows (${config.maxMessageBytes})`;
    throw new MessagingError('message-too-large', text, { canRetry: false });
  }
  if (config.compact && key === null) {
    const text = `${message.topic} is compacted: every message needs a key`;
    throw new MessagingError('invalid-message', text, { canRetry: false });
  }
}
