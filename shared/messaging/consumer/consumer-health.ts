import type { Health } from '../../platform/health.ts';
import { PROBE_MESSAGES, type OpenBreaker } from './circuit-breaker.ts';
import type { CommitResult } from './commit-loop.ts';
import type { ConsumerReads } from './consumer-options.ts';
import type { OffsetTracker } from './offset-tracker.ts';

const SECOND_MS = 1_000;

/** Whether a consumer may process messages at all. */
export interface ConsumerPhase {
  readonly isAssigned: boolean;
  /** The assignment gate is closed. */
  readonly isGated: boolean;
}

/** The health of a consumer: its breaker, its commits and its progress. Times are monotonic milliseconds. */
export class ConsumerHealth {
  readonly #stallMs: number;
  readonly #reads: ConsumerReads | undefined;
  readonly #detector: StallDetector;
  #progress: Health = { status: 'ready' };
  #commitsFailingSinceMs: number | undefined;

  constructor(stallMs: number, reads: ConsumerReads | undefined) {
    this.#stallMs = stallMs;
    this.#reads = reads;
    this.#detector = new StallDetector(stallMs);
  }

  /** Observes the progress; called often, so that a stall is timed from its beginning. `ended` counts all ended works. */
  observe(trackers: Iterable<OffsetTracker>, ended: number): void {
    this.#progress = this.#detector.check(trackers, ended, performance.now());
  }

  /** Records a commit; returns whether commits have just begun to fail. */
  committed({ kind }: CommitResult): boolean {
    const failedBefore = this.#commitsFailingSinceMs !== undefined;
    if (kind === 'failed') this.#commitsFailingSinceMs ??= performance.now();
    else this.#commitsFailingSinceMs = undefined;
    return kind === 'failed' && !failedBefore;
  }

  /** `starting` before the first assignment; an open breaker explains a stall, so it is reported first. */
  report({ isAssigned, isGated }: ConsumerPhase, breaker: OpenBreaker | undefined): Health {
    if (breaker !== undefined) return { status: 'degraded', reason: openReason(breaker, this.#reads) };
    const failingMs = performance.now() - (this.#commitsFailingSinceMs ?? Infinity);
    if (failingMs >= this.#stallMs) {
      return { status: 'unhealthy', reason: `commits have failed for ${toSeconds(failingMs)} s` };
    }
    if (!isAssigned) return { status: 'starting', reason: 'not yet assigned' };
    if (isGated) return { status: 'starting', reason: 'the data that it depends on is being read' };
    return this.#progress;
  }
}

/** What is wrong, where, since when, and what ends it. */
function openReason({ sinceMs, probeIntervalMs }: OpenBreaker, reads: ConsumerReads | undefined): string {
  const where = reads === undefined ? 'a consumer' : `group ${reads.groupId} on ${reads.topics.join(', ')}`;
  const since = new Date(sinceMs).toISOString();
  const interval = probeIntervalMs / SECOND_MS;
  return (
    `the circuit breaker of ${where} is open since ${since}: there were only failures, so the other messages stay on ` +
    `the topic; ${PROBE_MESSAGES} messages are tried every ${interval} s, and any success closes it. ` +
    'Find the cause in the log or by npm run dead-letters -- list'
  );
}

interface Observed {
  position: number | undefined;
  movedMs: number;
  /** Since when nothing has happened that counts as progress. */
  sinceMs: number;
}

/**
 * Detects partitions that have a backlog and make no progress: a stuck handler, or a source that delivers nothing. A
 * partition whose first message waits, while other messages end, is not stuck: it waits for its turn, or for what its
 * next attempt needs, and a restart would bring neither.
 */
export class StallDetector {
  readonly #stallMs: number;
  readonly #observed = new WeakMap<OffsetTracker, Observed>();
  #ended = 0;
  #lastEndMs = -Infinity;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /**
   * `unhealthy` when delivered messages have not moved a prefix for the stall time. `degraded` when the log has had more
   * than was delivered for that time, which can also be the control records of a foreign transaction (a restart would not
   * help), or when the first message has waited for another attempt that long. `ended` counts the ended works of all
   * partitions; times are monotonic milliseconds.
   */
  check(trackers: Iterable<OffsetTracker>, ended: number, nowMs: number): Health {
    if (ended !== this.#ended) this.#lastEndMs = nowMs;
    this.#ended = ended;
    let worst: Health = { status: 'ready' };
    for (const tracker of trackers) {
      const health = this.#checkOne(tracker, nowMs);
      if (health?.status === 'unhealthy') return health;
      worst = health ?? worst;
    }
    return worst;
  }

  #checkOne(tracker: OffsetTracker, nowMs: number): Health | undefined {
    const { sinceMs, movedMs } = this.#observe(tracker, nowMs);
    const stalledMs = nowMs - sinceMs;
    const where = `${tracker.topic}/${tracker.partition}`;
    if (stalledMs < this.#stallMs) {
      if (!tracker.isHeld || nowMs - movedMs < this.#stallMs) return undefined;
      const reason = `a message of ${where} has been retried for ${toSeconds(nowMs - movedMs)} s`;
      return { status: 'degraded', reason };
    }
    const backlog = `${toSeconds(stalledMs)} s, lag ${tracker.lag}`;
    return tracker.pending > 0
      ? { status: 'unhealthy', reason: `${where} has made no progress for ${backlog}` }
      : { status: 'degraded', reason: `${where} has received nothing for ${backlog}` };
  }

  #observe(tracker: OffsetTracker, nowMs: number): Observed {
    let known = this.#observed.get(tracker);
    if (known === undefined || tracker.lag === 0 || known.position !== tracker.position) {
      known = { position: tracker.position, movedMs: nowMs, sinceMs: nowMs };
      this.#observed.set(tracker, known);
    } else if (tracker.isWaiting || tracker.isHeld) known.sinceMs = Math.max(known.sinceMs, this.#lastEndMs);
    return known;
  }
}

function toSeconds(ms: number): number {
  return Math.round(ms / SECOND_MS);
}
