/**
 * What is in progress, such as requests, each in a slot until it ends. A Set that has lived long is unsuitable for this: V8
 * replaces its table whenever the slots of removed items have used it up, and the former tables, among the old objects that are
 * rarely collected, keep in memory all that was in progress at that time.
 */
export class Slots<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Returns the slot of the item, which remove() needs. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  /** Has no effect when the item was removed before. */
  remove(item: T, slot: number): void {
    if (this.#items[slot] !== item) return;
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  /** The items, in no order. */
  all(): readonly T[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
