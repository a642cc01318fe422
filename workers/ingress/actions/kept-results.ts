import { LRUCache } from 'lru-cache';
import type { EncodedMessage } from '../../../shared/messaging/codec.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { atMost } from '../../../shared/platform/queue-limits.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import type { IngressOptions } from '../server/http-limits.ts';
import { callerIn } from './result-ids.ts';

/** Time limit for reading the retained results at startup; an instance that needs longer does not start. */
const CATCH_UP_MS = 60_000;
const ENTRY_BYTES = 512;
const MAX_CALLBACKS = 10_000;
/** As many as a dozen callers can have evicted within a minute at the default rate limit. */
const MAX_EVICTED_IDS = 65_536;

/** The results topic in memory, still encoded: most results are never requested from this instance. */
export interface KeptResults {
  /** Resolves when all existing results have been received. */
  start(): Promise<void>;
  /** Whether all existing results have been received and new ones are being received. */
  isCurrent(): boolean;
  stop(timeoutMs: number): Promise<void>;
  /** The first result of a correlation id; later ones are ignored (delivery is at least once). */
  find(correlationId: string): EncodedMessage | undefined;
  /** Calls back when the result of a correlation id arrives, unless very many later ones were asked for before. */
  onArrival(correlationId: string, callback: () => void): void;
  /** Whether the result was evicted because of the size limit; of very many only the last are known. */
  isEvicted(correlationId: string): boolean;
  size(): { readonly records: number; readonly bytes: number };
}

interface KeptResult extends EncodedMessage {
  readonly writtenAtMs: number;
}

interface Share {
  bytes: number;
  readonly ids: Set<string>;
}

/** Follows the results topic, and keeps its records within an age and a number of bytes. */
export function createKeptResults(
  broker: Pick<Broker, 'createTail'>,
  { options, clock }: { readonly options: IngressOptions; readonly clock: Clock },
): KeptResults {
  // From the deadline of a request on; its result may have been there at once.
  const retentionMs = options.asyncTimeoutMs + options.resultRetentionMs;
  const results = new BoundedResults(options.resultStoreBytes);
  const expire = (): void => results.expire(clock.now() - retentionMs);
  const callbacks = new LRUCache<string, () => void>(atMost(MAX_CALLBACKS));
  let isCaughtUp = false;
  const topics = [topicName(options.topicPrefix, 'ingressResults')];
  const tail = broker.createTail({ clientId: 'ingress-results', topics, from: 'earliest' });
  return {
    start: async () => {
      await tail.start(({ value, headers, timestampMs }) => {
        expire();
        const id = headerText(headers, HEADER.correlationId);
        const isExpired = timestampMs < clock.now() - retentionMs;
        if (id === undefined || isExpired || results.isEvicted(id) || results.find(id) !== undefined) return;
        results.keep(id, { value, headers, writtenAtMs: timestampMs });
        callbacks.get(id)?.();
        callbacks.delete(id);
      });
      await tail.caughtUp(CATCH_UP_MS);
      isCaughtUp = true;
    },
    isCurrent: () => isCaughtUp && tail.isReady(),
    stop: (timeoutMs) => tail.stop(timeoutMs),
    find: (correlationId) => {
      expire();
      return results.find(correlationId);
    },
    onArrival: (correlationId, callback) => void callbacks.set(correlationId, callback),
    isEvicted: (correlationId) => results.isEvicted(correlationId),
    size: () => results.size(),
  };
}

/**
 * Results by correlation id. Above the limit the oldest ones are evicted of the caller that has the most bytes, so that a caller
 * with no more than an equal share keeps its results whatever others do.
 */
class BoundedResults {
  readonly #maxBytes: number;
  readonly #results = new Map<string, KeptResult>();
  readonly #shares = new Map<string, Share>();
  readonly #evicted = new LRUCache<string, true>(atMost(MAX_EVICTED_IDS));
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  find(id: string): KeptResult | undefined {
    return this.#results.get(id);
  }

  isEvicted(id: string): boolean {
    return this.#evicted.has(id);
  }

  size(): { readonly records: number; readonly bytes: number } {
    return { records: this.#results.size, bytes: this.#bytes };
  }

  keep(id: string, result: KeptResult): void {
    const share = this.#shares.get(callerIn(id)) ?? { bytes: 0, ids: new Set() };
    this.#shares.set(callerIn(id), share);
    share.ids.add(id);
    share.bytes += sizeOf(result);
    this.#bytes += sizeOf(result);
    this.#results.set(id, result);
    while (this.#bytes > this.#maxBytes) this.#evict();
  }

  /** In the order of the topic, so the first ones. */
  expire(beforeMs: number): void {
    for (const [id, { writtenAtMs }] of this.#results) {
      if (writtenAtMs >= beforeMs) return;
      this.#remove(id);
    }
  }

  #evict(): void {
    const share = largestOf(this.#shares.values());
    const equalShare = this.#maxBytes / this.#shares.size;
    for (const id of share.ids) {
      if (this.#bytes <= this.#maxBytes || share.bytes <= equalShare) return;
      this.#remove(id);
      this.#evicted.set(id, true);
    }
  }

  #remove(id: string): void {
    const result = this.#results.get(id);
    const share = this.#shares.get(callerIn(id));
    if (result === undefined || share === undefined) return;
    this.#results.delete(id);
    share.ids.delete(id);
    share.bytes -= sizeOf(result);
    this.#bytes -= sizeOf(result);
    if (share.ids.size === 0) this.#shares.delete(callerIn(id));
  }
}

function sizeOf({ value }: KeptResult): number {
  return (value?.length ?? 0) + ENTRY_BYTES;
}

function largestOf(shares: Iterable<Share>): Share {
  let largest: Share = { bytes: 0, ids: new Set() };
  for (const share of shares) if (share.bytes > largest.bytes) largest = share;
  return largest;
}
