import type { EncodedMessage } from '../../../shared/messaging/codec.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import type { HeaderValue, LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import type { Clock } from '../../../shared/platform/clock.ts';

interface StoredResult extends EncodedMessage {
  readonly writtenAtMs: number;
  readonly bytes: number;
}

export interface ResultStoreOptions {
  readonly clock: Clock;
  readonly retentionMs: number;
  readonly maxBytes: number;
}

/** The results topic as this instance holds it in memory, still encoded: most results are never asked of it. */
export interface ResultStore {
  /** Takes a message of the results topic. The first answer to a correlation id counts (delivery is at least once). */
  add(message: LogMessage): void;
  find(correlationId: string): EncodedMessage | undefined;
  /** Whether a result of a request issued then may have been dropped for lack of room. */
  mayHaveDropped(issuedAtMs: number): boolean;
  size(): { readonly results: number; readonly bytes: number };
}

/** Overhead of an entry beside its value: map slot, headers, strings. */
const ENTRY_BYTES = 512;

/** Bounded by age and by bytes; the oldest results go first. */
export function createResultStore(options: ResultStoreOptions): ResultStore {
  const { clock, retentionMs, maxBytes } = options;
  const results = new Map<string, StoredResult>();
  let bytes = 0;
  let droppedUpToMs = Number.NEGATIVE_INFINITY;

  const evict = (): void => {
    const expiredMs = clock.now() - retentionMs;
    for (const [id, result] of results) {
      const expired = result.writtenAtMs < expiredMs;
      if (!expired && bytes <= maxBytes) return;
      results.delete(id);
      bytes -= result.bytes;
      if (!expired) droppedUpToMs = Math.max(droppedUpToMs, result.writtenAtMs);
    }
  };

  return {
    add: (message) => {
      const id = headerText(message.headers, HEADER.correlationId);
      if (id === undefined || results.has(id)) return;
      if (message.timestampMs < clock.now() - retentionMs) return;
      const size = (message.value?.length ?? 0) + ENTRY_BYTES;
      results.set(id, {
        value: message.value,
        headers: message.headers,
        writtenAtMs: message.timestampMs,
        bytes: size,
      });
      bytes += size;
      evict();
    },
    find: (correlationId) => {
      evict();
      return results.get(correlationId);
    },
    mayHaveDropped: (issuedAtMs) => issuedAtMs <= droppedUpToMs,
    size: () => ({ results: results.size, bytes }),
  };
}

/** A header as text; of a repeated one the last counts. */
function headerText(headers: MessageHeaders, name: string): string | undefined {
  const value = headers[name];
  const last = Array.isArray(value) ? (value.at(-1) as HeaderValue | undefined) : value;
  return last?.toString();
}
