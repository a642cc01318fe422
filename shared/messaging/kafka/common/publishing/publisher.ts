import { monotonicClock, type Clock } from '../../../../platform/clock.ts';
import { errorText, MessagingError } from '../../../../platform/errors.ts';
import { RepeatedFailure, type Log } from '../../../../platform/log.ts';
import {
  isDamaged,
  isMaybeStored,
  isTopicUnknown,
  refusedRecord,
  toMessagingError,
} from '../connection/errors.ts';
import { PublishCall, type PublishEntry } from './publish-call.ts';
import type { ConnectSender, PublishFailure, RecordSender, SenderConnection } from './record-sender.ts';
import type { PartitionQueue } from './partition-queue.ts';
import { PublishQueue, markMaybeStored, type PublishSlice } from './publish-queue.ts';
import { toRecord, type OutgoingRecord } from './record.ts';
import { RejectedSizes } from './rejected-sizes.ts';
import { RecordPlacement } from './record-placement.ts';
import type { TopicPartitions } from './topic-partitions.ts';
import { publishFailed } from '../../../broker-errors.ts';
import { hasRoom, type Queued } from '../../../publisher-queues.ts';
import type { OutgoingMessage } from '../../../message.ts';
import { CLIENT_DEFAULTS, type Publisher, type PublisherOptions } from '../../../ports.ts';

const MIB = 1_024 * 1_024;

/** A publish is abandoned at most this long after its deadline. Also the interval at which start() and stop() check their end. */
const EXPIRY_INTERVAL_MS = 100;
/** None of our topics allows larger records (max.message.bytes), so they are rejected immediately. */
const MAX_RECORD_BYTES = 8 * MIB;

interface PublisherParts {
  readonly connectSender: ConnectSender;
  readonly topics: TopicPartitions;
  readonly log: Log;
  /** The time of records whose message has none. */
  readonly clock: Clock;
  /** Called when the publisher has stopped, so that the broker does not stop it again. */
  readonly onStopped: (publisher: Publisher) => void;
}

/**
 * Publishes with acks=all, at least once, in order per partition. One send is in flight at a time, or one to each leader if the
 * sender knows them; messages published meanwhile form the next one, without linger: an idle publisher sends immediately. A new sender repeats the unconfirmed records of a
 * failed send. If a response was lost, this may store a record twice; consumers identify records by their ids.
 */
const FULL = 'its queue is full';

export class KafkaPublisher implements Publisher {
  readonly #options: PublisherOptions;
  readonly #parts: PublisherParts;
  readonly #deadlineMs: number;
  readonly #queue = new PublishQueue();
  readonly #rejectedSizes = new RejectedSizes();
  readonly #placement: RecordPlacement;
  readonly #connection: SenderConnection;
  readonly #sending: RepeatedFailure;
  #state: 'new' | 'started' | 'stopping' | 'stopped' = 'new';
  /** Slices that are in flight and not yet confirmed, by partition. */
  readonly #inFlight = new Map<PartitionQueue, PublishSlice>();
  /** The leaders with a send in flight; undefined for unknown ones, and if the sender does not know them. */
  readonly #busy = new Set<string | undefined>();
  /** Records that a leader has once received damaged. */
  readonly #damaged = new WeakSet<PublishEntry>();
  /** Topics that are being queried because the broker did not know them. */
  readonly #rechecked = new Set<string>();
  #isPumpDue = false;
  #wakeTimer: NodeJS.Timeout | undefined;
  /** Set while records are queued; undefined otherwise. */
  #expiryTimer: NodeJS.Timeout | undefined;
  /** Called at each change while start() or stop() waits. */
  readonly #watchers = new Set<() => void>();

