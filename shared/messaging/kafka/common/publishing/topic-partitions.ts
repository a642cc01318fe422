import { topicUnknown } from '../../../broker-errors.ts';
import type { BrokerAdmin } from '../../../ports.ts';

/** A known count is queried again after this time, as in the Java client (metadata.max.age.ms). */
const MAX_AGE_MS = 300_000;
/** A missing topic is cached for this time, so that an unknown topic costs at most three queries per 2 s. */
const MISSING_AGE_MS = 2_000;
/** Brokers learn of a new topic with a delay: it counts as missing after this number of queries at this interval. */
const MAX_QUERIES = 3;
const QUERY_INTERVAL_MS = 500;
/**
 * Maximum number of cached topics, since the number of foreign reply topics is not limited; the oldest are dropped
 * first.
 */
const MAX_TOPICS = 1_000;

interface Known {
  /** Absent: the topic does not exist. */
  readonly count: number | undefined;
  readonly queriedAt: number;
}

/** Cache of partition counts by topic. */
export class TopicPartitions {
  readonly #admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly #known = new Map<string, Known>();
  readonly #queries = new Map<string, Promise<number>>();

  constructor(admin: Pick<BrokerAdmin, 'partitionCounts'>) {
    this.#admin = admin;
  }

  /** The count if it is known; an old one is refreshed in the background. */
  known(topic: string, nowMs: number): number | undefined {
    const known = this.#known.get(topic);
    if (known?.count === undefined) return undefined;
    if (nowMs - known.queriedAt > MAX_AGE_MS) this.find(topic).catch(() => undefined);
    return known.count;
  }

  /** Queries the broker. Rejects with MessagingError: `topic-unknown`, or `broker-unavailable`. */
  find(topic: string): Promise<number> {
    const known = this.#known.get(topic);
    if (
      known !== undefined &&
      known.count === undefined &&
      performance.now() - known.queriedAt < MISSING_AGE_MS
    ) {
      return Promise.reject(topicUnknown(topic));
    }
    const pending = this.#queries.get(topic);
    if (pending !== undefined) return pending;
    const query = this.#query(topic).finally(() => this.#queries.delete(topic));
    this.#queries.set(topic, query);
    return query;
  }

  async #query(topic: string): Promise<number> {
    for (let query = 1; ; query += 1) {
      const counts = await this.#admin.partitionCounts([topic]);
      const count = counts.get(topic);
      if (count !== undefined || query === MAX_QUERIES) {
        this.#remember(topic, count);
        if (count === undefined) throw topicUnknown(topic);
        return count;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, QUERY_INTERVAL_MS);
      });
    }
  }

  #remember(topic: string, count: number | undefined): void {
    this.#known.delete(topic);
    this.#known.set(topic, { count, queriedAt: performance.now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_TOPICS && oldest !== undefined) this.#known.delete(oldest);
  }
}
