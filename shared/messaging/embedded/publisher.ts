import { sleep } from '../../platform/timers.ts';
import { isRefused } from './injected-faults.ts';
import type { EmbeddedParts } from './topics.ts';
import { FlushError } from './log-store.ts';
import { errorText } from '../../platform/errors.ts';
import { publishFailed } from '../broker-errors.ts';
import { hasRoom, type Queued } from '../publisher-queues.ts';
import type { OutgoingMessage } from '../message.ts';
import { CLIENT_DEFAULTS, type Publisher, type PublisherOptions } from '../ports.ts';

/** Delay before a publish is repeated because a log was full or the broker refused. */
const RETRY_INTERVAL_MS = 5;
/** Calls that wait for the same group commit share a promise and a deadline if they came within this time. */
const SHARED_DEADLINE_MS = 10;
/** What a publish returns if its messages are stored at once. */
const STORED = Promise.resolve();
const NONE: Queued = { messages: 0, bytes: 0 };

/** What is not settled yet: a call, or the calls that wait for a group commit. */
interface Open {
  giveUp(reason: string): void;
}

/** Calls that wait for the same group commit. */
interface SharedCommit extends Open {
  readonly flush: Promise<void>;
  /** When the first of them came, in monotonic milliseconds. */
  readonly openedMs: number;
  readonly promise: Promise<void>;
}

/** The progress of the messages of a call. */
interface Outcome {
  /** Messages that are neither on the log nor rejected. */
  unsent: number;
  firstError: unknown;
  isMaybeStored: boolean;
  /** One of its messages waits for the next group commit. */
  isPending: boolean;
}

/** A call of publish() that has to wait for more than one group commit, or of which a message was rejected. */
interface Call extends Outcome, Open {
  readonly size: Queued;
  /** The group commits of its messages. */
  readonly flushes: Set<Promise<void>>;
  readonly settle: (error?: unknown) => void;
}

/** A message of a queued call that is not on its log yet. */
interface Waiting {
  readonly call: Call;
  readonly message: OutgoingMessage;
}

/**
 * Appends immediately if possible, and acknowledges a call when the group commit of its messages is durable. While a log is
 * full of unread messages, calls are queued until their deadline, up to the limits of QUEUE_LIMITS; messages to other
 * partitions do not wait for it and need no place in the queue, and those to one partition stay in order. `send-unknown` then
 * means that some messages of the call were stored in time, or before the queue was full.
 */
export class EmbeddedPublisher implements Publisher {
  readonly #parts: EmbeddedParts;
  readonly #clientId: string;
  readonly #deadlineMs: number;
  #state: 'new' | 'started' | 'stopped' = 'new';
  /** Calls with messages that are not yet on the log. */
  readonly #queue = new Set<Call>();
  /** Their messages in the order of publishing, by partition. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #queued = { messages: 0, bytes: 0 };
  /** All that is not settled: the queue, and what waits for a group commit. */
  readonly #open = new Set<Open>();
  /** The group commit that the last call waits for. */
  #shared: SharedCommit | undefined;
  #isRetryDue = false;

  constructor(options: PublisherOptions, parts: EmbeddedParts) {
    this.#parts = parts;
    this.#clientId = options.clientId;
    this.#deadlineMs = options.deadlineMs ?? CLIENT_DEFAULTS.publishDeadlineMs;
  }

