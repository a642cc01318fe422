import { MessagingError } from '../../../platform/errors.ts';
import type { BrokerAdmin } from '../../ports.ts';

/** A known count is asked for again after this, as Kafka's own clients do (metadata.max.age.ms). */
const MAX_AGE_MS = 300_000;
/** A topic found missing stays so for this long: whoever names wrong topics costs three questions per 2 s. */
const MISSING_AGE_MS = 2_000;
/** A new topic may not be known to each broker at once: so many questions, so far apart, before it counts as missing. */
const QUESTIONS = 3;
const QUESTION_INTERVAL_MS = 500;
/** More topics than this are forgotten oldest first; foreign reply topics could be any number. */
const MAX_TOPICS = 1_000;

interface Known {
  /** Absent: the topic does not exist. */
  readonly count: number | undefined;
  readonly askedAt: number;
}

/** Partition counts by topic, remembered. */
export class TopicPartitions {
  readonly #admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly #known = new Map<string, Known>();
  readonly #questions = new Map<string, Promise<number>>();

  constructor(admin: Pick<BrokerAdmin, 'partitionCounts'>) {
    this.#admin = admin;
  }

  /** The count if it is known; an old one is renewed in the background. */
  known(topic: string, nowMs: number): number | undefined {
    const known = this.#known.get(topic);
    if (known?.count === undefined) return undefined;
    if (nowMs - known.askedAt > MAX_AGE_MS) this.find(topic).catch(() => undefined);
    return known.count;
  }

  /** Asks the broker. Rejects with MessagingError: `topic-unknown`, or `broker-unavailable`. */
  find(topic: string): Promise<number> {
    const known = this.#known.get(topic);
    if (known !== undefined && known.count === undefined && Date.now() - known.askedAt < MISSING_AGE_MS) {
      return Promise.reject(unknownTopic(topic));
    }
    const pending = this.#questions.get(topic);
    if (pending !== undefined) return pending;
    const question = this.#ask(topic).finally(() => this.#questions.delete(topic));
    this.#questions.set(topic, question);
    return question;
  }

  async #ask(topic: string): Promise<number> {
    for (let question = 1; ; question += 1) {
      const counts = await this.#admin.partitionCounts([topic]);
      const count = counts.get(topic);
      if (count !== undefined || question === QUESTIONS) {
        this.#remember(topic, count);
        if (count === undefined) throw unknownTopic(topic);
        return count;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, QUESTION_INTERVAL_MS);
      });
    }
  }

  #remember(topic: string, count: number | undefined): void {
    this.#known.delete(topic);
    this.#known.set(topic, { count, askedAt: Date.now() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_TOPICS && oldest !== undefined) this.#known.delete(oldest);
  }
}

function unknownTopic(topic: string): MessagingError {
  return new MessagingError('topic-unknown', `there is no topic ${topic}`, { canRetry: false });
}
