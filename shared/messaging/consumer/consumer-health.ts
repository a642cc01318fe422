import type { Health } from '../../platform/health.ts';
import { PROBE_MESSAGES, type OpenBreaker } from './circuit-breaker.ts';
import type { CommitResult } from './commit-loop.ts';
import type { CommitPrefix } from './offset-tracker.ts';
import type { ConsumerReads } from './consumer-options.ts';
import { StallWatch } from './stall-watch.ts';

/** What a consumer says of itself: the breaker, the commits and the progress. Times are monotonic milliseconds. */
export class ConsumerHealth {
  readonly #stallMs: number;
  readonly #reads: ConsumerReads | undefined;
  readonly #stalls: StallWatch;
  #stall: Health = { status: 'ready' };
  #commitsFailingSinceMs: number | undefined;

  constructor(stallMs: number, reads: ConsumerReads | undefined) {
    this.#stallMs = stallMs;
    this.#reads = reads;
    this.#stalls = new StallWatch(stallMs);
  }

  /** Looks at the progress; called often, so that standing still is timed from its beginning. `ended` counts all works. */
  watch(prefixes: Iterable<CommitPrefix>, ended: number): void {
    this.#stall = this.#stalls.look(prefixes, ended, performance.now());
  }

  /** Answers whether commits have just begun to fail. */
  committed({ kind }: CommitResult): boolean {
    const failedBefore = this.#commitsFailingSinceMs !== undefined;
    if (kind === 'failed') this.#commitsFailingSinceMs ??= performance.now();
    else this.#commitsFailingSinceMs = undefined;
    return kind === 'failed' && !failedBefore;
  }

  /** `starting` before the first assignment; an open breaker explains a standstill, so it is told first. */
  report(
    { isAssigned, isFenced }: { readonly isAssigned: boolean; readonly isFenced: boolean },
    breaker: OpenBreaker | undefined,
  ): Health {
    if (breaker !== undefined) return { status: 'degraded', reason: openReason(breaker, this.#reads) };
    const failingMs = performance.now() - (this.#commitsFailingSinceMs ?? Infinity);
    if (failingMs >= this.#stallMs) {
      return { status: 'unhealthy', reason: `commits have failed for ${Math.round(failingMs / 1_000)} s` };
    }
    if (!isAssigned) return { status: 'starting', reason: 'not yet assigned' };
    return isFenced ? { status: 'starting', reason: 'what it depends on is being read' } : this.#stall;
  }
}

/** What is wrong, where, since when, and what ends it. */
function openReason({ sinceMs, probeIntervalMs }: OpenBreaker, reads: ConsumerReads | undefined): string {
  const where = reads === undefined ? 'a consumer' : `group ${reads.groupId} on ${reads.topics.join(', ')}`;
  const since = new Date(sinceMs).toISOString();
  const probe = `${PROBE_MESSAGES} messages are tried every ${probeIntervalMs / 1_000} s, and any success closes it`;
  return (
    `the flood breaker of ${where} is open since ${since}: nothing but failures was left, so the rest waits on the topic; ` +
    `${probe}. Find the cause in the log or by npm run dead-letters -- list`
  );
}
