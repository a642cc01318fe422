import type { Health } from '../platform/worker.ts';
import type { BreakerState } from './breaker.ts';
import type { CommitResult } from './commit-loop.ts';
import type { CommitPrefix } from './commit-prefix.ts';
import { StallWatch } from './stall-watch.ts';

/** What a consumer says of itself: the breaker, the commits and the progress. Times are monotonic milliseconds. */
export class ConsumerHealth {
  readonly #stallMs: number;
  readonly #stalls: StallWatch;
  #stall: Health = { status: 'ready' };
  #commitsFailingSinceMs: number | undefined;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
    this.#stalls = new StallWatch(stallMs);
  }

  /** Looks at the progress; called often, so that standing still is timed from its beginning. */
  watch(prefixes: Iterable<CommitPrefix>): void {
    this.#stall = this.#stalls.look(prefixes, performance.now());
  }

  /** Answers whether commits have just begun to fail. */
  committed({ kind }: CommitResult): boolean {
    const failedBefore = this.#commitsFailingSinceMs !== undefined;
    if (kind === 'failed') this.#commitsFailingSinceMs ??= performance.now();
    else this.#commitsFailingSinceMs = undefined;
    return kind === 'failed' && !failedBefore;
  }

  /** `starting` before the first assignment; an open breaker explains a standstill, so it is told first. */
  report(isAssigned: boolean, breaker: BreakerState): Health {
    if (breaker === 'open') {
      return {
        status: 'degraded',
        reason: 'too many messages failed unexpectedly; one is tried now and then',
      };
    }
    const failingMs = performance.now() - (this.#commitsFailingSinceMs ?? Infinity);
    if (failingMs >= this.#stallMs) {
      return { status: 'unhealthy', reason: `commits have failed for ${Math.round(failingMs / 1_000)} s` };
    }
    return isAssigned ? this.#stall : { status: 'starting', reason: 'not yet assigned' };
  }
}
