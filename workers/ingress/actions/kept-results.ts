import { LRUCache } from 'lru-cache';
import type { EncodedMessage } from '../../../shared/messaging/codec.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import type { Broker, Tail } from '../../../shared/messaging/ports.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { atMost } from '../../../shared/platform/queue-limits.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import type { IngressOptions } from '../server/http-limits.ts';
import { callerIn } from './result-ids.ts';

/** Time limit for reading the retained results at startup; an instance that needs longer does not start. */
const CATCH_UP_MS = 60_000;
const ENTRY_BYTES = 512;
const MAX_CALLBACKS = 10_000;
/** A result may seem this much older than its request, because the clocks of processes differ. */
const CLOCK_DIFFERENCE_MS = 60_000;
/** Keeps ids of evicted results below 10 MiB. At the default rate limit, a dozen callers cause as many in a minute. */
const MAX_EVICTED_IDS = 65_536;

type KeptResult = EncodedMessage & { readonly writtenAtMs: number };

interface Share {
  bytes: number;
  readonly ids: Set<string>;
}

/**
 * The results of the topic in memory, limited in age and bytes, and still encoded, because most are never requested
 * here. Above the limit the oldest results of the caller with the most bytes are evicted, so that a caller within an
 * equal share keeps its results.
 */
export class KeptResults {
  readonly #clock: Clock;
  readonly #tail: Tail;
  readonly #maxBytes: number;
  readonly #retentionMs: number;
  readonly #results = new Map<string, KeptResult>();
  readonly #shares = new Map<string, Share>();
  readonly #evicted = new LRUCache<string, true>(atMost(MAX_EVICTED_IDS));
  readonly #callbacks = new LRUCache<string, () => void>(atMost(MAX_CALLBACKS));
  #bytes = 0;
  #evictedUpToMs = Number.NEGATIVE_INFINITY;
  #isCaughtUp = false;

  constructor(
    broker: Pick<Broker, 'createTail'>,
    { options, clock }: { readonly options: IngressOptions; readonly clock: Clock },
  ) {
    const topics = [topicName(options.topicPrefix, 'ingressResults')];
    this.#tail = broker.createTail({ clientId: 'ingress-results', topics, from: 'earliest' });
    this.#clock = clock;
    this.#maxBytes = options.resultStoreBytes;
    // A result may arrive asyncTimeoutMs before the deadline, and is kept until resultRetentionMs after the deadline.
    this.#retentionMs = options.asyncTimeoutMs + options.resultRetentionMs;
  }

  /** Resolves when the results on the topic are read; rejects after a minute. */
  async start(): Promise<void> {
    await this.#tail.start((message) => this.#receive(message));
    await this.#tail.caughtUp(CATCH_UP_MS);
    this.#isCaughtUp = true;
  }

  isCurrent(): boolean {
    return this.#isCaughtUp && this.#tail.isReady();
  }

  stop(timeoutMs: number): Promise<void> {
    return this.#tail.stop(timeoutMs);
  }

  /** The first result of a correlation id; later ones are ignored (delivery is at least once). */
  find(correlationId: string): EncodedMessage | undefined {
    this.#expire();
    return this.#results.get(correlationId);
  }

  /** Calls back when the result of a correlation id arrives, unless 10,000 newer callbacks still wait. */
  onArrival(correlationId: string, callback: () => void): void {
    this.#callbacks.set(correlationId, callback);
  }

  /** Whether the result was evicted because of the size limit; only the last 65,536 are known. */
  isEvicted(correlationId: string): boolean {
    return this.#evicted.has(correlationId);
  }

  /** Whether the result of a request issued at this time or later may have been evicted because of the size limit. */
  mayHaveEvicted(issuedAtMs: number): boolean {
    return issuedAtMs - CLOCK_DIFFERENCE_MS <= this.#evictedUpToMs;
  }

  size(): { readonly records: number; readonly bytes: number } {
    return { records: this.#results.size, bytes: this.#bytes };
  }

  #receive({ value, headers, timestampMs: writtenAtMs }: LogMessage): void {
    this.#expire();
    const id = headerText(headers, HEADER.correlationId);
    const isExpired = writtenAtMs < this.#clock.now() - this.#retentionMs;
    if (id === undefined || isExpired || this.isEvicted(id) || this.#results.has(id)) return;
    const result = { value, headers, writtenAtMs };
    const share = this.#shares.get(callerIn(id)) ?? { bytes: 0, ids: new Set() };
    this.#shares.set(callerIn(id), share);
    share.ids.add(id);
    share.bytes += sizeOf(result);
    this.#bytes += sizeOf(result);
    this.#results.set(id, result);
    while (this.#bytes > this.#maxBytes) this.#evict();
    this.#callbacks.get(id)?.();
    this.#callbacks.delete(id);
  }

  /** Results are in the order of arrival, roughly that of age, so the first unexpired one ends the search. */
  #expire(): void {
    const beforeMs = this.#clock.now() - this.#retentionMs;
    for (const [id, { writtenAtMs }] of this.#results) {
      if (writtenAtMs >= beforeMs) return;
      this.#remove(id);
    }
  }

  #evict(): void {
    let largest: Share = { bytes: 0, ids: new Set() };
    for (const share of this.#shares.values()) if (share.bytes > largest.bytes) largest = share;
    const equalShare = this.#maxBytes / this.#shares.size;
    for (const id of largest.ids) {
      if (this.#bytes <= this.#maxBytes || largest.bytes <= equalShare) return;
      this.#evictedUpToMs = Math.max(this.#evictedUpToMs, this.#results.get(id)?.writtenAtMs ?? 0);
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
