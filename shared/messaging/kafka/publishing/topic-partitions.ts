import { MessagingError } from '../../../platform/errors.ts';
import type { BrokerAdmin } from '../../ports.ts';

/** A known count is queried again after this, as in Kafka's own clients (metadata.max.age.ms). */
const MAX_AGE_MS = 300_000;
/** For how long a missing topic is remembered: a wrong topic name costs three queries per 2 s. */
const MISSING_AGE_MS = 2_000;
/** Brokers learn of a new topic with a delay: after this many queries, at this interval, it counts as missing. */
const QUERIES = 3;
const QUERY_INTERVAL_MS = 500;
/** Limit of remembered topics, the oldest are dropped first: the number of foreign reply topics is not bounded. */
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
    if (known !== undefined && known.count === undefined && Date.now() - known.queriedAt < MISSING_AGE_MS) {
      return Promise.reject(unknownTopic(topic));
    }
    const pending = this.#queries.get(topic);
    if (pending !== undefined) return pending;
    const query = this.#ask(topic).finally(() => this.#queries.delete(topic));
    this.#queries.set(topic, query);
    return query;
  }

  async #ask(topic: string): Promise<number> {
    for (let query = 1; ; query += 1) {
      const counts = await this.#admin.partitionCounts([topic]);
      const count = counts.get(topic);
      if (count !== undefined || query === QUERIES) {
        this.#remember(topic, count);
        if (count === undefined) throw unknownTopic(topic);
        return count;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, QUERY_INTERVAL_MS);
      });
    }
  }

  #remember(topic: string, count: number | undefined): void {
    this.#known.delete(topic);
    this.#known.set(topic, { count, queriedAt: Date.now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_TOPICS && oldest !== undefined) this.#known.delete(oldest);
  }
}

function unknownTopic(topic: string): MessagingError {
  return new MessagingError('topic-unknown', `there is no topic ${topic}`, { canRetry: false });
}