  constructor(options: PublisherOptions, parts: PublisherParts) {
    this.#options = options;
    this.#parts = parts;
    this.#deadlineMs = options.deadlineMs ?? CLIENT_DEFAULTS.publishDeadlineMs;
    this.#placement = new RecordPlacement(parts.topics, this.#queue, () => this.#pump());
    const { connectSender, log } = parts;
    const { clientId } = options;
    const connecting = new RepeatedFailure(log, monotonicClock);
    this.#sending = new RepeatedFailure(log, monotonicClock);
    this.#connection = connectSender({
      clientId,
      onReady: () => {
        connecting.ended({ clientId }, 'publisher is connected again');
        this.#pump();
      },
      onFailed: (error) =>
        connecting.failed({ clientId, error: errorText(error) }, 'publisher cannot connect, retrying'),
    });
  }

  /** Connects. Rejects with `broker-unavailable` when that does not succeed within the publish deadline. */
  async start(): Promise<void> {
    if (this.#state === 'new') {
      this.#state = 'started';
      this.#connection.open();
    }
    if (await this.#until(() => this.#connection.sender !== undefined, this.#deadlineMs)) return;
    throw toMessagingError(`publisher ${this.#options.clientId}`, this.#connection.lastError);
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return Promise.resolve();
    if (this.#state === 'stopping' || this.#state === 'stopped') return this.#refuse('it was stopped');
    // Before it is encoded: while the broker is unavailable, refusals should cost little.
    if (!hasRoom(this.queued, { messages: messages.length, bytes: 0 })) return this.#refuse(FULL);
    const now = performance.now();
    let bytes = 0;
    const records = messages.map((message) => {
      const record = this.#encode(message, now);
      if (!(record instanceof MessagingError)) bytes += record.bytes;
      return record;
    });
    if (!hasRoom(this.queued, { messages: records.length, bytes })) return this.#refuse(FULL);
    const call = new PublishCall(this.#options.clientId, messages.length, now + this.#deadlineMs);
    for (const [index, { topic }] of messages.entries()) {
      const encoded = records[index];
      if (encoded instanceof MessagingError) call.recordDone(encoded);
      else if (encoded !== undefined) {
        const { record, bytes: size, valueBytes } = encoded;
        this.#placement.place(topic, { record, bytes: size, valueBytes, call }, now);
      }
    }
    this.#pumpSoon();
    // The first deadline is that of the oldest call.
    this.#expiryTimer ??= setTimeout(() => this.#expire(), this.#deadlineMs).unref();
    return call.promise;
  }

  /** Records in flight are included. */
  get queued(): Queued {
    const { records, bytes } = this.#queue;
    return { messages: records + this.#placement.records, bytes: bytes + this.#placement.bytes };
  }

  isHealthy(): boolean {
    return this.#state === 'started' && this.#connection.isConnected();
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#state === 'stopped') return;
    const isStarted = this.#state !== 'new';
    this.#state = 'stopping';
    const isDone = () => this.#queue.records + this.#placement.records === 0 && this.#busy.size === 0;
    await this.#until(isDone, isStarted ? timeoutMs : 0);
    this.#state = 'stopped';
    this.#queue.giveUpAll('it was stopped', [...this.#inFlight.values()]);
    this.#placement.giveUpAll('it was stopped');
    clearTimeout(this.#expiryTimer);
    clearTimeout(this.#wakeTimer);
    this.#connection.close();
    this.#parts.onStopped(this);
  }

  /** The record of a message, or why it cannot be published. */
  #encode(message: OutgoingMessage, nowMs: number): OutgoingRecord | MessagingError {
    try {
      const encoded = toRecord(message, this.#parts.clock.now());
      const { record, bytes } = encoded;
      if (bytes > MAX_RECORD_BYTES) {
        const text = `a message for ${message.topic} has ${bytes} bytes, more than the limit of ${MAX_RECORD_BYTES}`;
        throw new MessagingError('message-too-large', text, { canRetry: false });
      }
      if (this.#rejectedSizes.includes(message.topic, record, nowMs)) {
        const text = `a message for ${message.topic} has ${bytes} bytes, and the topic rejected a smaller one`;
        throw new MessagingError('message-too-large', text, { canRetry: false });
      }
      return encoded;
    } catch (error) {
      return toMessagingError('publish', error);
    }
  }

  /** After the current turn of the event loop, so that all calls of one turn share a request. */
  #pumpSoon(): void {
    if (this.#isPumpDue || this.#isSendingAll()) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (const watcher of this.#watchers) watcher();
    const { sender } = this.#connection;
    if (sender === undefined || this.#queue.records === 0 || this.#isSendingAll()) return;
    const now = performance.now();
    const leaderOf = ({ topic, partition }: PartitionQueue) => sender.leaderOf?.(topic, partition);
    const isFree = (queue: PartitionQueue) => !this.#inFlight.has(queue) && !this.#busy.has(leaderOf(queue));
    for (;;) {
      const slices = this.#queue.take(now, isFree);
      if (slices.length === 0) break;
      for (const [leader, part] of Map.groupBy(slices, ({ queue }) => leaderOf(queue))) {
        void this.#send(sender, leader, part);
      }
      if (this.#isSendingAll()) return;
    }
    this.#wakeAt(this.#queue.nextDueMs(isFree), now);
  }

  /** Whether a send is in flight for which all others wait. */
  #isSendingAll(): boolean {
    return this.#busy.size > 0 && this.#connection.sender?.leaderOf === undefined;
  }

  async #send(
    sender: RecordSender,
    leader: string | undefined,
    slices: readonly PublishSlice[],
  ): Promise<void> {
    this.#busy.add(leader);
    for (const slice of slices) this.#inFlight.set(slice.queue, slice);
    const takenMs = performance.now();
    const isAlone = slices[0]?.queue.goesAlone === true;
    const failures = await sender.send(slices, (stored) => this.#stored(stored));
    this.#busy.delete(leader);
    this.#ended(slices);
    if (this.#state === 'stopped') return;
    if (failures.length > 0) {
      if (isAlone) this.#queue.failedAlone(takenMs, performance.now());
      this.#repeat(sender, failures, slices.length === 1);
    }
    this.#pump();
  }

  /** Called while the send is pending: a broker may be silent for seconds after others have answered. */
  #stored(slices: readonly PublishSlice[]): void {
    if (this.#state === 'stopped') return;
    this.#sending.ended({ clientId: this.#options.clientId }, 'publisher sends again');
    this.#ended(slices);
    this.#queue.settle(slices);
  }

  /** The partitions of slices that were stored early may already be in flight again. */
  #ended(slices: readonly PublishSlice[]): void {
    for (const slice of slices) {
      if (this.#inFlight.get(slice.queue) === slice) this.#inFlight.delete(slice.queue);
    }
  }

  /** Repeats the slices that were not permanently rejected. */
  #repeat(sender: RecordSender, failures: readonly PublishFailure[], isSingle: boolean): void {
    const repeated = failures.filter((failure) => !this.#isRefused(failure, failures.length === 1));
    if (repeated.length === 0) return;
    this.#connection.discard(
      sender,
      repeated.map(({ slice }) => slice),
    );
    const now = performance.now();
    const unknown = new Set<string>();
    for (const { slice, fate, error } of repeated) {
      if (isMaybeStored(fate, error)) markMaybeStored([slice]);
      if (isSingle || fate === 'answered' || fate === 'lost') {
        for (const { call } of slice.entries) call.lastError = error;
      }
      if (fate === 'answered') slice.queue.delay(now);
      else slice.queue.distrust(now);
      if (isTopicUnknown(error)) unknown.add(slice.queue.topic);
    }
    const texts = new Set(repeated.map(({ error }) => toMessagingError('send', error).message));
    const { clientId } = this.#options;
    const fields = { clientId, error: [...texts].join('; '), slices: repeated.length };
    this.#sending.failed(fields, 'send failed, retrying');
    for (const topic of unknown) void this.#recheck(topic);
  }

  /** Rejects the record at fault, or sends the slice's records one by one to find it. False when no record is at fault. */
  #isRefused({ slice, fate, error }: PublishFailure, isOnlyFailure: boolean): boolean {
    const isErrorOfSlice = fate === 'answered' || (isOnlyFailure && fate === 'unwritable');
    const refusal = isErrorOfSlice ? refusedRecord(error) : undefined;
    if (refusal === undefined) return false;
    const [first] = slice.entries;
    if (slice.entries.length === 1 && first !== undefined) {
      if (isDamaged(error) && !this.#damaged.has(first)) {
        this.#damaged.add(first);
        return false;
      }
      if (refusal.code === 'message-too-large') {
        this.#rejectedSizes.add(slice.queue.topic, first.record, performance.now());
      }
      this.#queue.settle([slice], refusal);
    } else slice.queue.sendSingly(slice.entries.length);
    return true;
  }

  /** Rejects the queued records of the topic if it was deleted or this client has no permission. */
  async #recheck(topic: string): Promise<void> {
    if (this.#rechecked.has(topic)) return;
    this.#rechecked.add(topic);
    try {
      await this.#parts.topics.find(topic);
    } catch (error) {
      if (error instanceof MessagingError && error.code === 'topic-unknown')
        this.#queue.refuse(topic, error, [...this.#inFlight.values()]);
    }
    this.#rechecked.delete(topic);
  }

  #wakeAt(dueMs: number | undefined, nowMs: number): void {
    clearTimeout(this.#wakeTimer);
    if (dueMs !== undefined) this.#wakeTimer = setTimeout(() => this.#pump(), Math.max(1, dueMs - nowMs));
  }

  #expire(): void {
    const now = performance.now();
    if (this.#queue.records > 0) this.#queue.expire(now, [...this.#inFlight.values()]);
    if (this.#placement.records > 0) this.#placement.expire(now);
    const isEmpty = this.#queue.records + this.#placement.records === 0;
    this.#expiryTimer = isEmpty ? undefined : setTimeout(() => this.#expire(), EXPIRY_INTERVAL_MS).unref();
  }

  #refuse(reason: string): Promise<never> {
    return Promise.reject(publishFailed(this.#options.clientId, reason));
  }

  /** Whether the condition became true in time. */
  async #until(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
    if (isTrue()) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const watcher = () => {
      if (isTrue()) resolve(true);
    };
    this.#watchers.add(watcher);
    const timer = setTimeout(() => resolve(false), timeoutMs);
    const checks = setInterval(watcher, EXPIRY_INTERVAL_MS);
    const result = await promise;
    clearTimeout(timer);
    clearInterval(checks);
    this.#watchers.delete(watcher);
    return result;
  }
}
