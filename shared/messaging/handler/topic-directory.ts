import type { Clock } from '../../platform/clock.ts';
import { errorText, InfrastructureError } from '../../platform/errors.ts';
import type { BrokerAdmin } from '../ports.ts';
import type { SyncOrAsync } from '../sync-or-async.ts';

/**
 * A known topic is looked up again after this time, since it may have been deleted or given more partitions. The cached
 * answer is used until the new one is there: a slow broker must not delay replies.
 */
const KNOWN_MS = 300_000;
/** A missing topic or partition is believed missing for this time only, since its requests become dead letters meanwhile. */
const MISSING_MS = 5_000;
/** Requesters choose the names; beyond this number the oldest are forgotten. */
const MAX_TOPICS = 1_000;

interface Entry {
  readonly partitions: number | undefined;
  readonly loadedAtMs: number;
}

/** Caches which topics exist and how many partitions they have. */
export class TopicDirectory {
  readonly #admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<number | undefined>>();

  constructor(admin: Pick<BrokerAdmin, 'partitionCounts'>, clock: Clock) {
    this.#admin = admin;
    this.#clock = clock;
  }

  /**
   * The number of partitions; undefined when there is no such topic. `wanted` is a partition that the caller needs: a
   * topic without it may have grown since it was looked up. Rejects when the broker cannot be asked.
   */
  partitions(topic: string, wanted = 0): SyncOrAsync<number | undefined> {
    const entry = this.#entries.get(topic);
    if (entry === undefined) return this.refresh(topic);
    const hasWanted = wanted < (entry.partitions ?? 0);
    const validMs = hasWanted ? KNOWN_MS : MISSING_MS;
    if (this.#clock.now() < entry.loadedAtMs + validMs) return entry.partitions;
    if (!hasWanted) return this.refresh(topic);
    this.refresh(topic).catch(() => undefined);
    return entry.partitions;
  }

  /** The number of partitions according to the broker now. Concurrent calls share one request. */
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
    this.#entries.delete(topic);
    this.#entries.set(topic, { partitions, loadedAtMs: this.#clock.now() });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_TOPICS && oldest !== undefined) this.#entries.delete(oldest);
    return partitions;
  }
}
