import type { Clock } from '../../platform/clock.ts';
import { errorText, InfrastructureError } from '../../platform/errors.ts';
import type { MaybePromise } from '../sync-or-async.ts';
import type { BrokerAdmin } from '../ports.ts';

/**
 * A topic that exists is looked up again after this time, since it may have been deleted or given more partitions. What
 * is known counts until the answer comes: a broker that does not answer must not hold up what can be sent.
 */
const KNOWN_MS = 300_000;
/**
 * A topic, or a partition of one, that does not exist is believed missing for this time: someone may be just making it,
 * and its requests become dead letters meanwhile.
 */
const MISSING_MS = 5_000;
/** Names come from requesters; more of them than this are forgotten, the oldest first. */
const MAX_TOPICS = 1_000;

interface Entry {
  readonly partitions: number | undefined;
  readonly askedAtMs: number;
}

/** Knows which topics exist and how many partitions they have, asking the broker seldom. */
export class TopicDirectory {
  readonly #admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #asking = new Map<string, Promise<number | undefined>>();

  constructor(admin: Pick<BrokerAdmin, 'partitionCounts'>, clock: Clock) {
    this.#admin = admin;
    this.#clock = clock;
  }

  /**
   * The number of partitions; undefined when there is no such topic. `wanted` is a partition that the asker needs: a
   * topic that lacks it may have grown since it was looked up. Rejects on lost infrastructure.
   */
  partitions(topic: string, wanted = 0): MaybePromise<number | undefined> {
    const entry = this.#entries.get(topic);
    if (entry !== undefined) {
      const validMs = wanted < (entry.partitions ?? 0) ? KNOWN_MS : MISSING_MS;
      if (this.#clock.now() < entry.askedAtMs + validMs) return entry.partitions;
      if (wanted < (entry.partitions ?? 0)) {
        this.askAgain(topic).catch(() => undefined);
        return entry.partitions;
      }
    }
    return this.askAgain(topic);
  }

  /** The number of partitions as the brokers say now; rejects on lost infrastructure. */
  askAgain(topic: string): Promise<number | undefined> {
    let asked = this.#asking.get(topic);
    if (asked === undefined) {
      asked = this.#ask(topic).finally(() => this.#asking.delete(topic));
      this.#asking.set(topic, asked);
    }
    return asked;
  }

  async #ask(topic: string): Promise<number | undefined> {
    let counts: ReadonlyMap<string, number>;
    try {
      counts = await this.#admin.partitionCounts([topic]);
    } catch (error) {
      // Refused credentials and a closed connection say nothing about the topic.
      throw new InfrastructureError('reply-topic-unsettled', errorText(error), error);
    }
    this.#remember(topic, counts.get(topic));
    return counts.get(topic);
  }

  #remember(topic: string, partitions: number | undefined): void {
    this.#entries.delete(topic);
    this.#entries.set(topic, { partitions, askedAtMs: this.#clock.now() });
    if (this.#entries.size <= MAX_TOPICS) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
