import { LRUCache } from 'lru-cache';
import { sleep, systemTimers } from '../../platform/system-ports.ts';
import { topicUnknown } from '../broker-errors.ts';
import type { BrokerAdmin } from '../ports.ts';

/** A known count is queried again after this time, as in the Java client (metadata.max.age.ms). */
const MAX_AGE_MS = 300_000;
/** A missing topic is cached for this time, so that an unknown topic costs at most three queries per 2 s. */
const MISSING_AGE_MS = 2_000;
/** Brokers learn of a new topic with a delay: it counts as missing after this number of queries at this interval. */
const MAX_QUERIES = 3;
const QUERY_INTERVAL_MS = 500;
/** Maximum number of cached topics, since the number of foreign reply topics is not limited. */
const MAX_TOPICS = 1_000;
/** Stands for the count of a topic that does not exist. */
const MISSING = 0;

/** Cache of partition counts by topic. */
export class TopicPartitions {
  readonly #counts: LRUCache<string, number>;

  constructor(admin: Pick<BrokerAdmin, 'partitionCounts'>) {
    this.#counts = new LRUCache({
      max: MAX_TOPICS,
      ttl: MAX_AGE_MS,
      perf: { now: () => performance.now() },
      noDeleteOnStaleGet: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: async (topic, _known, { options }) => {
        for (let query = 1; query <= MAX_QUERIES; query += 1) {
          const count = (await admin.partitionCounts([topic])).get(topic);
          if (count !== undefined) return count;
          if (query < MAX_QUERIES) await sleep(systemTimers, QUERY_INTERVAL_MS);
        }
        options.ttl = MISSING_AGE_MS;
        return MISSING;
      },
    });
  }

  /** The count if it is known; an old one is refreshed in the background. */
  known(topic: string): number | undefined {
    const count = this.#counts.get(topic, { allowStale: true });
    if (count === undefined || count === MISSING) return undefined;
    if (this.#counts.getRemainingTTL(topic) <= 0) this.find(topic).catch(() => undefined);
    return count;
  }

  /** Queries the broker, one query for concurrent calls. Rejects with MessagingError: `topic-unknown`, or `broker-unavailable`. */
  async find(topic: string): Promise<number> {
    const forceRefresh = this.#counts.get(topic) !== MISSING;
    const count = await this.#counts.fetch(topic, { forceRefresh });
    if (count === undefined || count === MISSING) throw topicUnknown(topic);
    return count;
  }
}
