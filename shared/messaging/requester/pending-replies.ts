import type { Reply } from '../reply.ts';
import { TimeoutWheel, type WheelPorts } from './timeout-wheel.ts';

/** A request that waits for its reply. */
export interface PendingReply {
  readonly id: string;
  /** Monotonic milliseconds. */
  readonly requestedAtMs: number;
  /** Whether the request is on the log. */
  isStored: boolean;
  readonly settle: (reply: Reply) => void;
  readonly fail: (error: unknown) => void;
  slot: number;
}

/** The requests that wait for a reply, by correlation id. Each ends once, by its reply, its timeout or a failure to send. */
export class PendingReplies {
  readonly #byId = new Map<string, PendingReply>();
  readonly #wheel: TimeoutWheel<PendingReply>;

  constructor(onTimeout: (pending: PendingReply) => void, ports: WheelPorts) {
    this.#wheel = new TimeoutWheel((pending) => {
      if (this.#byId.delete(pending.id)) onTimeout(pending);
    }, ports);
  }

  get size(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  add(pending: PendingReply, timeoutMs: number): void {
    this.#byId.set(pending.id, pending);
    pending.slot = this.#wheel.add(pending, pending.requestedAtMs + timeoutMs);
  }

  /** Removes the request; undefined if no request is pending under this id. */
  take(id: string): PendingReply | undefined {
    const pending = this.#byId.get(id);
    if (pending === undefined) return undefined;
    this.#byId.delete(id);
    this.#wheel.delete(pending, pending.slot);
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
