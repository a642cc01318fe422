import { MAX_MESSAGE_BYTES } from '../topics/topic-list.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicClock, type Clock } from '../../platform/system-ports.ts';
import { errorText, MessagingError } from '../../platform/errors.ts';
import { RepeatedFailure, type Log } from '../../platform/log.ts';
import { isMaybeStored, refusedRecord, toMessagingError } from './kafka-errors.ts';
import type { TopicPartitions } from '../topics/topic-partitions.ts';
import { publishFailed, topicUnknown } from '../broker-errors.ts';
import { CLIENT_DEFAULTS } from '../client-defaults.ts';
import { hasRoom, type Publisher, type PublisherOptions } from '../ports.ts';
import { partitionId, type OutgoingMessage } from '../message.ts';
import { valuesOf } from '../headers.ts';
import { partitionOfKey } from '../topics/key-partition.ts';

const MIB = 1_024 * 1_024;

/** Limits of one send. The records of one partition in it form a batch, whose size the broker limits. */
const MAX_RECORDS = 1_000;
const MAX_BYTES = 4 * MIB;
const MAX_PARTITION_BYTES = MIB / 2;
/** The leader waits this long for its followers: less than the request timeout, so that it answers in time. */
export const ACKS_TIMEOUT_MS = 4_000;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;
const POLL_MS = 10;
/** Up to this number of records without a key share a partition if they are published together. */
const MAX_SHARED = 8;

interface LibraryProducer {
  /** Sends once, in order per partition, with acks=all. Resolves when all are stored. Rejects with library errors. */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  destroy(): void;
}

/** Connects a new producer, first to a random broker. Rejects with library errors. */
export type ConnectProducer = (clientId: string) => Promise<LibraryProducer>;

interface PublisherParts {
  readonly connectProducer: ConnectProducer;
  readonly topics: TopicPartitions;
  readonly log: Log;
  readonly clock: Clock;
  readonly onStopped: (publisher: Publisher) => void;
}

interface Unplaced {
  readonly call: PublishCall;
  readonly message: OutgoingMessage;
  readonly bytes: number;
}

interface Entry {
  readonly call: PublishCall;
  readonly record: OutgoingRecord;
  readonly bytes: number;
  /** The record is being sent, or was sent but not confirmed. */
  isMaybeStored: boolean;
}

interface Queue {
  readonly id: string;
  readonly topic: string;
  entries: Entry[];
  /** A send of its records is in flight, or will be repeated. */
  isBusy: boolean;
  /** After a failed send, its records are sent without those of other partitions until a send succeeds. */
  isAlone: boolean;
}

type Slice = Readonly<Record<'queue', Queue> & Record<'entries', readonly Entry[]>>;

/**
 * Publishes at least once, in order per partition. After a failure, each partition is sent on its own. Not idempotent:
 * after a lost response, kafkajs reuses the sequence number (tulios/kafkajs#1005), and @platformatic/kafka takes a new
 * producer id. A failure replaces the producer: its metadata may be stale, or its broker may never answer.
 */
export class KafkaPublisher implements Publisher {
  readonly #clientId: string;
  readonly #parts: PublisherParts;
  readonly #deadlineMs: number;
  readonly #failures: RepeatedFailure;
  #state: 'new' | 'started' | 'stopping' | 'stopped' = 'new';
  /** `pending`: number of sends in flight. */
  #connected: { readonly producer: LibraryProducer; pending: number } | undefined;
  #connectError: unknown;
  #connecting: Promise<void> | undefined;
  readonly #calls = new Set<PublishCall>();
  readonly #queued = { messages: 0, bytes: 0 };
  /** By partition, in sending order: queues with records, and queues that are sent alone. */
  readonly #queues = new Map<string, Queue>();
  readonly #unplaced = new Map<string, Unplaced[]>();
  #isSending = false;
  #isPumpDue = false;
  #keyless = 0;

  constructor(
    { clientId, deadlineMs = CLIENT_DEFAULTS.publishDeadlineMs }: PublisherOptions,
    parts: PublisherParts,
  ) {
    this.#clientId = clientId;
    this.#deadlineMs = deadlineMs;
    this.#parts = parts;
    this.#failures = new RepeatedFailure(parts.log, monotonicClock);
  }

