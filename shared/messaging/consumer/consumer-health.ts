import type { MonotonicClock } from '../../platform/system-ports.ts';
import type { Health } from '../../platform/health.ts';
import type { OffsetTracker } from './offset-tracker.ts';

const SECOND_MS = 1_000;
/** A rebalance usually ends within two seconds. A silent member prolongs it until its session or its join times out. */
const USUAL_REBALANCE_MS = 5 * SECOND_MS;

interface Observed {
  position: number | undefined;
  movedMs: number;
  steps: number;
  sinceMs: number;
}

/** A partition with lag stalls if its first unfinished message does not arrive, or nothing happens to it. */
export class ConsumerHealth {
  readonly #stallMs: number;
  readonly #monotonic: MonotonicClock;
  readonly #observed = new WeakMap<OffsetTracker, Observed>();
  #ended = 0;
  #lastEndMs = -Infinity;
  #progress: Health = { status: 'ready' };
  #commitsFailingSinceMs: number | undefined;

  constructor(stallMs: number, monotonic: MonotonicClock) {
    this.#stallMs = stallMs;
    this.#monotonic = monotonic;
  }

  /** Call it often, so that stalls are measured from their start. `ended`: total of work items that have ended. */
  observe(trackers: readonly OffsetTracker[], ended: number): void {
    const nowMs = this.#monotonic.elapsedMs();
    if (ended !== this.#ended) this.#lastEndMs = nowMs;
    this.#ended = ended;
    const found = trackers.flatMap((tracker) => this.#check(tracker, nowMs) ?? []);
    const worst = found.find(({ status }) => status === 'unhealthy') ?? found.at(-1);
    this.#progress = worst ?? { status: 'ready' };
    // If nothing is left to commit, the partitions of a failed commit were reassigned.
    if (!trackers.some((tracker) => tracker.uncommitted() !== undefined))
      this.#commitsFailingSinceMs = undefined;
  }

  /** Records the result of a commit. Returns true for the first of consecutive failures. */
  committed(hasFailed: boolean): boolean {
    const failedBefore = this.#commitsFailingSinceMs !== undefined;
    if (hasFailed) this.#commitsFailingSinceMs ??= this.#monotonic.elapsedMs();
    else this.#commitsFailingSinceMs = undefined;
    return hasFailed && !failedBefore;
  }

  /** `revokedMs`: monotonic time of a revocation that no assignment has followed yet. */
  report(isAssigned: boolean, isGated: boolean, revokedMs = Infinity): Health {
    const nowMs = this.#monotonic.elapsedMs();
    const failingMs = nowMs - (this.#commitsFailingSinceMs ?? Infinity);
    if (!isAssigned) return { status: 'starting', reason: 'not yet assigned' };
    const rejoiningMs = nowMs - revokedMs;
    if (rejoiningMs >= USUAL_REBALANCE_MS) {
      return { status: 'starting', reason: `its group has been rebalancing for ${toSeconds(rejoiningMs)} s` };
    }
    if (isGated) return { status: 'starting', reason: 'the data that its messages depend on is being read' };
    if (this.#progress.status === 'unhealthy') return this.#progress;
    // A restart would not help: the broker cannot be reached.
    if (failingMs >= this.#stallMs) {
      return { status: 'degraded', reason: `commits have failed for ${toSeconds(failingMs)} s` };
    }
    return this.#progress;
  }

  /** `degraded` if a restart would not help: no message is delivered, or the first one is being retried. */
  #check(tracker: OffsetTracker, nowMs: number): Health | undefined {
    if (tracker.lag === 0) {
      this.#observed.delete(tracker);
      return undefined;
    }
    const { sinceMs, movedMs } = this.#observe(tracker, nowMs);
    const stalledMs = nowMs - sinceMs;
    const where = `${tracker.topic}/${tracker.partition}`;
    if (stalledMs < this.#stallMs) {
      if (!tracker.isRetried || nowMs - movedMs < this.#stallMs) return undefined;
      const reason = `a message of ${where} has been retried for ${toSeconds(nowMs - movedMs)} s`;
      return { status: 'degraded', reason };
    }
    const backlog = `${toSeconds(stalledMs)} s, lag ${tracker.lag}`;
    return tracker.pending > 0
      ? { status: 'unhealthy', reason: `${where} has made no progress for ${backlog}` }
      : { status: 'degraded', reason: `${where} has received nothing for ${backlog}` };
  }

  /** `sinceMs` restarts on progress, a retry or a step, while the message is held, and if others end while it waits. */
  #observe(tracker: OffsetTracker, nowMs: number): Observed {
    let known = this.#observed.get(tracker);
    if (known === undefined || known.position !== tracker.position) {
      known = { position: tracker.position, movedMs: nowMs, steps: tracker.steps, sinceMs: nowMs };
      this.#observed.set(tracker, known);
    } else if (known.steps !== tracker.steps) {
      known.steps = tracker.steps;
      known.sinceMs = nowMs;
    } else if (tracker.isHeld) known.sinceMs = nowMs;
    else if (tracker.isWaiting) known.sinceMs = Math.max(known.sinceMs, this.#lastEndMs);
    return known;
  }
}

function toSeconds(ms: number): number {
  return Math.round(ms / SECOND_MS);
}
