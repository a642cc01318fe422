import type { MessagingError } from '../../../platform/errors.ts';
import type { PublishEntry } from './publish-call.ts';
import { PartitionQueue } from './partition-queue.ts';
import { partitionId } from '../../message.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** Limit of records in one request: encoding them blocks the event loop for about 10 ms. */
const MAX_RECORDS_PER_REQUEST = 1_000;
/** Limit of bytes in one request, before compression. */
const MAX_BYTES_PER_REQUEST = 4 * MIB;

/** After a failed request for one partition alone the others have priority, for at most this long. */
const MAX_LONE_PAUSE_MS = 2_000;
/** Limit of remembered partitions without records: the number of foreign reply topics is not bounded. */
const MAX_IDLE_PARTITIONS = 4_096;

/** The head of one partition's queue, as it goes into a request. */
export interface PublishSlice {
  readonly queue: PartitionQueue;
  readonly entries: readonly PublishEntry[];
}

/**
 * Records by partition, in order, until the broker has confirmed them. A request holds the heads of many partitions; a
 * partition whose request was not answered is sent alone for a while, so that its fault (a frozen broker, a record that ends
 * the connection) neither blocks the others nor makes them repeat.
 */
export class PublishQueue {
  readonly #partitions = new Map<string, PartitionQueue>();
  /** Partitions with records, next one first. */
  #line: PartitionQueue[] = [];
  /** The next request is for a partition that is sent alone, if there is one. */
  #isTurnOfLone = false;
  /** The next partition that is sent alone is a suspect, if there is one. */
  #isTurnOfSuspect = true;
  /** When the pending request was taken, if it is for a partition that is sent alone. */
  #loneTakenMs: number | undefined;
  /** While others have records to send, no partition is sent alone before this (epoch milliseconds). */
  #loneNotBeforeMs = 0;
  #records = 0;
  #bytes = 0;

  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(topic: string, partition: number, entry: PublishEntry): void {
    const id = partitionId(topic, partition);
    let queue = this.#partitions.get(id);
    if (queue === undefined) {
      queue = new PartitionQueue(topic, partition);
      this.#partitions.set(id, queue);
    }
    if (queue.isEmpty) this.#line.push(queue);
    queue.add(entry);
    this.#records += 1;
    this.#bytes += entry.bytes;
  }

  /**
   * Takes the slices of the next request; none when nothing is due. They stay queued until they are settled. Partitions that
   * are sent alone alternate with all others.
   */
  take(nowMs: number): PublishSlice[] {
    const isTurnOfLone = this.#isTurnOfLone && nowMs >= this.#loneNotBeforeMs;
    const lone = isTurnOfLone ? this.#takeLone(nowMs) : [];
    const shared = lone.length > 0 ? lone : this.#takeShared(nowMs);
    const slices = shared.length > 0 || isTurnOfLone ? shared : this.#takeLone(nowMs);
    const isLone = slices[0]?.queue.goesAlone === true;
    this.#isTurnOfLone = !isLone;
    this.#loneTakenMs = isLone ? nowMs : undefined;
    this.#rotate(slices);
    return slices;
  }

