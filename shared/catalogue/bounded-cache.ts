/** A least-recently-used cache with limits on entries and bytes. */

export interface CacheLimits {
  readonly maxEntries: number;
  /** Maximum total of the sizes that are passed with the values. */
  readonly maxBytes: number;
}

/** Caches values by key; the least recently used ones are evicted first. */
export class BoundedCache<Value> {
  readonly #limits: CacheLimits;
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Total size of the cached values. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Caches a value, unless its size alone exceeds `maxBytes`. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    if (bytes > this.#limits.maxBytes) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.maxEntries && this.#bytes <= this.#limits.maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(key);
  }
}
