import { monotonicClock, type Clock } from '../../../../platform/clock.ts';
import { errorText, MessagingError } from '../../../../platform/errors.ts';
import { RepeatedFailure, type Log } from '../../../../platform/log.ts';
import { isMaybeStored, refusedRecord, toMessagingError } from '../connection/errors.ts';
import { PublishCall } from './publish-call.ts';
import { RecordSender, type ConnectProducer, type PlacedRecord, type SendFailure } from './record-sender.ts';
import { toRecord, type OutgoingRecord } from './record.ts';
import type { TopicPartitions } from './topic-partitions.ts';
import { publishFailed, topicUnknown } from '../../../broker-errors.ts';
import { hasRoom } from '../../../publisher-queues.ts';
import { partitionId, type OutgoingMessage } from '../../../message.ts';
import { CLIENT_DEFAULTS, type Publisher, type PublisherOptions } from '../../../ports.ts';
import { partitionOfKey } from '../../../topics/key-partition.ts';

const MIB = 1_024 * 1_024;

/** Limits of one send, and of the records of one partition in it: they form one batch, whose size the broker limits. */
const MAX_RECORDS = 1_000;
const MAX_BYTES = 4 * MIB;
const MAX_PARTITION_BYTES = MIB / 2;
/** None of our topics allows larger records (max.message.bytes), so they are rejected immediately. */
const MAX_RECORD_BYTES = 8 * MIB;
/** A partition whose send failed is sent alone for this time, so that its next failure concerns no other. */
const ALONE_MS = 10_000;
/** Delay before what failed is repeated, doubled with each failure in succession. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;
/** A publish is abandoned at most this long after its deadline. Also the interval at which start() and stop() check their end. */
const TICK_MS = 100;
/** Records without a key that are published in quick succession share a partition, up to this number and for this time. */
const MAX_SHARED = 8;
const SHARED_MS = 2;

interface PublisherParts {
  readonly connectProducer: ConnectProducer;
  readonly topics: TopicPartitions;
  readonly log: Log;
  /** The time of records whose message has none. */
  readonly clock: Clock;
  /** Called when the publisher has stopped, so that the broker does not stop it again. */
  readonly onStopped: (publisher: Publisher) => void;
}

interface Entry {
  readonly call: PublishCall;
  readonly record: PlacedRecord;
  /** A send with it has failed, and may have stored it. */
  isUnsure: boolean;
}

/** The unconfirmed records of one partition, in the order of publishing. */
interface Queue {
  readonly id: string;
  readonly topic: string;
  entries: Entry[];
  isSending: boolean;
  /** Times are monotonic milliseconds. */
  aloneUntilMs: number;
  notBeforeMs: number;
  failures: number;
  /** Number of next records that are sent one by one, because a batch with them was rejected. */
  singly: number;
}

interface Slice {
  readonly queue: Queue;
  readonly entries: readonly Entry[];
}

interface Unplaced {
  readonly call: PublishCall;
  readonly record: OutgoingRecord;
}

/**
 * Publishes with acks=all, at least once, in order per partition. One send is in flight at a time; messages published meanwhile form the
 * next one, without linger: an idle publisher sends immediately. A send that fails is repeated as a whole until the deadline, each
 * partition alone, so that one that cannot be written neither stops the others nor repeats their records again. Consumers identify
 * records that are stored twice by their ids.
 */
export class KafkaPublisher implements Publisher {
  readonly #clientId: string;
  readonly #parts: PublisherParts;
  readonly #deadlineMs: number;
  readonly #sender: RecordSender;
  readonly #connecting: RepeatedFailure;
  readonly #sending: RepeatedFailure;
  #state: 'new' | 'started' | 'stopping' | 'stopped' = 'new';
  #isConnecting = false;
  #connectFailures = 0;
  #connectError: unknown;
  #connectTimer: NodeJS.Timeout | undefined;
  /** Calls that are not settled, those with the first deadline first. */
  readonly #calls = new Set<PublishCall>();
  #queued = { messages: 0, bytes: 0 };
  /** Queues with records, in the order in which they are sent, and those whose last send failed, by partition. */
  readonly #queues = new Map<string, Queue>();
  /** Records of topics whose number of partitions is being asked for, in their order. */
  readonly #unplaced = new Map<string, Unplaced[]>();
  readonly #rechecked = new Set<string>();
  #isSharedInFlight = false;
  #inFlight = 0;
  #isPumpDue = false;
  #timer: NodeJS.Timeout | undefined;
  #sharedPartition = { number: 0, records: 0, sinceMs: Number.NEGATIVE_INFINITY };

