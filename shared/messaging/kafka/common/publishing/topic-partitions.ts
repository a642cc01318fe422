import { LRUCache } from 'lru-cache';
import { MessagingError } from '../../../../platform/errors.ts';
import { topicUnknown } from '../../../broker-errors.ts';
import type { BrokerAdmin } from '../../../ports.ts';
import { existingTopics } from '../../../topics/required-topics.ts';

/** A known count is queried again after this time, as in the Java client (metadata.max.age.ms). */
const MAX_AGE_MS = 300_000;
/** A missing topic is cached for this time. */
const MISSING_AGE_MS = 2_000;
/** Brokers learn of a new topic with a delay: it counts as missing after this time. */
const SPREAD_MS = 1_000;
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
        try {
          const counts = await existingTopics(admin, [topic], { spreadMs: SPREAD_MS });
          return counts.get(topic);
        } catch (error) {
          if (!(error instanceof MessagingError) || error.code !== 'topic-unknown') throw error;
          options.ttl = MISSING_AGE_MS;
          return MISSING;
        }
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
