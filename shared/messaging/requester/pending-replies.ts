import { SharedLimit } from '../../platform/queues/shared-limit.ts';
import type { Reply } from '../reply.ts';
import type { Timers } from '../../platform/timers.ts';

/**
 * A request that waits for its reply. It forgets the promise of the reply when it ends: what waits until the request is on the
 * log does not keep its reply in memory.
 */
export class PendingReply {
  readonly id: string;
  /** Of the request. */
  readonly topic: string;
  /** Monotonic milliseconds. */
  readonly requestedAtMs: number;
  /** Whether the request is on the log. */
  isStored = false;
  /** Cancels its timeout. */
  cancel: () => void = () => undefined;
  #waiting: Pick<PromiseWithResolvers<Reply>, 'resolve' | 'reject'> | undefined;

  constructor(
    { id, topic, requestedAtMs }: Pick<PendingReply, 'id' | 'topic' | 'requestedAtMs'>,
    waiting: Pick<PromiseWithResolvers<Reply>, 'resolve' | 'reject'>,
  ) {
    this.id = id;
    this.topic = topic;
    this.requestedAtMs = requestedAtMs;
    this.#waiting = waiting;
  }

  settle(reply: Reply): void {
    this.#waiting?.resolve(reply);
    this.#waiting = undefined;
  }

  fail(error: unknown): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** The requests that wait for a reply, by correlation id. Each ends once, by its reply, its timeout or a failure to send. */
export class PendingReplies {
  readonly #byId = new Map<string, PendingReply>();
  /** Their places, by the topic of the request. */
  readonly #places = new SharedLimit();
  readonly #onTimeout: (pending: PendingReply) => void;
  readonly #timers: Timers;

  constructor(onTimeout: (pending: PendingReply) => void, timers: Timers) {
    this.#onTimeout = onTimeout;
    this.#timers = timers;
  }

  get size(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Whether a request of the topic has a place among `limit`: one whose worker is stuck takes half of them at most. */
  hasRoom(topic: string, limit: number): boolean {
    return this.#places.hasRoom(topic, limit);
  }

  add(pending: PendingReply, timeoutMs: number): void {
    this.#byId.set(pending.id, pending);
    this.#places.take(pending.topic, 1);
    pending.cancel = this.#timers.schedule(() => {
      if (this.take(pending.id) !== undefined) this.#onTimeout(pending);
    }, timeoutMs);
  }

  /** Removes the request; undefined if no request is pending under this id. */
  take(id: string): PendingReply | undefined {
    const pending = this.#byId.get(id);
    if (pending === undefined) return undefined;
    this.#byId.delete(id);
    this.#places.giveBack(pending.topic, 1);
    pending.cancel();
    return pending;
  }

  /** Removes the requests from before this time (monotonic milliseconds) that are not on the log. */
  takeUnsent(requestedBeforeMs: number): readonly PendingReply[] {
    const unsent = this.all().filter(
      (pending) => !pending.isStored && pending.requestedAtMs <= requestedBeforeMs,
    );
    for (const { id } of unsent) this.take(id);
    return unsent;
  }

  all(): readonly PendingReply[] {
    return [...this.#byId.values()];
  }
}
