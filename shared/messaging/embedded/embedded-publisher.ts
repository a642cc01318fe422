import { sleep } from '../../platform/system-ports.ts';
import type { EmbeddedParts } from './embedded-topics.ts';
import { FlushError } from './sqlite-store.ts';
import { errorText } from '../../platform/errors.ts';
import { publishFailed } from '../broker-errors.ts';
import { CLIENT_DEFAULTS } from '../client-defaults.ts';
import { hasRoom, type Queued, type Publisher, type PublisherOptions } from '../ports.ts';
import type { OutgoingMessage } from '../message.ts';

const RETRY_INTERVAL_MS = 5;

interface Call {
  /** Number of messages that are neither on the log nor rejected. */
  unsent: number;
  firstError: unknown;
  isMaybeStored: boolean;
  readonly flushes: Promise<void>[];
  queued?: Queued;
  settle(error?: unknown): void;
}

/** Messages to a full log wait in order, at most until the deadline of their call. Those to other logs do not wait. */
export class EmbeddedPublisher implements Publisher {
  readonly #parts: EmbeddedParts;
  readonly #clientId: string;
  readonly #deadlineMs: number;
  #state: 'new' | 'started' | 'stopped' = 'new';
  /** Waiting messages by partition, in the order in which they were published. */
  readonly #waiting = new Map<string, { readonly call: Call; readonly message: OutgoingMessage }[]>();
  /** Size of the calls with waiting messages. A call counts as a whole, even if some of its messages are on the log. */
  readonly #queued = { messages: 0, bytes: 0 };
  readonly #open = new Set<Call>();
  #isRetryDue = false;

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
    const call: Call = {
      unsent: messages.length,
      firstError: undefined,
      isMaybeStored: false,
      flushes: [],
      settle: () => undefined,
    };
    for (const message of messages) {
      const partitionKey = this.#waiting.size === 0 ? undefined : this.#parts.topics.partitionKeyOf(message);
      const isBehind = partitionKey !== undefined && this.#waiting.has(partitionKey);
      if (this.#state === 'started' && !isBehind && this.#append(message, call)) continue;
      if (!this.#queue(message, call, messages))
        return Promise.reject(this.#failure(call, 'its queue is full'));
    }
    const isDone = call.unsent === 0 && call.flushes.length === 0 && call.firstError === undefined;
    return isDone ? Promise.resolve() : this.#settled(call);
  }

  isHealthy(): boolean {
    return this.#state === 'started' && this.#parts.topics.store.health().status === 'ready';
  }

  async stop(timeoutMs: number = CLIENT_DEFAULTS.stopTimeoutMs): Promise<void> {
    const { monotonic, timers } = this.#parts.ports;
    const until = monotonic.elapsedMs() + (this.#state === 'started' ? timeoutMs : 0);
    this.#state = 'stopped';
    while (this.#open.size > 0 && monotonic.elapsedMs() < until) await sleep(timers, RETRY_INTERVAL_MS);
    for (const call of this.#open) call.settle(this.#failure(call, 'it was stopped'));
    this.#parts.onStopped(this);
  }

  #append(message: OutgoingMessage, call: Call): boolean {
    const { topics } = this.#parts;
    try {
      const result = topics.append(message);
      if (result === 'full') return false;
      call.isMaybeStored = true;
      const flush = result === 'pending' ? topics.store.flushed() : undefined;
      if (flush !== undefined && flush !== call.flushes.at(-1)) call.flushes.push(flush);
    } catch (error) {
      call.firstError ??= error;
    }
    call.unsent -= 1;
    return true;
  }

  #queue(message: OutgoingMessage, call: Call, messages: readonly OutgoingMessage[]): boolean {
    if (call.queued === undefined) {
      // Headers do not count, because they are short and few.
      const bytes = messages.reduce(
        (sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0),
        0,
      );
      const size = { messages: messages.length, bytes };
      if (!hasRoom(this.#queued, size)) return false;
      call.queued = size;
      this.#queued.messages += size.messages;
      this.#queued.bytes += bytes;
      this.#serveLater();
    }
    const partitionKey = this.#parts.topics.partitionKeyOf(message);
    const waiting = this.#waiting.get(partitionKey) ?? [];
    waiting.push({ call, message });
    this.#waiting.set(partitionKey, waiting);
    return true;
  }

  #settled(call: Call): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => call.settle(this.#failure(call, 'the deadline passed'));
    const cancel = this.#parts.ports.timers.schedule(giveUp, this.#deadlineMs);
    call.settle = (error) => {
      cancel();
      this.#open.delete(call);
      this.#queued.messages -= call.queued?.messages ?? 0;
      this.#queued.bytes -= call.queued?.bytes ?? 0;
      delete call.queued;
      if (error === undefined) resolve();
      else reject(error);
    };
    this.#open.add(call);
    if (call.unsent === 0) void this.#awaitCommits(call);
    return promise;
  }

  async #awaitCommits(call: Call): Promise<void> {
    const results = await Promise.allSettled(call.flushes);
    const failures = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    const [cause] = failures;
    if (cause === undefined) return call.settle(call.firstError);
    const isMaybeStored =
      failures.length < results.length ||
      failures.some((failure) => !(failure instanceof FlushError) || failure.isMaybeStored);
    call.settle(publishFailed(this.#clientId, errorText(cause), { isMaybeStored, cause }));
  }

  #serve(): void {
    if (this.#state === 'new') return;
    for (const [partitionKey, waiting] of this.#waiting) {
      const full = waiting.findIndex(({ call, message }) => {
        if (!this.#open.has(call)) return false;
        if (!this.#append(message, call)) return true;
        if (call.unsent === 0) void this.#awaitCommits(call);
        return false;
      });
      waiting.splice(0, full === -1 ? waiting.length : full);
      if (waiting.length === 0) this.#waiting.delete(partitionKey);
    }
    if (this.#waiting.size > 0) this.#serveLater();
  }

  #serveLater(): void {
    if (this.#isRetryDue) return;
    this.#isRetryDue = true;
    this.#parts.ports.timers.schedule(() => {
      this.#isRetryDue = false;
      this.#serve();
    }, RETRY_INTERVAL_MS);
  }

  #failure({ isMaybeStored, firstError }: Call, reason: string): unknown {
    const rejection = isMaybeStored ? undefined : firstError;
    return rejection ?? publishFailed(this.#clientId, reason, { isMaybeStored });
  }
}
