import { MessagingError } from '../../platform/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SystemPorts } from '../../platform/system-ports.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import type { MemoryScheduler } from './scheduler.ts';
import type { FaultPlan } from './injected-faults.ts';
import { MemoryLog, recordBytes } from './log.ts';
import { parseTopicConfig, type MemoryLimits, type MemoryTopicConfig } from './topic-config.ts';
import { topicUnknown } from '../broker-errors.ts';
import type { OutgoingMessage } from '../message.ts';
import type { TopicSpec } from '../ports.ts';

export interface MemoryTopic {
  readonly config: MemoryTopicConfig;
  readonly logs: readonly MemoryLog[];
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
export interface MemoryParts {
  readonly topics: MemoryTopics;
  readonly scheduler: MemoryScheduler;
  readonly ports: SystemPorts;
  readonly faults: FaultPlan | undefined;
  /** Called when the part has stopped, so that the broker does not stop it again. */
  onStopped(part: Stoppable): void;
}

/** All topics of the broker. */
export class MemoryTopics {
  readonly #topics = new Map<string, MemoryTopic>();
  readonly #users = new Set<LogUser>();
  readonly #clock: Clock;
  readonly #limits: MemoryLimits;
  readonly #scheduler: MemoryScheduler;

  constructor(options: { clock: Clock; limits: MemoryLimits; scheduler: MemoryScheduler }) {
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#scheduler = options.scheduler;
  }

  /** Creates a topic; returns false if it exists. Throws MessagingError `invalid-topic`. */
  create(spec: TopicSpec): boolean {
    const config = parseTopicConfig(spec, this.#limits);
    if (this.#topics.has(spec.topic)) return false;
    const logs = Array.from(
      { length: spec.partitions },
      (_, index) => new MemoryLog(spec.topic, index, config),
    );
    this.#topics.set(spec.topic, { config, logs, nextPartition: 0 });
    return true;
  }

  delete(topic: string): boolean {
    return this.#topics.delete(topic);
  }

  names(): string[] {
    return [...this.#topics.keys()];
  }

  find(topic: string): MemoryTopic | undefined {
    return this.#topics.get(topic);
  }

  /** Throws MessagingError `topic-unknown`. */
  get(topic: string): MemoryTopic {
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
   * Appends one message and wakes the partition's readers. `full`: the log is full of unread records and the message was not
   * stored. Throws MessagingError `topic-unknown`, `message-too-large` or `invalid-message`.
   */
  append(message: OutgoingMessage): 'stored' | 'full' {
    const topic = this.get(message.topic);
    const key = typeof message.key === 'string' ? Buffer.from(message.key) : message.key;
    checkMessage(message, key, topic.config);
    const log = topic.logs[partitionFor(topic, message.partition, key)];
    if (log === undefined) throw topicUnknown(message.topic, message.partition);
    const now = this.#clock.now();
    log.expire(now);
    if (log.isFull()) {
      log.makeRoom(this.#keepFrom(log), now);
      if (log.isFull()) return 'full';
    }
    log.append(message, key, now);
    log.compactIfWorthwhile(now);
    for (const reader of log.readers) this.#scheduler.wake(reader);
    return 'stored';
  }

  /** Applies retention and compaction to all logs; called periodically, for logs without appends. */
  sweep(): void {
    const now = this.#clock.now();
    for (const { logs } of this.#topics.values()) {
      for (const log of logs) {
        log.expire(now);
        log.compact(now);
      }
    }
  }

  #keepFrom(log: MemoryLog): number {
    let lowest = Infinity;
    for (const user of this.#users) lowest = Math.min(lowest, user.keepFrom(log.topic, log.partition));
    return lowest;
  }
}

function partitionFor(topic: MemoryTopic, wanted: number | undefined, key: Buffer | null): number {
  if (wanted !== undefined) return wanted;
  const count = topic.logs.length;
  if (key !== null) return partitionOfKey(key, count);
  const partition = topic.nextPartition;
  topic.nextPartition = (partition + 1) % count;
  return partition;
}

/** Kafka limits the compressed batch; here the limit applies to the uncompressed bytes, which is stricter. */
function checkMessage(message: OutgoingMessage, key: Buffer | null, config: MemoryTopicConfig): void {
  const bytes = recordBytes(key, message.value, message.headers ?? {});
  if (bytes > config.maxMessageBytes) {
    const text = `a message of ${bytes} bytes is larger than ${message.topic} allows (${config.maxMessageBytes})`;
    throw new MessagingError('message-too-large', text, { canRetry: false });
  }
  if (config.compact && key === null) {
    const text = `${message.topic} is compacted: every message needs a key`;
    throw new MessagingError('invalid-message', text, { canRetry: false });
  }
}
