import { MessagingError } from '../../platform/errors.ts';
import { sleep, type SystemPorts } from '../../platform/system-ports.ts';
import { partitionOfKey } from '../topics/key-partition.ts';
import type { EmbeddedScheduler } from './reader-rounds.ts';
import { recordBytes, type PartitionLog } from './partition-log.ts';
import { SqliteStore, type SqliteStoreOptions, type StoredTopic } from './sqlite-store.ts';
import { isInMemory, parseTopicConfig, type EmbeddedTopicConfig } from './topic-config.ts';
import { topicUnknown } from '../broker-errors.ts';
import { partitionId, type OutgoingMessage } from '../message.ts';
import type { Drainable } from '../start-stop-order.ts';
import type { TopicSpec } from '../ports.ts';

/** Pause between removals of expired rows. Each removal blocks the event loop for a few milliseconds. */
const SWEEP_PAUSE_MS = 10;

export interface LogUser {
  /** Records from this offset on must not be removed to make room. Infinity if the user does not read the partition. */
  keepFrom(topic: string, partition: number): number;
}

export interface EmbeddedParts {
  readonly topics: EmbeddedTopics;
  readonly scheduler: EmbeddedScheduler;
  readonly ports: SystemPorts;
  onStopped(part: Drainable): void;
}

export class EmbeddedTopics {
  readonly store: SqliteStore;
  readonly users = new Set<LogUser>();
  readonly #options: Omit<SqliteStoreOptions, 'onReadable'>;
  #isSweeping = false;

  constructor(options: Omit<SqliteStoreOptions, 'onReadable'>, scheduler: EmbeddedScheduler) {
    this.#options = options;
    const onReadable = (log: PartitionLog): void => {
      for (const reader of log.readers) scheduler.wake(reader);
    };
    this.store = new SqliteStore({ ...options, onReadable });
  }

  /** Returns false if the topic exists. Throws MessagingError `invalid-topic`. */
  create(spec: TopicSpec): boolean {
    const config = parseTopicConfig(spec, this.#options.limits);
    if (this.store.topics.has(spec.topic)) return false;
    this.store.createTopic(spec, config);
    return true;
  }

  /** The id of the message's partition, or the name of its topic if append() will choose the partition. */
  partitionKeyOf({ topic, partition, key }: OutgoingMessage): string {
    const count = this.find(topic)?.logs.length ?? 0;
    if (partition !== undefined) return partitionId(topic, partition);
    if (count === 1) return partitionId(topic, 0);
    if (key === null || count === 0) return topic;
    return partitionId(topic, partitionOfKey(typeof key === 'string' ? Buffer.from(key) : key, count));
  }

  find(topic: string): StoredTopic | undefined {
    return this.store.topics.get(topic);
  }

  /** Throws MessagingError `topic-unknown`. */
  get(topic: string): StoredTopic {
    const found = this.find(topic);
    if (found === undefined) throw topicUnknown(topic);
    return found;
  }

  /** `pending`: the message is stored once `store.flushed()` resolves. `full`: not appended. Throws MessagingError. */
  append(message: OutgoingMessage): 'done' | 'pending' | 'full' {
    const topic = this.get(message.topic);
    const key = typeof message.key === 'string' ? Buffer.from(message.key) : message.key;
    checkMessage(message, key, topic.config);
    const log = topic.logs[partitionFor(topic, message.partition, key)];
    if (log === undefined) throw topicUnknown(message.topic, message.partition);
    const now = this.#options.ports.clock.now();
    if (log.isFull()) {
      log.makeRoom(this.#keepFrom(log), now);
      if (log.isFull()) return 'full';
    }
    const result = log.append(
      message,
      key,
      now,
      isInMemory(topic.spec, message, (name) => this.find(name)?.spec),
    );
    if (log.isCrowded) this.#forgetRead(log);
    return result;
  }

  /** Call it periodically. It removes only what had expired when it began, so that a busy log cannot prolong it. */
  async sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    const { clock, timers } = this.#options.ports;
    const nowMs = clock.now();
    for (const log of [...this.store.topics.values()].flatMap(({ logs }) => logs)) {
      while (log.sweep(nowMs)) await sleep(timers, SWEEP_PAUSE_MS);
      this.#forgetRead(log);
    }
    this.#isSweeping = false;
  }

  /** Without a reader, records that are only in memory, such as dead letters, stay there: a command may read them. */
  #forgetRead(log: PartitionLog): void {
    const keepFrom = this.#keepFrom(log);
    log.forgetRead(keepFrom === Infinity ? log.low : keepFrom);
  }

  #keepFrom(log: PartitionLog): number {
    let lowest = Infinity;
    for (const user of this.users) lowest = Math.min(lowest, user.keepFrom(log.topic, log.partition));
    return lowest;
  }
}

function partitionFor(topic: StoredTopic, wanted: number | undefined, key: Buffer | null): number {
  if (wanted !== undefined) return wanted;
  const count = topic.logs.length;
  if (key !== null) return partitionOfKey(key, count);
  const partition = topic.nextPartition;
  topic.nextPartition = (partition + 1) % count;
  return partition;
}

/** Kafka applies the limit to the compressed batch. Here it applies to the uncompressed record, which is stricter. */
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
