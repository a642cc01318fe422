import type { Health } from '../../platform/health.ts';
import { backoffMs } from '../backoff.ts';
import { RepeatedFailure } from '../../platform/log.ts';
import type { GroupSource } from '../ports.ts';
import { CONSUMER_DEFAULTS, ConsumerRuntime } from './consumer-runtime.ts';
import type { ConsumerStats, RuntimeOptions } from './consumer-runtime.ts';
import type { PartitionLag } from './pause-when-full.ts';

export interface ConsumerOptions extends RuntimeOptions {
  /** Called at the start and, after a delay, after each crash. */
  readonly createSource: () => GroupSource;
}

const DISCARD_MS = 5_000;

/** A member of a consumer group. Replaces a crashed source after a delay, which grows while crashes repeat. */
export class Consumer {
  readonly #options: ConsumerOptions;
  readonly #runtime: ConsumerRuntime;
  readonly #crashes: RepeatedFailure;
  #source: GroupSource | undefined;
  #crash: Error | undefined;
  #crashesInARow = 0;
  #cancelRebuild: (() => void) | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#runtime = new ConsumerRuntime(options);
    this.#crashes = new RepeatedFailure(options.log, options.monotonic, 'error');
  }

  /** If the first source cannot start, stops the consumer and rejects with the MessagingError. */
  async start(): Promise<void> {
    try {
      await this.#build();
    } catch (error) {
      await this.stop(0);
      throw error;
    }
  }

  /** See ConsumerRuntime.drain(). A later call returns the promise of the first one. */
  stop(timeoutMs: number = CONSUMER_DEFAULTS.drainTimeoutMs): Promise<void> {
    this.#cancelRebuild?.();
    this.#stopping ??= this.#runtime.drain(timeoutMs);
    return this.#stopping;
  }

  health(): Health {
    if (this.#crash !== undefined) return { status: 'starting', reason: `crashed: ${this.#crash.message}` };
    return this.#runtime.health();
  }

  lag(): readonly PartitionLag[] {
    return this.#runtime.lag();
  }

  stats(): ConsumerStats {
    return this.#runtime.stats();
  }

  async #build(): Promise<void> {
    const source = this.#options.createSource();
    this.#source = source;
    const sink = this.#runtime.attach(source, (error) => this.#crashed(source, error));
    const onAssigned: typeof sink.onAssigned = (generation, partitions) => {
      if (source === this.#source) {
        this.#crash = undefined;
        this.#crashesInARow = 0;
        this.#crashes.ended({ ...this.#options.reads }, 'the consumer is assigned again');
      }
      sink.onAssigned(generation, partitions);
    };
    await source.start({ ...sink, onAssigned });
  }

  #crashed(source: GroupSource | undefined, error: Error): void {
    if (source !== this.#source || this.#cancelRebuild !== undefined || this.#stopping !== undefined) return;
    this.#source = undefined;
    this.#crash = error;
    this.#crashesInARow += 1;
    this.#runtime.counters.crashes += 1;
    this.#runtime.detach();
    const { log, random, reads, timers } = this.#options;
    const delayMs = backoffMs(CONSUMER_DEFAULTS.restartBackoff, this.#crashesInARow, random);
    this.#crashes.failed({ ...reads, err: error }, 'the consumer crashed and will be restarted');
    source
      ?.stop(DISCARD_MS)
      .catch((reason: unknown) => log.warn({ err: reason }, 'a crashed consumer did not stop'));
    this.#cancelRebuild = timers.schedule(() => this.#buildAgain(), delayMs);
  }

  #buildAgain(): void {
    this.#cancelRebuild = undefined;
    this.#build().catch((reason: unknown) => {
      this.#crashed(this.#source, reason instanceof Error ? reason : new Error(String(reason)));
    });
  }
}
