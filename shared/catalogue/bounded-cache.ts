/** What was last used, within a number of entries and of bytes. */

export interface CacheLimits {
  readonly maxEntries: number;
  /** Of what callers say their values weigh. */
  readonly maxBytes: number;
}

/** Keeps values by key; those that were not used for longest make room. */
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

  /** Bytes of all values that are kept. */
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

  /** Keeps a value, unless it alone is beyond the limit. */
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
