import type { MonotonicClock } from '../../platform/clock.ts';
import type { Timers } from '../../platform/timers.ts';

/** Items that are due within the same tick time out together; callers do not notice such a delay. */
const TICK_MS = 20;

export interface WheelPorts {
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
}

/**
 * One timer for many timeouts: items are stored by the tick in which they are due, and are usually deleted before it. The timer
 * is set to the earliest tick, so that waiting for replies does not wake the process up. Times are monotonic milliseconds.
 */
export class TimeoutWheel<T> {
  readonly #slots = new Map<number, Set<T>>();
  readonly #onTimeout: (item: T) => void;
  readonly #ports: WheelPorts;
  #cancel: (() => void) | undefined;
  /** The slot that the timer is set to; it may be empty by then. */
  #timerSlot = Number.POSITIVE_INFINITY;
  #size = 0;

  constructor(onTimeout: (item: T) => void, ports: WheelPorts) {
    this.#onTimeout = onTimeout;
    this.#ports = ports;
  }

  /** Returns the slot of the item, which delete() needs. */
  add(item: T, dueMs: number): number {
    const slot = Math.ceil(dueMs / TICK_MS);
    const items = this.#slots.get(slot);
    if (items === undefined) this.#slots.set(slot, new Set([item]));
    else items.add(item);
    this.#size += 1;
    if (slot < this.#timerSlot) this.#setTimer(slot);
    return slot;
  }

  delete(item: T, slot: number): void {
    const items = this.#slots.get(slot);
    if (items?.delete(item) !== true) return;
    this.#size -= 1;
    if (items.size === 0) this.#slots.delete(slot);
    if (this.#size === 0) this.#stop();
  }

  #setTimer(slot: number): void {
    this.#cancel?.();
    this.#timerSlot = slot;
    const { timers, monotonic } = this.#ports;
    // At least a millisecond: an item that is overdue times out after the call that adds it.
    const afterMs = Math.max(1, slot * TICK_MS - monotonic.elapsedMs());
    this.#cancel = timers.schedule(() => this.#endDueSlots(), afterMs);
  }

  #endDueSlots(): void {
    this.#stop();
    const now = Math.floor(this.#ports.monotonic.elapsedMs() / TICK_MS);
    const due = [...this.#slots.keys()].filter((slot) => slot <= now).toSorted((a, b) => a - b);
    for (const slot of due) this.#endSlot(slot);
    if (this.#size > 0) this.#setTimer(Math.min(...this.#slots.keys()));
  }

  #endSlot(slot: number): void {
    const items = this.#slots.get(slot);
    if (items === undefined) return;
    this.#slots.delete(slot);
    this.#size -= items.size;
    for (const item of items) this.#onTimeout(item);
  }

  #stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#timerSlot = Number.POSITIVE_INFINITY;
  }
}
