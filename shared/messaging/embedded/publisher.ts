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

/** What was appended of a call. */
interface Appending {
  readonly messages: readonly OutgoingMessage[];
  /** Index of the next message; those before it are on the log or rejected. */
  next: number;
  firstError: unknown;
  isMaybeStored: boolean;
}

/** A call of publish() that has to wait for more than one group commit, or of which a message was rejected. */
interface Call extends Appending, Open {
  readonly size: Queued;
  /** The group commits of its messages. */
  readonly flushes: Set<Promise<void>>;
  readonly settle: (error?: unknown) => void;
}

/**
 * Appends immediately if possible, and acknowledges a call when the group commit of its messages is durable. While a log is
 * full of unread messages, calls are queued until their deadline, up to the limits of QUEUE_LIMITS. `send-unknown` then
 * means that some messages of the call were stored in time.
 */
export class EmbeddedPublisher implements Publisher {
  readonly #parts: EmbeddedParts;
  readonly #clientId: string;
  readonly #deadlineMs: number;
  #state: 'new' | 'started' | 'stopped' = 'new';
  /** Calls with messages that are not yet on the log. */
  readonly #queue: Call[] = [];
  readonly #queued = { messages: 0, bytes: 0 };
  /** All that is not settled: the queue, and what waits for a group commit. */
  readonly #open = new Set<Open>();
  /** The group commit that the last call waits for. */
  #shared: SharedCommit | undefined;
  #isWaiting = false;

  constructor(options: PublisherOptions, parts: EmbeddedParts) {
    this.#parts = parts;
    this.#clientId = options.clientId;
    this.#deadlineMs = options.deadlineMs ?? CLIENT_DEFAULTS.publishDeadlineMs;
  }

  async start(): Promise<void> {
    if (this.#state === 'new') this.#state = 'started';
    this.#serve();
  }

  publish(messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.#state === 'stopped') return Promise.reject(publishFailed(this.#clientId, 'it was stopped'));
    const mayAppend = this.#state === 'started' && this.#queue.length === 0 && !this.#isWaiting;
    // One message that does not wait is never too much.
    if (!mayAppend || messages.length > 1) {
      if (!hasRoom(this.queued, sizeOf(messages)))
        return Promise.reject(publishFailed(this.#clientId, 'its queue is full'));
    }
    const appending: Appending = { messages, next: 0, firstError: undefined, isMaybeStored: false };
    const flush = mayAppend && !this.#isRefused() ? this.#store(appending) : undefined;
    const isStored = appending.next === messages.length && appending.firstError === undefined;
    if (isStored && messages.length > 0) return flush === undefined ? STORED : this.#awaitShared(flush);
    const call = this.#enqueue(appending, flush);
    if (mayAppend && appending.next < messages.length) this.#serveLater();
    else this.#serve();
    return call;
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

  /** Queues a call; `flush` is the group commit of what was appended of it. */
  #enqueue(appending: Appending, flush: Promise<void> | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (error?: unknown) => {
      cancel();
      this.#open.delete(call);
      this.#leave(call);
      if (error === undefined) resolve();
      else reject(error);
    };
    const giveUp = (reason: string): void => this.#giveUp(call, reason);
    const cancel = this.#parts.ports.timers.schedule(() => giveUp('the deadline passed'), this.#deadlineMs);
    const flushes = new Set(flush === undefined ? [] : [flush]);
    const call: Call = { ...appending, size: sizeOf(appending.messages), flushes, settle, giveUp };
    this.#queue.push(call);
    this.#queued.messages += call.size.messages;
    this.#queued.bytes += call.size.bytes;
    this.#open.add(call);
    return promise;
  }

  /** Removes a call from the queue, if it is there. */
  #leave(call: Call): void {
    const index = this.#queue.indexOf(call);
    if (index < 0) return;
    this.#queue.splice(index, 1);
    this.#queued.messages -= call.size.messages;
    this.#queued.bytes -= call.size.bytes;
  }

  /** Processes the queue in order, until it is empty or its head has to wait. */
  #serve(): void {
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      if (this.#isWaiting || this.#state === 'new') return;
      if (!this.#isRefused()) this.#attempt(head);
      if (this.#queue[0] === head) this.#serveLater();
    }
  }

  #serveLater(): void {
    this.#isWaiting = true;
    this.#parts.ports.timers.schedule(() => {
      this.#isWaiting = false;
      this.#serve();
    }, RETRY_INTERVAL_MS);
  }

  #attempt(call: Call): void {
    const flush = this.#store(call);
    if (flush !== undefined) call.flushes.add(flush);
    if (call.next < call.messages.length) return;
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
   * Appends from `next` on until the end or a full log. A rejected message does not affect the others. Returns the group commit
   * of what was appended; undefined: it is durable.
   */
  #store(appending: Appending): Promise<void> | undefined {
    return this.#append(appending) ? this.#parts.topics.flushed() : undefined;
  }

  /** Returns whether a message was appended. */
  #append(call: Appending): boolean {
    let isAppended = false;
    for (; call.next < call.messages.length; call.next += 1) {
      const message = call.messages[call.next];
      if (message === undefined) return isAppended;
      try {
        if (this.#parts.topics.append(message) === 'full') return isAppended;
        call.isMaybeStored = true;
        isAppended = true;
      } catch (error) {
        call.firstError ??= error;
      }
    }
    return isAppended;
  }

  #giveUp(call: Call, reason: string): void {
    const { isMaybeStored, firstError } = call;
    const rejection = isMaybeStored ? undefined : firstError;
    call.settle(rejection ?? publishFailed(this.#clientId, reason, { isMaybeStored }));
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
