import { LRUCache } from 'lru-cache';
import { atMost } from '../../../shared/platform/at-most.ts';

/** A record with the time at which it was written, in epoch milliseconds. */
export interface StoredResult<Value> {
  readonly value: Value;
  readonly writtenAtMs: number;
}

export interface ResultStoreOptions<Value> {
  /** Shared by all callers. */
  readonly maxBytes: number;
  /** Older records are removed, in insertion order. */
  readonly retentionMs: number;
  readonly now: () => number;
  /** Memory of an entry in bytes. */
  readonly sizeOf: (key: string, value: Value) => number;
  /** The caller to whose share a key belongs. */
  readonly callerOf: (key: string) => string;
}

/** The latest records of a topic by key. */
export interface ResultStore<Value> {
  put(key: string, value: Value, writtenAtMs: number): void;
  find(key: string): StoredResult<Value> | undefined;
  /** Whether the record was evicted because of the size limit; of very many only the last are known. */
  isEvicted(key: string): boolean;
  /** Whether a record written at this time or later may have been evicted because of the size limit. */
  mayHaveEvicted(sinceMs: number): boolean;
  size(): { readonly records: number; readonly bytes: number };
}

/** As many as a dozen callers can have evicted within a minute at the default rate limit; less than 10 MiB. */
const MAX_EVICTED_KEYS = 65_536;

/** The records of one caller, the oldest first. */
interface Share {
  bytes: number;
  readonly keys: Set<string>;
}

/**
 * A store bounded by age and by bytes. Above the limit it evicts the oldest records of the caller that has the most bytes, so that a
 * caller with no more than an equal share keeps its records whatever others do.
 */
export function createResultStore<Value>(options: ResultStoreOptions<Value>): ResultStore<Value> {
  const { maxBytes, retentionMs, now, sizeOf, callerOf } = options;
  const records = new Map<string, StoredResult<Value>>();
  const shares = new Map<string, Share>();
  const evictedKeys = new LRUCache<string, true>(atMost(MAX_EVICTED_KEYS));
  const all = { bytes: 0, evictedUpToMs: Number.NEGATIVE_INFINITY };
  const add = (key: string, record: StoredResult<Value>): void => {
    const size = sizeOf(key, record.value);
    const caller = callerOf(key);
    const share = shares.get(caller) ?? { bytes: 0, keys: new Set() };
    shares.set(caller, share);
    share.keys.add(key);
    share.bytes += size;
    all.bytes += size;
    records.set(key, record);
  };
  const remove = (key: string): StoredResult<Value> | undefined => {
    const known = records.get(key);
    const share = shares.get(callerOf(key));
    if (known === undefined || share === undefined) return undefined;
    const size = sizeOf(key, known.value);
    records.delete(key);
    share.keys.delete(key);
    share.bytes -= size;
    all.bytes -= size;
    if (share.keys.size === 0) shares.delete(callerOf(key));
    return known;
  };
  const expire = (): void => {
    const expiredMs = now() - retentionMs;
    for (const [key, { writtenAtMs }] of records) {
      if (writtenAtMs >= expiredMs) return;
      remove(key);
    }
  };
  const evict = (): void => {
    const share = largestOf(shares.values());
    const equalShare = maxBytes / shares.size;
    for (const key of share.keys) {
      if (all.bytes <= maxBytes || share.bytes <= equalShare) return;
      all.evictedUpToMs = Math.max(all.evictedUpToMs, remove(key)?.writtenAtMs ?? 0);
      evictedKeys.set(key, true);
    }
  };
  return {
    put: (key, value, writtenAtMs) => {
      remove(key);
      add(key, { value, writtenAtMs });
      expire();
      while (all.bytes > maxBytes) evict();
    },
    find: (key) => {
      expire();
      return records.get(key);
    },
    isEvicted: (key) => evictedKeys.has(key),
    mayHaveEvicted: (sinceMs) => sinceMs <= all.evictedUpToMs,
    size: () => ({ records: records.size, bytes: all.bytes }),
  };
}

function largestOf(shares: Iterable<Share>): Share {
  let largest: Share = { bytes: 0, keys: new Set() };
  for (const share of shares) if (share.bytes > largest.bytes) largest = share;
  return largest;
}
