import type { Health } from '../../platform/health.ts';
import { backoffMs, type BackoffOptions } from '../backoff.ts';
import { CONSUMER_DEFAULTS, type RuntimeOptions } from './consumer-options.ts';
import { ConsumerRuntime } from './consumer-runtime.ts';
import type { ConsumerStats } from './consumer-stats.ts';
import type { WorkEnd } from '../processing-result.ts';
import type { PartitionLag } from './owned-partitions.ts';
import type { GroupSource } from '../ports.ts';

export interface ConsumerOptions extends RuntimeOptions {
  /** A fresh source; called again after each crash. */
  readonly createSource: () => GroupSource;
  readonly restartBackoff?: BackoffOptions;
}

/** A supervised member of a consumer group. */
export interface Consumer {
  /** Resolves when the source is started (assignment follows). Rejects when the first start fails; nothing is left then. */
  start(): Promise<void>;
  /** Drains: takes nothing new, lets lanes end for at most `timeoutMs` (10 s), commits, leaves. Idempotent. */
  stop(timeoutMs?: number): Promise<void>;
  /** `starting` until the first assignment; `unhealthy` when crashed or standing still; `degraded` with an open breaker. */
  health(): Health;
  lag(): readonly PartitionLag[];
  stats(): ConsumerStats;
  /** Counts for the breaker how work ended that a message brought along; false: the breaker is open. */
  count(end: WorkEnd): boolean;
}

/** A discarded source may take so long to end; nobody waits for it. */
const DISCARD_MS = 5_000;

/** Builds the consumer and keeps it alive: a source that crashed is discarded and rebuilt with growing delays. */
export function createConsumer(options: ConsumerOptions): Consumer {
  return new Supervisor(options);
}

class Supervisor implements Consumer {
  readonly #options: ConsumerOptions;
  readonly #runtime: ConsumerRuntime;
  #source: GroupSource | undefined;
  #crash: Error | undefined;
  #crashesInARow = 0;
  #rebuild: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#runtime = new ConsumerRuntime(options);
  }

  async start(): Promise<void> {
    try {
      await this.#build();
    } catch (error) {
      await this.stop(0);
      throw error;
    }
  }

  stop(timeoutMs: number = CONSUMER_DEFAULTS.drainTimeoutMs): Promise<void> {
    clearTimeout(this.#rebuild);
    this.#stopping ??= this.#runtime.drain(timeoutMs);
    return this.#stopping;
  }

  health(): Health {
    if (this.#crash !== undefined) return { status: 'unhealthy', reason: `crashed: ${this.#crash.message}` };
    return this.#runtime.health();
  }

  lag(): readonly PartitionLag[] {
    return this.#runtime.lag();
  }

  stats(): ConsumerStats {
    return this.#runtime.stats();
  }

  count(end: WorkEnd): boolean {
    return this.#runtime.count(end);
  }

  async #build(): Promise<void> {
    const source = this.#options.createSource();
    this.#source = source;
    const sink = this.#runtime.attach(source, (error) => this.#crashed(source, error));
    const onAssigned: typeof sink.onAssigned = (epoch, partitions) => {
      if (source === this.#source) {
        this.#crash = undefined;
        this.#crashesInARow = 0;
      }
      sink.onAssigned(epoch, partitions);
    };
    await source.start({ ...sink, onAssigned });
  }

  #crashed(source: GroupSource | undefined, error: Error): void {
    if (source !== this.#source || this.#rebuild !== undefined || this.#stopping !== undefined) return;
    this.#source = undefined;
    this.#crash = error;
    this.#crashesInARow += 1;
    this.#runtime.counters.crashes += 1;
    this.#runtime.detach();
    const { log, restartBackoff = CONSUMER_DEFAULTS.restartBackoff, random = Math.random } = this.#options;
    const delayMs = backoffMs(restartBackoff, this.#crashesInARow, random);
    log.error({ err: error, delayMs }, 'the consumer crashed and will be rebuilt');
    source
      ?.stop(DISCARD_MS)
      .catch((reason: unknown) => log.warn({ err: reason }, 'a crashed consumer did not stop'));
    this.#rebuild = setTimeout(() => this.#buildAgain(), delayMs);
  }

  #buildAgain(): void {
    this.#rebuild = undefined;
    this.#build().catch((reason: unknown) => {
      this.#crashed(this.#source, reason instanceof Error ? reason : new Error(String(reason)));
    });
  }
}
