import type { MessagingError } from '../../../platform/errors.ts';
import type { PublishEntry } from './publish-call.ts';
import { PartitionQueue } from './partition-queue.ts';
import { partitionId } from '../../message.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** A request takes at most this many records in all: encoding them holds the event loop for about 10 ms. */
const MAX_RECORDS_PER_REQUEST = 1_000;
/** A request takes at most this many bytes in all, before compression. */
const MAX_BYTES_PER_REQUEST = 4 * MIB;

/** After a failed request for one partition alone the others get the next one, for at most this long. */
const LONGEST_LONE_PAUSE_MS = 2_000;
/** More partitions than this are not remembered while nothing waits for them: foreign reply topics could be any number. */
const MAX_IDLE_PARTITIONS = 4_096;

/** The head of one partition's queue, as it goes into a request. */
export interface PublishSlice {
  readonly queue: PartitionQueue;
  readonly entries: readonly PublishEntry[];
}

/**
 * Records by partition, in order, until the broker has confirmed them. A request takes the heads of many partitions;
 * a partition whose request was not answered goes alone for a while, so that what is wrong with it (a frozen broker, a
 * record that ends the connection) neither stops the others nor has them sent again and again.
 */
export class PublishQueue {
  readonly #partitions = new Map<string, PartitionQueue>();
  /** Partitions that have records, next one first. */
  #line: PartitionQueue[] = [];
  /** The next request is for one that goes alone, if there is one. */
  #isTurnOfLone = false;
  /** Of those that go alone the next one is a suspect, if there is one. */
  #isTurnOfSuspect = true;
  /** When the request under way was taken, if it is for one that goes alone. */
  #loneTakenMs: number | undefined;
  /** While the others have something to send, none goes alone before this (epoch milliseconds). */
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
   * What the next request takes; empty when nothing is due. What is taken stays queued until it is settled. Partitions that
   * go alone and all others take turns.
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
   * The request has failed that was taken last. One for a partition that goes alone may have taken seconds, on a broker
   * that does not answer: the others get as much time, up to a limit, before the next one goes alone.
   */
  failed(nowMs: number): void {
    if (this.#loneTakenMs === undefined) return;
    this.#loneNotBeforeMs = nowMs + Math.min(nowMs - this.#loneTakenMs, LONGEST_LONE_PAUSE_MS);
    this.#loneTakenMs = undefined;
  }

  /** The earliest time at which a waiting partition is due again; undefined when none waits. */
  nextDueMs(): number | undefined {
    if (this.#line.length === 0) return undefined;
    return Math.min(...this.#line.map(({ notBeforeMs }) => notBeforeMs));
  }

  /** The records of the slices are on the log, or refused for good with the error. */
  settle(slices: readonly PublishSlice[], error?: MessagingError): void {
    for (const { queue, entries } of slices) {
      queue.drop(entries.length);
      if (error === undefined) queue.trust();
      this.#settle(entries, error);
    }
    this.#tidy();
  }

  /** Refuses all that waits for the topic; what is under way stays queued until its request has ended. */
  refuse(topic: string, error: MessagingError, inFlight: readonly PublishSlice[]): void {
    const heads = headsOf(inFlight);
    for (const queue of this.#line) {
      if (queue.topic === topic) this.#settle(queue.clear(heads.get(queue)?.length ?? 0), error);
    }
    this.#tidy();
  }

  /**
   * Gives up calls whose deadline has passed. What is under way stays queued until its request has ended, and may be on
   * the log: first of all this is noted, since a call may have other messages that wait.
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
   * Suspects and others that go alone (large records, a search for a bad one) in turn. Of the suspects the one that failed
   * least: one that fails again and again keeps back none that failed with it once.
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

  /** Those that were served go to the end of the line. */
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

/** What of each queue is under way. */
function headsOf(inFlight: readonly PublishSlice[]): ReadonlyMap<PartitionQueue, readonly PublishEntry[]> {
  return new Map(inFlight.map(({ queue, entries }) => [queue, entries]));
}

/** From now on nobody can say whether these records are on the log. */
export function markMaybeStored(slices: readonly PublishSlice[]): void {
  for (const { entries } of slices) for (const { call } of entries) call.maybeStored = true;
}
