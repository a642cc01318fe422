import { sleep } from '../../platform/timers.ts';
import { isRefused } from './injected-faults.ts';
import type { MemoryParts } from './topics.ts';
import { FlushError } from './log-store.ts';
import { errorText } from '../../platform/errors.ts';
import { publishFailed } from '../broker-errors.ts';
import type { OutgoingMessage } from '../message.ts';
import { CLIENT_DEFAULTS, type Publisher, type PublisherOptions } from '../ports.ts';

/** Delay before a publish is repeated because a log was full or the broker refused. */
const RETRY_INTERVAL_MS = 5;

/** One call of publish(). */
interface Call {
  readonly messages: readonly OutgoingMessage[];
  /** Index of the next message; those before it are on the log or rejected. */
  next: number;
  firstError: unknown;
  isMaybeStored: boolean;
  /** The group commits of its messages. */
  readonly flushes: Set<Promise<void>>;
  readonly settle: (error?: unknown) => void;
}

/**
 * Appends immediately if possible, and acknowledges a call when the group commit of its messages is durable. While a log is
 * full of unread messages, calls are queued until their deadline. `send-unknown` then means that some messages of the call were
 * stored in time.
 */
export class MemoryPublisher implements Publisher {
  readonly #parts: MemoryParts;
  readonly #clientId: string;
  readonly #deadlineMs: number;
  #state: 'new' | 'started' | 'stopped' = 'new';
  /** Calls with messages that are not yet on the log. */
  readonly #queue: Call[] = [];
  /** All calls that are not settled: the queue, and those that wait for their group commit. */
  readonly #open = new Set<Call>();
  #isWaiting = false;

  constructor(options: PublisherOptions, parts: MemoryParts) {
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
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let cancel: (() => void) | undefined;
    const settle = (error?: unknown) => {
      cancel?.();
      this.#open.delete(call);
      const index = this.#queue.indexOf(call);
      if (index >= 0) this.#queue.splice(index, 1);
      if (error === undefined) resolve();
      else reject(error);
    };
    const flushes = new Set<Promise<void>>();
    const call: Call = { messages, next: 0, firstError: undefined, isMaybeStored: false, flushes, settle };
    this.#queue.push(call);
    this.#open.add(call);
    this.#serve();
    if (this.#open.has(call)) {
      const giveUp = (): void => this.#giveUp(call, 'the deadline passed');
      cancel = this.#parts.ports.timers.schedule(giveUp, this.#deadlineMs);
    }
    return promise;
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
    for (const call of this.#open) this.#giveUp(call, 'it was stopped');
    this.#parts.onStopped(this);
  }

  /** Processes the queue in order, until it is empty or its head has to wait. */
  #serve(): void {
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      if (this.#isWaiting || this.#state === 'new') return;
      if (!isRefused(this.#parts.faults, 'publish', this.#clientId)) this.#attempt(head);
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
    this.#store(call);
    if (call.next < call.messages.length) return;
    if (call.flushes.size === 0) {
      call.settle(call.firstError);
      return;
    }
    this.#queue.splice(this.#queue.indexOf(call), 1);
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
    const isMaybeStored =
      failures.length < results.length ||
      failures.some((one) => !(one instanceof FlushError) || one.isMaybeStored);
    call.settle(publishFailed(this.#clientId, errorText(cause), { isMaybeStored, cause }));
  }

  /** Appends from `next` on until the end or a full log. A rejected message does not affect the others. */
  #store(call: Call): void {
    if (!this.#append(call)) return;
    const flush = this.#parts.topics.flushed();
    if (flush !== undefined) call.flushes.add(flush);
  }

  /** Returns whether a message was appended. */
  #append(call: Call): boolean {
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