  async start(): Promise<void> {
    if (this.#state === 'new') this.#state = 'started';
    this.#serve(this.#waiting);
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.#state === 'stopped') return Promise.reject(publishFailed(this.#clientId, 'it was stopped'));
    const mayAppend = this.#state === 'started' && !this.#isBehind(messages);
    const outcome: Outcome = {
      unsent: messages.length,
      firstError: undefined,
      isMaybeStored: false,
      isPending: false,
    };
    // A call that may not fit into an empty queue is refused before a part of it is on the log.
    if (messages.length > 1 && !hasRoom(NONE, sizeOf(messages)))
      return Promise.reject(this.#failure(outcome, 'its queue is full'));
    const flush = mayAppend && !this.#isRefused() ? this.#store(messages, outcome) : undefined;
    const isStored = outcome.unsent === 0 && outcome.firstError === undefined;
    if (isStored && messages.length > 0) return flush === undefined ? STORED : this.#awaitShared(flush);
    if (outcome.unsent > 0 && !hasRoom(this.queued, sizeOf(messages)))
      return Promise.reject(this.#failure(outcome, 'its queue is full'));
    return this.#enqueue(messages, outcome, flush);
  }

  /** The calls that wait for room on a log, whole even where a part of them is on it. */
  get queued(): Queued {
    return this.#queued;
  }

  isHealthy(): boolean {
    if (this.#state !== 'started' || !this.#parts.isStoring()) return false;
    return !isRefused(this.#parts.faults, 'ping', this.#clientId);
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    const { monotonic, timers } = this.#parts.ports;
    const until = monotonic.elapsedMs() + (this.#state === 'started' ? timeoutMs : 0);
    this.#state = 'stopped';
    while (this.#open.size > 0 && monotonic.elapsedMs() < until) await sleep(timers, RETRY_INTERVAL_MS);
    for (const open of this.#open) open.giveUp('it was stopped');
    this.#parts.onStopped(this);
  }

  #isRefused(): boolean {
    return isRefused(this.#parts.faults, 'publish', this.#clientId);
  }

  /** Whether others wait for the partition of one of the messages. */
  #isBehind(messages: readonly OutgoingMessage[]): boolean {
    if (this.#queue.size === 0) return false;
    return messages.some((message) => this.#waiting.has(this.#parts.topics.placeOf(message)));
  }

  /** Waits for a group commit, with the calls that came shortly before. */
  #awaitShared(flush: Promise<void>): Promise<void> {
    const { monotonic, timers } = this.#parts.ports;
    const openedMs = monotonic.elapsedMs();
    const known = this.#shared;
    if (known?.flush === flush && openedMs - known.openedMs < SHARED_DEADLINE_MS) return known.promise;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (error?: unknown): void => {
      cancel();
      this.#open.delete(shared);
      if (this.#shared === shared) this.#shared = undefined;
      if (error === undefined) resolve();
      else reject(error);
    };
    const fail = (reason: string, how: { readonly isMaybeStored: boolean; readonly cause?: unknown }): void =>
      settle(publishFailed(this.#clientId, reason, how));
    const giveUp = (reason: string): void => fail(reason, { isMaybeStored: true });
    const cancel = timers.schedule(() => giveUp('the deadline passed'), this.#deadlineMs);
    const shared = { flush, openedMs, promise, giveUp };
    this.#open.add(shared);
    this.#shared = shared;
    flush.then(
      () => settle(),
      (cause: unknown) => fail(errorText(cause), { isMaybeStored: mayBeStored(cause), cause }),
    );
    return promise;
  }

  /** Queues what is unsent of a call; `flush` is the group commit of what was appended of it. */
  #enqueue(
    messages: readonly OutgoingMessage[],
    outcome: Outcome,
    flush: Promise<void> | undefined,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (error?: unknown) => {
      cancel();
      this.#open.delete(call);
      this.#leave(call);
      if (error === undefined) resolve();
      else reject(error);
    };
    const giveUp = (reason: string): void => settle(this.#failure(call, reason));
    const cancel = this.#parts.ports.timers.schedule(() => giveUp('the deadline passed'), this.#deadlineMs);
    const flushes = new Set(flush === undefined ? [] : [flush]);
    const call: Call = { ...outcome, size: sizeOf(messages), flushes, settle, giveUp };
    this.#open.add(call);
    if (call.unsent === 0) {
      this.#finish(call);
      return promise;
    }
    this.#queue.add(call);
    this.#queued.messages += call.size.messages;
    this.#queued.bytes += call.size.bytes;
    this.#serve(this.#addWaiting(call, messages.slice(messages.length - call.unsent)));
    return promise;
  }

  /** Adds messages behind those that wait for the same partition. Returns those to partitions for which none waited. */
  #addWaiting(call: Call, messages: readonly OutgoingMessage[]): ReadonlyMap<string, Waiting[]> {
    const added = new Map<string, Waiting[]>();
    for (const message of messages) {
      const place = this.#parts.topics.placeOf(message);
      let waiting = this.#waiting.get(place);
      if (waiting === undefined) {
        waiting = [];
        this.#waiting.set(place, waiting);
        added.set(place, waiting);
      }
      waiting.push({ call, message });
    }
    return added;
  }

  /** Removes a call from the queue, if it is there. */
  #leave(call: Call): void {
    if (!this.#queue.delete(call)) return;
    this.#queued.messages -= call.size.messages;
    this.#queued.bytes -= call.size.bytes;
    if (this.#queue.size === 0) this.#waiting.clear();
  }

  /** Appends what waits for these partitions, of each up to a full log. */
  #serve(partitions: ReadonlyMap<string, Waiting[]>): void {
    if (this.#queue.size === 0 || this.#state === 'new') return;
    if (!this.#isRefused()) {
      for (const [place, waiting] of partitions) {
        waiting.splice(0, this.#appendWaiting(waiting));
        if (waiting.length === 0) this.#waiting.delete(place);
      }
    }
    if (this.#queue.size > 0) this.#serveLater();
  }

  #serveLater(): void {
    if (this.#isRetryDue) return;
    this.#isRetryDue = true;
    this.#parts.ports.timers.schedule(() => {
      this.#isRetryDue = false;
      this.#serve(this.#waiting);
    }, RETRY_INTERVAL_MS);
  }

  /** Returns how many of the first messages wait no longer; those of calls that were given up are left out. */
  #appendWaiting(waiting: readonly Waiting[]): number {
    let count = 0;
    for (const { call, message } of waiting) {
      if (this.#queue.has(call)) {
        const result = this.#append(message, call);
        if (result === 'full') break;
        const flush = result === 'pending' ? this.#parts.topics.flushed() : undefined;
        if (flush !== undefined) call.flushes.add(flush);
        if (call.unsent === 0) this.#finish(call);
      }
      count += 1;
    }
    return count;
  }

  /** Nothing of the call is unsent: settles it when what is on the log is durable. */
  #finish(call: Call): void {
    if (call.flushes.size === 0) {
      call.settle(call.firstError);
      return;
    }
    this.#leave(call);
    void this.#awaitCommit(call);
  }

  /** Settles a call whose messages are all on the log when they are durable. */
  async #awaitCommit(call: Call): Promise<void> {
    const results = await Promise.allSettled(call.flushes);
    const failures = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    const [cause] = failures;
    if (cause === undefined) {
      call.settle(call.firstError);
      return;
    }
    const isPartlyStored = failures.length < results.length || failures.some(mayBeStored);
    call.settle(publishFailed(this.#clientId, errorText(cause), { isMaybeStored: isPartlyStored, cause }));
  }

  /**
   * Appends messages until the end or a full log. A rejected message does not affect the others. Returns the group commit of
   * what was appended; undefined: it is durable.
   */
  #store(messages: readonly OutgoingMessage[], outcome: Outcome): Promise<void> | undefined {
    for (const message of messages) if (this.#append(message, outcome) === 'full') break;
    return outcome.isPending ? this.#parts.topics.flushed() : undefined;
  }

  /** Appends a message, or records why it was rejected. `full`: neither, its log is full. */
  #append(message: OutgoingMessage, outcome: Outcome): 'done' | 'pending' | 'rejected' | 'full' {
    try {
      const result = this.#parts.topics.append(message);
      if (result === 'full') return 'full';
      outcome.isMaybeStored = true;
      outcome.isPending ||= result === 'pending';
      outcome.unsent -= 1;
      return result;
    } catch (error) {
      outcome.firstError ??= error;
      outcome.unsent -= 1;
      return 'rejected';
    }
  }

  /** Why a call failed of which messages are unsent. */
  #failure({ isMaybeStored, firstError }: Outcome, reason: string): unknown {
    const rejection = isMaybeStored ? undefined : firstError;
    return rejection ?? publishFailed(this.#clientId, reason, { isMaybeStored });
  }
}

/** Without headers, which are short and few. */
function sizeOf(messages: readonly OutgoingMessage[]): Queued {
  let bytes = 0;
  for (const { key, value } of messages) bytes += (key?.length ?? 0) + (value?.length ?? 0);
  return { messages: messages.length, bytes };
}

/** Whether messages of a group commit that failed may be on the log. */
function mayBeStored(cause: unknown): boolean {
  return !(cause instanceof FlushError) || cause.isMaybeStored;
}