  constructor(
    { clientId, deadlineMs = CLIENT_DEFAULTS.publishDeadlineMs }: PublisherOptions,
    parts: PublisherParts,
  ) {
    this.#clientId = clientId;
    this.#deadlineMs = deadlineMs;
    this.#parts = parts;
    this.#connecting = new RepeatedFailure(parts.log, monotonicClock);
    this.#sending = new RepeatedFailure(parts.log, monotonicClock);
    this.#sender = new RecordSender(parts.connectProducer, clientId, () => void this.#connect());
  }

  /** Connects. Rejects with `broker-unavailable` when that does not succeed within the publish deadline. */
  async start(): Promise<void> {
    if (this.#state === 'new') this.#state = 'started';
    void this.#connect();
    if (await until(() => this.#sender.isConnected(), this.#deadlineMs)) return;
    throw toMessagingError(`publisher ${this.#clientId}`, this.#connectError);
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return Promise.resolve();
    if (this.#state === 'stopping' || this.#state === 'stopped') return this.#refuse('it was stopped');
    // Before it is encoded: while the broker is unavailable, refusals should cost little.
    if (!hasRoom(this.#queued, { messages: messages.length, bytes: 0 })) return this.#refuse(FULL);
    let bytes = 0;
    const records = messages.map((message) => {
      const record = this.#encode(message);
      if (!(record instanceof MessagingError)) bytes += record.bytes;
      return record;
    });
    if (!hasRoom(this.#queued, { messages: records.length, bytes })) return this.#refuse(FULL);
    const now = performance.now();
    const call = new PublishCall(this.#clientId, { records: records.length, bytes }, now + this.#deadlineMs);
    this.#calls.add(call);
    this.#queued = { messages: this.#queued.messages + call.records, bytes: this.#queued.bytes + bytes };
    for (const [index, { topic }] of messages.entries()) {
      const record = records[index];
      if (record instanceof MessagingError) this.#done(call, record);
      else if (record !== undefined) this.#place(topic, { call, record }, now);
    }
    this.#pumpSoon();
    return call.promise;
  }

  isHealthy(): boolean {
    return this.#state === 'started' && this.#sender.isConnected();
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#state === 'stopped') return;
    const isStarted = this.#state !== 'new';
    this.#state = 'stopping';
    await until(() => this.#calls.size === 0 && this.#inFlight === 0, isStarted ? timeoutMs : 0);
    this.#state = 'stopped';
    this.#giveUp('it was stopped', Infinity);
    clearTimeout(this.#timer);
    clearTimeout(this.#connectTimer);
    this.#sender.close();
    this.#parts.onStopped(this);
  }

  async #connect(): Promise<void> {
    if (this.#state === 'new' || this.#state === 'stopped' || this.#isConnecting) return;
    this.#isConnecting = true;
    try {
      await this.#sender.connect();
      this.#connectFailures = 0;
      this.#connecting.ended({ clientId: this.#clientId }, 'publisher is connected again');
    } catch (error) {
      this.#connectError = error;
      const fields = { clientId: this.#clientId, error: errorText(error) };
      this.#connecting.failed(fields, 'publisher cannot connect, retrying');
      clearTimeout(this.#connectTimer);
      this.#connectTimer = setTimeout(() => void this.#connect(), backoff(this.#connectFailures));
      this.#connectFailures += 1;
    }
    this.#isConnecting = false;
    this.#pump();
  }

  /** The record of a message, or why it cannot be published. */
  #encode(message: OutgoingMessage): OutgoingRecord | MessagingError {
    const record = toRecord(message, this.#parts.clock.now());
    if (record.bytes <= MAX_RECORD_BYTES) return record;
    const text = `a message for ${message.topic} has ${record.bytes} bytes, more than the limit of ${MAX_RECORD_BYTES}`;
    return new MessagingError('message-too-large', text, { canRetry: false });
  }

  /** Adds a record to its queue; while the partitions of its topic are not known, it waits in order. */
  #place(topic: string, unplaced: Unplaced, nowMs: number): void {
    const waiting = this.#unplaced.get(topic);
    const count = waiting === undefined ? this.#parts.topics.known(topic) : undefined;
    // A partition beyond the known count may exist: the topic may have grown since the last query.
    if (count !== undefined && (unplaced.record.record.partition ?? 0) < count) {
      this.#placeAmong(count, topic, unplaced, nowMs);
    } else if (waiting === undefined) {
      this.#unplaced.set(topic, [unplaced]);
      void this.#placeLater(topic);
    } else waiting.push(unplaced);
  }

  async #placeLater(topic: string): Promise<void> {
    let count: number | MessagingError;
    try {
      count = await this.#parts.topics.find(topic);
    } catch (error) {
      count = toMessagingError(topic, error);
    }
    const waiting = (this.#unplaced.get(topic) ?? []).filter(({ call }) => !call.isSettled);
    if (count instanceof MessagingError && count.code !== 'topic-unknown' && waiting.length > 0) {
      this.#unplaced.set(topic, waiting);
      setTimeout(() => void this.#placeLater(topic), MAX_BACKOFF_MS / 4);
      return;
    }
    this.#unplaced.delete(topic);
    for (const unplaced of waiting) {
      if (count instanceof MessagingError) this.#done(unplaced.call, count);
      else this.#placeAmong(count, topic, unplaced, performance.now());
    }
    this.#pump();
  }

  #placeAmong(count: number, topic: string, { call, record }: Unplaced, nowMs: number): void {
    const partition = record.record.partition ?? this.#choose(record.record.key ?? null, count, nowMs);
    if (!Number.isInteger(partition) || partition < 0 || partition >= count) {
      this.#done(call, topicUnknown(topic, partition));
      return;
    }
    const id = partitionId(topic, partition);
    let queue = this.#queues.get(id);
    if (queue === undefined) {
      queue = {
        id,
        topic,
        entries: [],
        isSending: false,
        aloneUntilMs: 0,
        notBeforeMs: 0,
        failures: 0,
        singly: 0,
      };
      this.#queues.set(id, queue);
    }
    record.record.partition = partition;
    queue.entries.push({ call, record: { ...record, topic, partition }, isUnsure: false });
  }

  #choose(key: Buffer | string | null, count: number, nowMs: number): number {
    if (key !== null) return partitionOfKey(typeof key === 'string' ? Buffer.from(key) : key, count);
    const shared = this.#sharedPartition;
    if (shared.records === MAX_SHARED || nowMs - shared.sinceMs > SHARED_MS) {
      this.#sharedPartition = { number: shared.number + 1, records: 0, sinceMs: nowMs };
    }
    this.#sharedPartition.records += 1;
    return this.#sharedPartition.number % count;
  }

  /** After the current turn of the event loop, so that all calls of one turn share a send. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    this.#tickLater();
    if (this.#state === 'new' || this.#state === 'stopped' || !this.#sender.isConnected()) return;
    const now = performance.now();
    const shared: Slice[] = [];
    let room = { records: MAX_RECORDS, bytes: MAX_BYTES };
    for (const [id, queue] of this.#queues) {
      if (queue.isSending || queue.notBeforeMs > now) continue;
      const isAlone = queue.aloneUntilMs > now;
      if (!isAlone && (this.#isSharedInFlight || room.records <= 0 || room.bytes <= 0)) continue;
      const entries = head(queue, isAlone ? MAX_RECORDS : room.records);
      if (entries.length === 0) {
        if (!isAlone) this.#queues.delete(id);
      } else if (isAlone) void this.#send([{ queue, entries }], true);
      else {
        shared.push({ queue, entries });
        const bytes = entries.reduce((sum, { record }) => sum + record.bytes, 0);
        room = { records: room.records - entries.length, bytes: room.bytes - bytes };
      }
    }
    if (shared.length === 0) return;
    // Those that found no room are first in the next send.
    for (const { queue } of shared) {
      this.#queues.delete(queue.id);
      this.#queues.set(queue.id, queue);
    }
    void this.#send(shared, false);
  }

  async #send(slices: readonly Slice[], isAlone: boolean): Promise<void> {
    if (!isAlone) this.#isSharedInFlight = true;
    this.#inFlight += 1;
    for (const { queue, entries } of slices) {
      queue.isSending = true;
      for (const { call } of entries) call.inFlight += 1;
    }
    const failure = await this.#sender.send(
      slices.flatMap(({ entries }) => entries.map(({ record }) => record)),
    );
    if (!isAlone) this.#isSharedInFlight = false;
    this.#inFlight -= 1;
    for (const { queue, entries } of slices) {
      queue.isSending = false;
      for (const { call } of entries) call.inFlight -= 1;
    }
    if (failure === undefined) this.#stored(slices);
    else if (this.#state !== 'stopped') this.#failed(slices, failure);
    this.#pump();
  }

  #stored(slices: readonly Slice[]): void {
    this.#sending.ended({ clientId: this.#clientId }, 'publisher sends again');
    for (const { queue, entries } of slices) {
      queue.failures = 0;
      this.#drop(queue, entries.length);
      for (const { call } of entries) this.#done(call);
    }
  }

  /** Rejects the record at fault, or plans the repetition. */
  #failed(slices: readonly Slice[], { error, isSent }: SendFailure): void {
    const now = performance.now();
    const refusal = refusedRecord(error);
    // Those of other partitions may be stored, whatever the error of one is.
    const isUnsure = slices.length > 1 ? isSent : refusal === undefined && isMaybeStored(error, isSent);
    for (const { queue, entries } of slices) {
      queue.aloneUntilMs = now + ALONE_MS;
      for (const entry of entries) {
        entry.call.lastError = error;
        if (isUnsure && !entry.isUnsure) entry.call.unsure += 1;
        entry.isUnsure ||= isUnsure;
      }
    }
    const [first] = slices;
    if (refusal !== undefined) {
      if (first !== undefined && slices.length === 1) this.#reject(first, refusal);
      return;
    }
    for (const { queue } of slices) {
      queue.notBeforeMs = now + backoff(queue.failures);
      queue.failures += 1;
    }
    const fields = { clientId: this.#clientId, error: toMessagingError('send', error).message };
    this.#sending.failed(fields, 'send failed, retrying');
    // The topic may have been deleted.
    if (first !== undefined && slices.length === 1) void this.#recheck(first.queue.topic);
  }

  /** Rejects the record if it is the only one, or sends those of the batch one by one to find it. */
  #reject({ queue, entries }: Slice, refusal: MessagingError): void {
    const [first, second] = entries;
    if (first === undefined || second !== undefined) {
      queue.singly = entries.length;
      return;
    }
    this.#drop(queue, 1);
    if (first.isUnsure) first.call.unsure -= 1;
    this.#done(first.call, refusal);
  }

  /** Rejects the queued records of the topic if it was deleted or this client has no permission. */
  async #recheck(topic: string): Promise<void> {
    if (this.#rechecked.has(topic)) return;
    this.#rechecked.add(topic);
    try {
      await this.#parts.topics.find(topic);
    } catch (error) {
      if (error instanceof MessagingError && error.code === 'topic-unknown') this.#rejectTopic(topic, error);
    }
    this.#rechecked.delete(topic);
  }

  #rejectTopic(topic: string, error: MessagingError): void {
    for (const queue of this.#queues.values()) {
      if (queue.topic !== topic || queue.isSending) continue;
      for (const { call } of queue.entries) this.#done(call, error);
      queue.entries = [];
    }
  }

  #drop(queue: Queue, count: number): void {
    queue.entries.splice(0, count);
    queue.singly = Math.max(0, queue.singly - count);
  }

  #done(call: PublishCall, error?: MessagingError): void {
    call.recordDone(error);
    if (call.isSettled) this.#forget(call);
  }

  #forget(call: PublishCall): void {
    if (!this.#calls.delete(call)) return;
    const { messages, bytes } = this.#queued;
    this.#queued = { messages: messages - call.records, bytes: bytes - call.bytes };
  }

  /** Abandons the calls whose deadline has passed at this time; their records leave the queues when these are next sent. */
  #giveUp(reason: string, nowMs: number): void {
    for (const call of this.#calls) {
      if (call.deadlineAt > nowMs) break;
      call.giveUp(reason);
      this.#forget(call);
    }
  }

  #tickLater(): void {
    if (this.#timer !== undefined || this.#calls.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#giveUp('the deadline passed', performance.now());
      this.#pump();
    }, TICK_MS).unref();
  }

  #refuse(reason: string): Promise<never> {
    return Promise.reject(publishFailed(this.#clientId, reason));
  }
}

const FULL = 'its queue is full';

/** The first records that fit into a send, after those of abandoned calls are removed; at least one, if there is one. */
function head(queue: Queue, maxRecords: number): readonly Entry[] {
  if (queue.entries.some(({ call }) => call.isSettled)) {
    queue.entries = queue.entries.filter(({ call }) => !call.isSettled);
    queue.singly = Math.min(queue.singly, queue.entries.length);
  }
  const most = queue.singly > 0 ? 1 : maxRecords;
  let bytes = 0;
  let count = 0;
  for (const { record } of queue.entries) {
    bytes += record.bytes;
    if (count === most || (count > 0 && bytes > MAX_PARTITION_BYTES)) break;
    count += 1;
  }
  return queue.entries.slice(0, count);
}

function backoff(failures: number): number {
  return Math.min(MIN_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS);
}

/** Whether the condition became true in time. */
async function until(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  const endsAt = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() >= endsAt) return false;
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(TICK_MS / 10, timeoutMs));
    });
  }
  return true;
}
