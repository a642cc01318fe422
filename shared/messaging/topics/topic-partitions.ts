import { LRUCache } from 'lru-cache';
import { sleep, type SystemPorts } from '../../platform/system-ports.ts';
import { topicUnknown } from '../broker-errors.ts';
import type { BrokerAdmin } from '../ports.ts';

/** Time after which a known count is queried again, as in the Java client (metadata.max.age.ms). */
const MAX_AGE_MS = 300_000;
/** Time after which a missing topic or partition is queried again: it costs at most three queries per 2 s. */
const MISSING_AGE_MS = 2_000;
const QUERY_INTERVAL_MS = 500;
/** Maximum number of cached topics, because the number of foreign reply topics is not limited. */
const MAX_TOPICS = 1_000;
const MISSING = 0;

/** Caches the partition counts of topics: known ones for five minutes, missing topics for two seconds. */
export class TopicPartitions {
  readonly #counts: LRUCache<string, number>;

  /** A topic is missing if `queries` queries do not find it: brokers learn of new topics with a delay. */
  constructor(
    admin: Pick<BrokerAdmin, 'partitionCounts'>,
    { monotonic, timers }: Pick<SystemPorts, 'monotonic' | 'timers'>,
    queries = 1,
  ) {
    this.#counts = new LRUCache({
      max: MAX_TOPICS,
      ttl: MAX_AGE_MS,
      ttlResolution: 0,
      perf: { now: () => monotonic.elapsedMs() },
      noDeleteOnStaleGet: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: async (topic, _known, { options }) => {
        for (let query = 1; query <= queries; query += 1) {
          const count = (await admin.partitionCounts([topic])).get(topic);
          if (count !== undefined) return count;
          if (query < queries) await sleep(timers, QUERY_INTERVAL_MS);
        }
        options.ttl = MISSING_AGE_MS;
        return MISSING;
      },
    });
  }

  /** Undefined if there is no count, or one over 2 s old lacks `wanted`: then call find(). Refreshes an expired one. */
  known(topic: string, wanted = 0): number | undefined {
    const count = this.#counts.get(topic, { allowStale: true });
    if (count === undefined || count === MISSING) return undefined;
    const leftMs = this.#counts.getRemainingTTL(topic);
    if (wanted >= count && leftMs < MAX_AGE_MS - MISSING_AGE_MS) return undefined;
    if (leftMs <= 0) this.find(topic).catch(() => undefined);
    return count;
  }

  /** Queries the broker, once for concurrent calls. Rejects with MessagingError, for example `topic-unknown`. */
  async find(topic: string): Promise<number> {
    const forceRefresh = this.#counts.get(topic) !== MISSING;
    const count = await this.#counts.fetch(topic, { forceRefresh });
    if (count === undefined || count === MISSING) throw topicUnknown(topic);
    return count;
  }
}
