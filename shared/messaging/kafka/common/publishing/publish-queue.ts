import type { MessagingError } from '../../../../platform/errors.ts';
import type { PublishEntry } from './publish-call.ts';
import { PartitionQueue } from './partition-queue.ts';
import { partitionId } from '../../../message.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** Maximum number of records in one request: encoding 1,000 blocks the event loop for about 10 ms. */
const MAX_RECORDS_PER_REQUEST = 1_000;
/** Maximum number of bytes in one request, before compression. */
const MAX_BYTES_PER_REQUEST = 4 * MIB;

/** Maximum time for which other partitions have priority after a failed request for a single partition. */
const MAX_SINGLE_PAUSE_MS = 2_000;
/**
 * Maximum number of partitions without records that stay in memory, since the number of foreign reply topics is not
 * limited.
 */
const MAX_IDLE_PARTITIONS = 4_096;

/** The records of one partition in a request: the head of its queue. */
export interface PublishSlice {
  readonly queue: PartitionQueue;
  readonly entries: readonly PublishEntry[];
}

/** Whether a partition may be part of a request now. */
export type IsFree = (queue: PartitionQueue) => boolean;

/**
 * Keeps records by partition, in order, until the broker has confirmed them. A request contains records of many partitions.
 * A partition whose request was not answered gets its own requests until one succeeds, so that its fault (a frozen broker,
 * a record that breaks the connection) neither blocks the others nor repeats their records.
 */
export class PublishQueue {
  readonly #partitions = new Map<string, PartitionQueue>();
  /** Partitions with records, next one first. */
  #waiting: PartitionQueue[] = [];
  /** Whether the next request is for a single partition, if one needs its own request. */
  #isSingleNext = false;
  /** Whether the next request for a single partition is for a suspect, if there is one. */
  #isSuspectNext = true;
  /** While others have records to send, no request for a single partition starts before this (monotonic milliseconds). */
  #singleNotBeforeMs = 0;
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
    if (queue.isEmpty) this.#waiting.push(queue);
    queue.add(entry);
    this.#records += 1;
    this.#bytes += entry.bytes;
  }

  /**
   * Takes the slices of the next request, of free partitions only; an empty list if nothing is due. They stay queued until they
   * are settled. Requests for a single partition alternate with requests for all others.
   */
  take(nowMs: number, isFree: IsFree = () => true): PublishSlice[] {
    const isDue: IsFree = (queue) => queue.notBeforeMs <= nowMs && isFree(queue);
    const isSingleNext = this.#isSingleNext && nowMs >= this.#singleNotBeforeMs;
    let slices = isSingleNext ? this.#takeSingle(isDue) : [];
    if (slices.length === 0) slices = this.#takeShared(isDue);
    if (slices.length === 0 && !isSingleNext) slices = this.#takeSingle(isDue);
    if (slices.length === 0) return slices;
    this.#isSingleNext = slices[0]?.queue.goesAlone !== true;
    this.#rotate(slices);
    return slices;
  }

  /**
   * Called when a request for a partition that goes alone has failed. One whose broker does not answer may have taken seconds:
   * the others get the same time, up to a limit, before the next such request.
   */
  failedAlone(takenMs: number, nowMs: number): void {
    this.#singleNotBeforeMs = nowMs + Math.min(nowMs - takenMs, MAX_SINGLE_PAUSE_MS);
  }

  /** The earliest time at which a free partition with records is due; undefined if there is none. */
  nextDueMs(isFree: IsFree = () => true): number | undefined {
    let dueMs: number | undefined;
    for (const queue of this.#waiting) {
      if (isFree(queue)) dueMs = Math.min(queue.notBeforeMs, dueMs ?? Infinity);
    }
    return dueMs;
  }

  /** Called when the records of the slices are on the log, or were permanently rejected with the error. */
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
    for (const queue of this.#waiting) {
      if (queue.topic === topic) this.#settle(queue.clear(heads.get(queue)?.length ?? 0), error);
    }
    this.#tidy();
  }

  /**
   * Gives up calls whose deadline has passed. Records in flight stay queued until their request has ended, and may be stored:
   * these are marked first, since a call may have both records in flight and queued ones.
   */
  expire(nowMs: number, inFlight: readonly PublishSlice[]): void {
    const heads = headsOf(inFlight);
    for (const entries of heads.values()) {
      for (const { call } of entries) if (call.deadlineAt <= nowMs) call.maybeStored = true;
    }
    for (const queue of this.#waiting) {
      const sent = heads.get(queue) ?? [];
      const expired = queue.expire(nowMs, sent.length);
      for (const { call } of sent) if (call.deadlineAt <= nowMs) call.giveUp('the deadline passed');
      for (const { call } of expired) call.giveUp('the deadline passed');
      this.#forget(expired);
    }
    this.#tidy();
  }

  giveUpAll(reason: string, inFlight: readonly PublishSlice[]): void {
    markMaybeStored(inFlight);
    for (const queue of this.#waiting) {
      const entries = queue.clear(0);
      this.#forget(entries);
      for (const { call } of entries) call.giveUp(reason);
    }
    this.#tidy();
  }

  /**
   * Suspects alternate with other partitions that need their own request (large records, the search for a rejected one). The
   * suspect with the fewest failures is next: one that fails repeatedly does not delay those that failed with it once.
   */
  #takeSingle(isDue: IsFree): PublishSlice[] {
    let suspect: PartitionQueue | undefined;
    let other: PartitionQueue | undefined;
    for (const candidate of this.#waiting) {
      if (!candidate.goesAlone || !isDue(candidate)) continue;
      if (!candidate.isSuspect) other ??= candidate;
      else if (suspect === undefined || candidate.failures < suspect.failures) suspect = candidate;
    }
    const queue = this.#isSuspectNext ? (suspect ?? other) : (other ?? suspect);
    if (queue === undefined) return [];
    this.#isSuspectNext = !queue.isSuspect;
    return [{ queue, entries: queue.head(MAX_RECORDS_PER_REQUEST, MAX_BYTES_PER_REQUEST) }];
  }

  #takeShared(isDue: IsFree): PublishSlice[] {
    const slices: PublishSlice[] = [];
    let records = 0;
    let bytes = 0;
    for (const queue of this.#waiting) {
      if (queue.goesAlone || !isDue(queue)) continue;
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

  /** Moves the partitions of a request behind all others. */
  #rotate(served: readonly PublishSlice[]): void {
    if (served.length === this.#waiting.length) return;
    const queues = new Set(served.map(({ queue }) => queue));
    this.#waiting = [...this.#waiting.filter((queue) => !queues.has(queue)), ...queues];
  }

  #tidy(): void {
    this.#waiting = this.#waiting.filter((queue) => !queue.isEmpty);
    if (this.#partitions.size <= MAX_IDLE_PARTITIONS) return;
    for (const [id, queue] of this.#partitions) if (queue.isEmpty) this.#partitions.delete(id);
  }
}

/** The records in flight of each queue. */
function headsOf(inFlight: readonly PublishSlice[]): ReadonlyMap<PartitionQueue, readonly PublishEntry[]> {
  return new Map(inFlight.map(({ queue, entries }) => [queue, entries]));
}

/** Records that these records may be stored. */
export function markMaybeStored(slices: readonly PublishSlice[]): void {
  for (const { entries } of slices) for (const { call } of entries) call.maybeStored = true;
}
