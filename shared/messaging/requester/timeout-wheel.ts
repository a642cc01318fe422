import type { MonotonicClock } from '../../platform/clock.ts';
import { repeat, type Timers } from '../../platform/timers.ts';

/** Items that are due within the same tick time out together; callers do not notice such a delay. */
const TICK_MS = 20;

export interface WheelPorts {
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
}

/**
 * One timer for many timeouts: items are stored by the tick in which they are due, and are usually deleted before it. Times are
 * monotonic milliseconds.
 */
export class TimeoutWheel<T> {
  readonly #slots = new Map<number, Set<T>>();
  readonly #onTimeout: (item: T) => void;
  readonly #ports: WheelPorts;
  #stopTicks: (() => void) | undefined;
  #size = 0;
  /** The last slot that has timed out. */
  #lastSlot = 0;

  constructor(onTimeout: (item: T) => void, ports: WheelPorts) {
    this.#onTimeout = onTimeout;
    this.#ports = ports;
  }

  /** Returns the slot of the item, which delete() needs. */
  add(item: T, dueMs: number): number {
    if (this.#stopTicks === undefined) {
      this.#lastSlot = this.#currentSlot();
      this.#stopTicks = repeat(this.#ports.timers, () => this.#tick(), TICK_MS);
    }
    const slot = Math.max(Math.ceil(dueMs / TICK_MS), this.#lastSlot + 1);
    const items = this.#slots.get(slot);
    if (items === undefined) this.#slots.set(slot, new Set([item]));
    else items.add(item);
    this.#size += 1;
    return slot;
  }

  delete(item: T, slot: number): void {
    const items = this.#slots.get(slot);
    if (items?.delete(item) !== true) return;
    this.#size -= 1;
    if (items.size === 0) this.#slots.delete(slot);
    if (this.#size === 0) this.#stop();
  }

  #tick(): void {
    const now = this.#currentSlot();
    while (this.#lastSlot < now && this.#size > 0) {
      this.#lastSlot += 1;
      this.#endSlot(this.#lastSlot);
    }
    if (this.#size === 0) this.#stop();
  }

  #currentSlot(): number {
    return Math.floor(this.#ports.monotonic.elapsedMs() / TICK_MS);
  }

  #endSlot(slot: number): void {
    const items = this.#slots.get(slot);
    if (items === undefined) return;
    this.#slots.delete(slot);
    this.#size -= items.size;
    for (const item of items) this.#onTimeout(item);
  }

  #stop(): void {
    this.#stopTicks?.();
    this.#stopTicks = undefined;
  }
}