  async start(): Promise<void> {
    if (this.#state === 'new') {
      this.#state = 'started';
      this.#connecting = this.#connect();
    }
    if (await until(() => this.#connected !== undefined, this.#deadlineMs)) return;
    throw toMessagingError(`publisher ${this.#clientId}`, this.#connectError);
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return Promise.resolve();
    const sizes = messages.map(recordBytes);
    const bytes = sizes.reduce((sum, size) => (size > MAX_MESSAGE_BYTES ? sum : sum + size), 0);
    const isStopped = this.#state === 'stopping' || this.#state === 'stopped';
    if (isStopped || !hasRoom(this.#queued, { messages: messages.length, bytes }))
      return Promise.reject(
        publishFailed(this.#clientId, isStopped ? 'it was stopped' : 'its queue is full'),
      );
    const call = new PublishCall(this.#clientId, this.#deadlineMs, messages.length, () => {
      this.#calls.delete(call);
      this.#queued.messages -= messages.length;
      this.#queued.bytes -= bytes;
    });
    this.#calls.add(call);
    this.#queued.messages += messages.length;
    this.#queued.bytes += bytes;
    for (const [index, message] of messages.entries()) {
      this.#place({ call, message, bytes: sizes[index] ?? 0 });
    }
    this.#pumpSoon();
    return call.promise;
  }

  isHealthy(): boolean {
    return this.#state === 'started' && this.#connected !== undefined;
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    if (this.#state === 'stopped') return;
    const isStarted = this.#state !== 'new';
    this.#state = 'stopping';
    await until(() => this.#calls.size === 0, isStarted ? timeoutMs : 0);
    this.#state = 'stopped';
    for (const call of this.#calls) call.giveUp('it was stopped');
    this.#connected?.producer.destroy();
    this.#connected = undefined;
    this.#parts.onStopped(this);
  }

  async #connect(): Promise<void> {
    for (let failures = 0; !this.#isStopped(); failures += 1) {
      try {
        const producer = await this.#parts.connectProducer(this.#clientId);
        if (this.#isStopped()) producer.destroy();
        else this.#connected = { producer, pending: 0 };
        this.#pump();
        return;
      } catch (error) {
        this.#connectError = error;
        const fields = { clientId: this.#clientId, error: errorText(error) };
        this.#failures.failed(fields, 'publisher cannot connect, retrying');
      }
      await pause(failures);
    }
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #place(unplaced: Unplaced): void {
    const { call, message, bytes } = unplaced;
    const { topic, partition = 0 } = message;
    if (bytes > MAX_MESSAGE_BYTES) {
      const text = `a message for ${topic} has ${bytes} bytes, more than the limit of ${MAX_MESSAGE_BYTES}`;
      call.recordDone(new MessagingError('message-too-large', text, { canRetry: false }));
      return;
    }
    const waiting = this.#unplaced.get(topic);
    const count = waiting === undefined ? this.#parts.topics.known(topic) : undefined;
    // A partition beyond the known count is looked up, because the topic may have grown since the last query.
    if (count !== undefined && partition < count) this.#placeAmong(count, unplaced);
    else if (waiting === undefined) {
      this.#unplaced.set(topic, [unplaced]);
      void this.#placeLater(topic);
    } else waiting.push(unplaced);
  }

  async #placeLater(topic: string): Promise<void> {
    let waiting: Unplaced[];
    let count: number | MessagingError;
    for (;;) {
      count = await this.#parts.topics.find(topic).catch((error: unknown) => toMessagingError(topic, error));
      waiting = (this.#unplaced.get(topic) ?? []).filter(({ call }) => !call.isSettled);
      this.#unplaced.set(topic, waiting);
      const isTemporary = count instanceof MessagingError && count.code !== 'topic-unknown';
      if (waiting.length === 0 || !isTemporary) break;
      await pause(2);
    }
    this.#unplaced.delete(topic);
    for (const unplaced of waiting) {
      if (count instanceof MessagingError) unplaced.call.recordDone(count);
      else this.#placeAmong(count, unplaced);
    }
    this.#pump();
  }

  #placeAmong(count: number, { call, message, bytes }: Unplaced): void {
    const { topic, key } = message;
    const partition = message.partition ?? this.#choose(key, count);
    if (!Number.isInteger(partition) || partition < 0 || partition >= count) {
      call.recordDone(topicUnknown(topic, partition));
      return;
    }
    const id = partitionId(topic, partition);
    let queue = this.#queues.get(id);
    if (queue === undefined) {
      queue = { id, topic, entries: [], isBusy: false, isAlone: false };
      this.#queues.set(id, queue);
    }
    const timestampMs = Math.trunc(message.timestampMs ?? this.#parts.clock.now());
    const record = { ...message, partition, timestampMs };
    queue.entries.push({ call, record, bytes, isMaybeStored: false });
  }

  #choose(key: Buffer | string | null, count: number): number {
    if (key !== null) return partitionOfKey(typeof key === 'string' ? Buffer.from(key) : key, count);
    this.#keyless += 1;
    return Math.ceil(this.#keyless / MAX_SHARED) % count;
  }

  /** Sends in a microtask, so that synchronous calls to publish() share a send. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#keyless = Math.ceil(this.#keyless / MAX_SHARED) * MAX_SHARED;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#connected === undefined) return;
    const slices: Slice[] = [];
    const room = { records: MAX_RECORDS, bytes: MAX_BYTES };
    for (const queue of this.#queues.values()) {
      if (queue.isBusy || queue.entries.length === 0) continue;
      if (queue.isAlone) void this.#sendAlone(queue);
      else if (!this.#isSending && room.records > 0 && room.bytes > 0) {
        const entries = firstEntries(queue, room.records);
        room.records -= entries.length;
        room.bytes -= entries.reduce((sum, entry) => sum + entry.bytes, 0);
        if (entries.length > 0) slices.push({ queue, entries });
        else this.#queues.delete(queue.id);
      }
    }
    if (slices.length > 0) void this.#sendTogether(slices);
  }

  async #sendTogether(slices: readonly Slice[]): Promise<void> {
    this.#isSending = true;
    for (const { queue } of slices) queue.isBusy = true;
    const all = slices.flatMap(({ entries }) => entries);
    const error = await this.#send(all, slices.length);
    this.#isSending = false;
    for (const { queue, entries } of slices) {
      queue.isBusy = false;
      if (error === undefined) this.#done(queue, entries);
      else void this.#sendAlone(queue);
    }
    this.#pump();
  }

  /** Sends the records of one partition until a send succeeds or none is left. Splits a refused batch into records. */
  async #sendAlone(queue: Queue): Promise<void> {
    let singly = 0;
    let failures = 0;
    let missing: MessagingError | undefined;
    queue.isBusy = true;
    queue.isAlone = true;
    while (queue.isAlone) {
      await this.#connecting;
      if (this.#isStopped()) return;
      if (missing !== undefined) {
        for (const { call } of queue.entries.splice(0)) call.recordDone(missing);
        this.#queues.delete(queue.id);
      }
      const entries = firstEntries(queue, singly > 0 ? 1 : MAX_RECORDS);
      if (entries.length === 0) break;
      const error = await this.#send(entries, 1);
      const refusal = error === undefined ? undefined : refusedRecord(error);
      if (refusal !== undefined && entries.length > 1) singly = entries.length;
      else if (error !== undefined && refusal === undefined) {
        // The topic may have been deleted: then its records must not wait for their deadlines.
        this.#parts.topics.find(queue.topic).catch((reason: unknown) => {
          if (reason instanceof MessagingError && reason.code === 'topic-unknown') missing = reason;
        });
        await pause(failures);
        failures += 1;
      } else {
        this.#done(queue, entries, refusal);
        failures = 0;
        singly -= 1;
        queue.isAlone = singly > 0;
      }
    }
    queue.isBusy = false;
    this.#pump();
  }

  /** Sends once and returns the error. An error can show that nothing was stored only if `partitions` is 1. */
  async #send(entries: readonly Entry[], partitions: number): Promise<unknown> {
    const connected = this.#connected;
    if (connected === undefined) return new Error('the producer is not connected');
    const unsent = entries.filter((entry) => !entry.isMaybeStored);
    for (const entry of unsent) mark(entry, true);
    connected.pending += 1;
    try {
      await connected.producer.send(entries.map(({ record }) => record));
      this.#failures.ended({ clientId: this.#clientId }, 'publisher sends again');
      return undefined;
    } catch (error) {
      if (partitions === 1 && !isMaybeStored(error)) for (const entry of unsent) mark(entry, false);
      for (const { call } of entries) call.lastError = error;
      if (!this.#isStopped()) {
        const fields = { clientId: this.#clientId, error: toMessagingError('send', error).message };
        this.#failures.failed(fields, 'send failed, retrying');
      }
      if (this.#connected === connected) {
        this.#connected = undefined;
        this.#connecting = this.#connect();
      }
      return error;
    } finally {
      connected.pending -= 1;
      // The last send in flight on a replaced producer destroys it.
      if (this.#connected !== connected && connected.pending === 0) connected.producer.destroy();
    }
  }

  #done(queue: Queue, entries: readonly Entry[], refusal?: MessagingError): void {
    queue.entries.splice(0, entries.length);
    // Records that had no room in this send come after those of other partitions in the next one.
    this.#queues.delete(queue.id);
    if (queue.entries.length > 0) this.#queues.set(queue.id, queue);
    for (const entry of entries) {
      if (refusal !== undefined) mark(entry, false);
      entry.call.recordDone(refusal);
    }
  }
}

/** Removes the records of settled calls. Returns the first others that fit into a send: at least one if any is left. */
function firstEntries(queue: Queue, most: number): readonly Entry[] {
  if (queue.entries.some(({ call }) => call.isSettled)) {
    queue.entries = queue.entries.filter(({ call }) => !call.isSettled);
  }
  let bytes = 0;
  let count = 0;
  for (const entry of queue.entries) {
    bytes += entry.bytes;
    if (count === most || (count > 0 && bytes > MAX_PARTITION_BYTES)) break;
    count += 1;
  }
  return queue.entries.slice(0, count);
}

function mark(entry: Entry, mayBe: boolean): void {
  if (entry.isMaybeStored !== mayBe) entry.call.maybeStored += mayBe ? 1 : -1;
  entry.isMaybeStored = mayBe;
}

function pause(failures: number): Promise<void> {
  return sleep(Math.min(MIN_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS), undefined, { ref: false });
}

async function until(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  const endsAt = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() >= endsAt) return false;
    await sleep(POLL_MS);
  }
  return true;
}

class PublishCall {
  readonly #clientId: string;
  readonly #settled = Promise.withResolvers<void>();
  readonly promise = this.#settled.promise;
  readonly #deadline: NodeJS.Timeout;
  readonly #onSettled: () => void;
  #remaining: number;
  #failure: MessagingError | undefined;
  /** Number of records of the call that are stored, being sent, or were sent but not confirmed. */
  maybeStored = 0;
  isSettled = false;
  /** Error of the last failed send with a record of the call; absent if none of its records was in a failed send. */
  lastError: unknown;

  constructor(clientId: string, deadlineMs: number, records: number, onSettled: () => void) {
    this.#clientId = clientId;
    this.#remaining = records;
    this.#onSettled = onSettled;
    this.#deadline = setTimeout(() => this.giveUp('the deadline passed'), deadlineMs).unref();
  }

  recordDone(error?: MessagingError): void {
    this.#failure ??= error;
    this.#remaining -= 1;
    if (this.#remaining > 0) return;
    const failure = this.#failure;
    // Other records of the call may be stored, which `not-sent` would deny.
    if (failure?.code !== 'not-sent' || this.maybeStored === 0) return this.#settle(failure);
    const text = `${failure.message}; messages of the call may have been stored`;
    this.#settle(new MessagingError('send-unknown', text, { canRetry: failure.canRetry, cause: failure }));
  }

  giveUp(reason: string): void {
    const options = { isMaybeStored: this.maybeStored > 0, cause: this.lastError };
    const rejection = options.isMaybeStored ? undefined : this.#failure;
    this.#settle(rejection ?? publishFailed(this.#clientId, reason, options));
  }

  #settle(error: MessagingError | undefined): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.#deadline);
    this.#onSettled();
    if (error === undefined) this.#settled.resolve();
    else this.#settled.reject(error);
  }
}

/** Bytes that the format adds to a record (lengths, offset, timestamp) and to each header, rounded up. */
const RECORD_OVERHEAD_BYTES = 30;
const HEADER_OVERHEAD_BYTES = 6;
/** Sending a smaller value takes at most half a millisecond on a gigabit network, less than compressing it. */
const COMPRESS_ABOVE_BYTES = 64 * 1_024;

/** Partition and time are fixed, so that a repeated send writes the same record. */
export type OutgoingRecord = OutgoingMessage & Required<Pick<OutgoingMessage, 'partition' | 'timestampMs'>>;

export function recordBytes({ key, value, headers = {} }: OutgoingMessage): number {
  let bytes = RECORD_OVERHEAD_BYTES + (value?.length ?? 0) + (key === null ? 0 : Buffer.byteLength(key));
  for (const name in headers) {
    for (const one of valuesOf(headers[name]))
      bytes += HEADER_OVERHEAD_BYTES + name.length + Buffer.byteLength(one);
  }
  return bytes;
}

/** Whether any value is large enough for compression. */
export function isLarge(records: readonly OutgoingRecord[]): boolean {
  return records.some(({ value }) => value !== null && value.length > COMPRESS_ABOVE_BYTES);
}

/** Throws unless `confirmed`, a list of ids from partitionId(), has the partitions of all records. */
export function checkConfirmed(records: readonly OutgoingRecord[], confirmed: readonly string[]): void {
  const ids = new Set(confirmed);
  const missing = records.find(({ topic, partition }) => !ids.has(partitionId(topic, partition)));
  if (missing === undefined) return;
  throw new Error(`no broker confirmed partition ${missing.partition} of ${missing.topic}`);
}
