/** Items that are due within the same tick time out together; callers do not notice such a delay. */
const TICK_MS = 20;

/**
 * One timer for many timeouts: items are stored by the tick in which they are due, and are usually deleted before it. Times are
 * monotonic milliseconds.
 */
export class TimeoutWheel<T> {
  readonly #slots = new Map<number, Set<T>>();
  readonly #onTimeout: (item: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  /** The last slot that has timed out. */
  #lastSlot = 0;

  constructor(onTimeout: (item: T) => void) {
    this.#onTimeout = onTimeout;
  }

  /** Returns the slot of the item, which delete() needs. */
  add(item: T, dueMs: number): number {
    if (this.#timer === undefined) {
      this.#lastSlot = Math.floor(performance.now() / TICK_MS);
      this.#timer = setInterval(() => this.#tick(), TICK_MS);
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
    const now = Math.floor(performance.now() / TICK_MS);
    while (this.#lastSlot < now && this.#size > 0) {
      this.#lastSlot += 1;
      this.#endSlot(this.#lastSlot);
    }
    if (this.#size === 0) this.#stop();
  }

  #endSlot(slot: number): void {
    const items = this.#slots.get(slot);
    if (items === undefined) return;
    this.#slots.delete(slot);
    this.#size -= items.size;
    for (const item of items) this.#onTimeout(item);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