  /**
   * The last request has failed. One for a single partition may have taken seconds, on a broker that does not answer: the
   * others get as much time, up to a limit, before the next such request.
   */
  failed(nowMs: number): void {
    if (this.#loneTakenMs === undefined) return;
    this.#loneNotBeforeMs = nowMs + Math.min(nowMs - this.#loneTakenMs, MAX_LONE_PAUSE_MS);
    this.#loneTakenMs = undefined;
  }

  /** The earliest time at which a queued partition is due; undefined when none is queued. */
  nextDueMs(): number | undefined {
    if (this.#line.length === 0) return undefined;
    return Math.min(...this.#line.map(({ notBeforeMs }) => notBeforeMs));
  }

  /** The records of the slices are on the log, or permanently rejected with the error. */
  settle(slices: readonly PublishSlice[], error?: MessagingError): void {
    for (const { queue, entries } of slices) {
      queue.drop(entries.length);
      if (error === undefined) queue.trust();
      this.#settle(entries, error);
    }
    this.#tidy();
  }

  /** Rejects all queued records of the topic; those in flight stay queued until their request has ended. */
  refuse(topic: string, error: MessagingError, inFlight: readonly PublishSlice[]): void {
    const heads = headsOf(inFlight);
    for (const queue of this.#line) {
      if (queue.topic === topic) this.#settle(queue.clear(heads.get(queue)?.length ?? 0), error);
    }
    this.#tidy();
  }

  /**
   * Gives up calls whose deadline has passed. Records in flight stay queued until their request has ended, and may be on the
   * log: this is noted first, since a call may have other messages in the queue.
   */
  expire(nowMs: number, inFlight: readonly PublishSlice[]): void {
    const heads = headsOf(inFlight);
    for (const entries of heads.values()) {
      for (const { call } of entries) if (call.deadlineAt <= nowMs) call.maybeStored = true;
    }
    for (const queue of this.#line) {
      const flying = heads.get(queue) ?? [];
      const expired = queue.expire(nowMs, flying.length);
      for (const { call } of flying) if (call.deadlineAt <= nowMs) call.giveUp('the deadline passed');
      for (const { call } of expired) call.giveUp('the deadline passed');
      this.#forget(expired);
    }
    this.#tidy();
  }

  giveUpAll(why: string, inFlight: readonly PublishSlice[]): void {
    markMaybeStored(inFlight);
    for (const queue of this.#line) {
      const entries = queue.clear(0);
      this.#forget(entries);
      for (const { call } of entries) call.giveUp(why);
    }
    this.#tidy();
  }

  /**
   * Suspects alternate with others that are sent alone (large records, the search for a bad one). Of the suspects the one
   * with the fewest failures: one that fails repeatedly does not delay those that failed with it once.
   */
  #takeLone(nowMs: number): PublishSlice[] {
    let suspect: PartitionQueue | undefined;
    let other: PartitionQueue | undefined;
    for (const waiting of this.#line) {
      if (!waiting.goesAlone || waiting.notBeforeMs > nowMs) continue;
      if (!waiting.isSuspect) other ??= waiting;
      else if (suspect === undefined || waiting.failures < suspect.failures) suspect = waiting;
    }
    const queue = this.#isTurnOfSuspect ? (suspect ?? other) : (other ?? suspect);
    if (queue === undefined) return [];
    this.#isTurnOfSuspect = !queue.isSuspect;
    return [{ queue, entries: queue.head(MAX_RECORDS_PER_REQUEST, MAX_BYTES_PER_REQUEST) }];
  }

  #takeShared(nowMs: number): PublishSlice[] {
    const slices: PublishSlice[] = [];
    let records = 0;
    let bytes = 0;
    for (const queue of this.#line) {
      if (queue.goesAlone || queue.notBeforeMs > nowMs) continue;
      const entries = queue.head(MAX_RECORDS_PER_REQUEST - records, MAX_BYTES_PER_REQUEST - bytes);
      if (entries.length === 0) break;
      slices.push({ queue, entries });
      for (const entry of entries) bytes += entry.bytes;
      records += entries.length;
    }
    return slices;
  }

  #settle(entries: readonly PublishEntry[], error?: MessagingError): void {
    this.#forget(entries);
    for (const { call } of entries) call.recordDone(error);
  }

  #forget(entries: readonly PublishEntry[]): void {
    this.#records -= entries.length;
    for (const { bytes } of entries) this.#bytes -= bytes;
  }

  /** Moves the served ones to the end of the line. */
  #rotate(served: readonly PublishSlice[]): void {
    if (served.length === this.#line.length) return;
    const queues = new Set(served.map(({ queue }) => queue));
    this.#line = [...this.#line.filter((queue) => !queues.has(queue)), ...queues];
  }

  #tidy(): void {
    this.#line = this.#line.filter((queue) => !queue.isEmpty);
    if (this.#partitions.size <= MAX_IDLE_PARTITIONS) return;
    for (const [id, queue] of this.#partitions) if (queue.isEmpty) this.#partitions.delete(id);
  }
}

/** The records in flight of each queue. */
function headsOf(inFlight: readonly PublishSlice[]): ReadonlyMap<PartitionQueue, readonly PublishEntry[]> {
  return new Map(inFlight.map(({ queue, entries }) => [queue, entries]));
}

/** From now on it is not known whether these records are on the log. */
export function markMaybeStored(slices: readonly PublishSlice[]): void {
  for (const { entries } of slices) for (const { call } of entries) call.maybeStored = true;
}
