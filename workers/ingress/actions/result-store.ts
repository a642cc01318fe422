/** A record with the time at which it was written, in epoch milliseconds. */
export interface StoredResult<Value> {
  readonly value: Value;
  readonly writtenAtMs: number;
}

export interface ResultStoreOptions<Value> {
  readonly maxBytes: number;
  /** Older records are evicted, in insertion order. */
  readonly retentionMs: number;
  readonly now: () => number;
  /** Memory of an entry in bytes. */
  readonly sizeOf: (key: string, value: Value) => number;
}

/** The latest records of a topic by key. */
export interface ResultStore<Value> {
  put(key: string, value: Value, writtenAtMs: number): void;
  delete(key: string): void;
  find(key: string): StoredResult<Value> | undefined;
  /** Whether a record written at this time or later may have been evicted because of the size limit. */
  mayHaveEvicted(sinceMs: number): boolean;
  size(): { readonly records: number; readonly bytes: number };
}

/** A store bounded by age and by bytes, which evicts the records inserted first. */
export function createResultStore<Value>(options: ResultStoreOptions<Value>): ResultStore<Value> {
  const { maxBytes, retentionMs, now, sizeOf } = options;
  const records = new Map<string, StoredResult<Value>>();
  let bytes = 0;
  let evictedUpToMs = Number.NEGATIVE_INFINITY;
  const remove = (key: string): void => {
    const known = records.get(key);
    if (known === undefined) return;
    records.delete(key);
    bytes -= sizeOf(key, known.value);
  };
  const evict = (): void => {
    const expiredMs = now() - retentionMs;
    for (const [key, { writtenAtMs }] of records) {
      const isExpired = writtenAtMs < expiredMs;
      if (!isExpired && bytes <= maxBytes) return;
      remove(key);
      if (!isExpired) evictedUpToMs = Math.max(evictedUpToMs, writtenAtMs);
    }
  };
  return {
    put: (key, value, writtenAtMs) => {
      remove(key);
      records.set(key, { value, writtenAtMs });
      bytes += sizeOf(key, value);
      evict();
    },
    delete: remove,
    find: (key) => {
      evict();
      return records.get(key);
    },
    mayHaveEvicted: (sinceMs) => sinceMs <= evictedUpToMs,
    size: () => ({ records: records.size, bytes }),
  };
}
