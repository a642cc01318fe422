import { LRUCache } from 'lru-cache';
import type { MonotonicClock } from '../../platform/clock.ts';
import { errorText, InfrastructureError } from '../../platform/errors.ts';
import type { BrokerAdmin } from '../ports.ts';
import type { SyncOrAsync } from '../sync-or-async.ts';

/**
 * A known topic is looked up again after this time, since it may have been deleted or have more partitions. The cached
 * number is used until then, so that a slow broker does not delay replies.
 */
const KNOWN_MS = 300_000;
/** A missing topic or partition is cached for a short time only, since its requests become dead letters. */
const MISSING_MS = 5_000;
/** Maximum number of cached topics, since requesters choose the names; those unused for longest are evicted. */
const MAX_TOPICS = 1_000;

interface Entry {
  readonly partitions: number | undefined;
  readonly loadedAtMs: number;
}

/** Caches which topics exist and how many partitions they have. */
export class TopicDirectory {
  readonly #admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly #monotonic: MonotonicClock;
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_TOPICS });
  readonly #loading = new Map<string, Promise<number | undefined>>();

  constructor(admin: Pick<BrokerAdmin, 'partitionCounts'>, monotonic: MonotonicClock) {
    this.#admin = admin;
    this.#monotonic = monotonic;
  }

  /**
   * The number of partitions; undefined when the topic does not exist. `wanted` is a partition that the caller needs: a
   * topic without it is looked up again, since it may have grown. Rejects when the broker cannot be queried.
   */
  partitions(topic: string, wanted = 0): SyncOrAsync<number | undefined> {
    const entry = this.#entries.get(topic);
    if (entry === undefined) return this.refresh(topic);
    const hasWanted = wanted < (entry.partitions ?? 0);
    const validMs = hasWanted ? KNOWN_MS : MISSING_MS;
    if (this.#monotonic.elapsedMs() < entry.loadedAtMs + validMs) return entry.partitions;
    if (!hasWanted) return this.refresh(topic);
    this.refresh(topic).catch(() => undefined);
    return entry.partitions;
  }

  /** Queries the number of partitions. Concurrent calls share one request. */
  refresh(topic: string): Promise<number | undefined> {
    let loading = this.#loading.get(topic);
    if (loading === undefined) {
      loading = this.#load(topic).finally(() => this.#loading.delete(topic));
      this.#loading.set(topic, loading);
    }
    return loading;
  }

  async #load(topic: string): Promise<number | undefined> {
    let counts: ReadonlyMap<string, number>;
    try {
      counts = await this.#admin.partitionCounts([topic]);
    } catch (error) {
      // Refused credentials or a closed connection do not mean that the topic is missing.
      throw new InfrastructureError('reply-topic-unsettled', errorText(error), error);
    }
    const partitions = counts.get(topic);
    this.#entries.set(topic, { partitions, loadedAtMs: this.#monotonic.elapsedMs() });
    return partitions;
  }
}
