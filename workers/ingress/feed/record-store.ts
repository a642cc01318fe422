/** How a record is kept: its Avro bytes as one-byte characters, which cost the least memory and nothing to collect. */
interface Kept {
  readonly text: string;
  readonly writtenAtMs: number;
}

export interface RecordStoreOptions {
  readonly maxBytes: number;
  /** Records that were written longer ago are forgotten. */
  readonly retentionMs: number;
  readonly now: () => number;
}

/** The latest records of a topic by key, still encoded: most of them are never asked for. */
export interface RecordStore {
  put(key: string, value: Buffer, writtenAtMs: number): void;
  delete(key: string): void;
  find(key: string): Buffer | undefined;
  entry(key: string): { readonly value: Buffer; readonly writtenAtMs: number } | undefined;
  /** Whether a record of a thing that began then may have been dropped for lack of room. */
  mayHaveDropped(sinceMs: number): boolean;
  size(): { readonly records: number; readonly bytes: number };
}

/** Map slot, object, and the headers of two strings. */
const ENTRY_BYTES = 160;

/** Bounded by age and by bytes; the records that were written first go first. */
export function createRecordStore({ maxBytes, retentionMs, now }: RecordStoreOptions): RecordStore {
  const records = new Map<string, Kept>();
  let bytes = 0;
  let droppedUpToMs = Number.NEGATIVE_INFINITY;

  const take = (key: string): void => {
    const known = records.get(key);
    if (known === undefined) return;
    records.delete(key);
    bytes -= sizeOf(key, known);
  };
  const evict = (): void => {
    const expiredMs = now() - retentionMs;
    for (const [key, kept] of records) {
      const isExpired = kept.writtenAtMs < expiredMs;
      if (!isExpired && bytes <= maxBytes) return;
      take(key);
      if (!isExpired) droppedUpToMs = Math.max(droppedUpToMs, kept.writtenAtMs);
    }
  };

  const entry: RecordStore['entry'] = (key) => {
    evict();
    const kept = records.get(key);
    return kept && { value: Buffer.from(kept.text, 'latin1'), writtenAtMs: kept.writtenAtMs };
  };

  return {
    put: (key, value, writtenAtMs) => {
      take(key);
      const kept = { text: value.toString('latin1'), writtenAtMs };
      records.set(key, kept);
      bytes += sizeOf(key, kept);
      evict();
    },
    delete: take,
    find: (key) => entry(key)?.value,
    entry,
    mayHaveDropped: (sinceMs) => sinceMs <= droppedUpToMs,
    size: () => ({ records: records.size, bytes }),
  };
}

function sizeOf(key: string, { text }: Kept): number {
  return key.length + text.length + ENTRY_BYTES;
}
