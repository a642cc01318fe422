/** Items that share a tick end together: a caller never notices being kept for so much longer. */
const TICK_MS = 20;

/**
 * One timer for many time-outs: items lie in slots by the tick in which they end, and are taken out when they end
 * sooner, which is the rule. Times are monotonic milliseconds.
 */
export class TimeoutWheel<T> {
  readonly #slots = new Map<number, Set<T>>();
  readonly #onTimeout: (item: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  /** The last slot that has ended. */
  #ended = 0;

  constructor(onTimeout: (item: T) => void) {
    this.#onTimeout = onTimeout;
  }

  /** Answers the slot, by which the item can be taken out again. */
  add(item: T, dueMs: number): number {
    if (this.#timer === undefined) {
      this.#ended = Math.floor(performance.now() / TICK_MS);
      this.#timer = setInterval(() => this.#tick(), TICK_MS);
    }
    const slot = Math.max(Math.ceil(dueMs / TICK_MS), this.#ended + 1);
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
    while (this.#ended < now && this.#size > 0) {
      this.#ended += 1;
      this.#endSlot(this.#ended);
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
