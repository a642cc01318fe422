import type { CommitPrefix } from './offset-tracker.ts';
import type { Health } from '../../platform/health.ts';

interface Watched {
  position: number | undefined;
  movedMs: number;
  /** Since when nothing has happened that counts as progress. */
  sinceMs: number;
}

/**
 * Notices partitions that have messages and make no progress: a stuck handler, or a source that delivers nothing. A
 * partition whose first message waits, while other messages end, is not stuck: it waits for its turn, or for what its
 * next attempt needs, and a restart would bring neither.
 */
export class StallWatch {
  readonly #stallMs: number;
  #watched = new WeakMap<CommitPrefix, Watched>();
  #ended = 0;
  #lastEndMs = -Infinity;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /**
   * `unhealthy` when delivered messages have not moved a prefix for the stall time. `degraded` when the log has more
   * than was delivered for as long: that can also be the control records of a foreign transaction, which are no
   * messages, and a restart would mend nothing; also when the first message waits for another attempt as long. `ended` counts the works of all partitions that have ended so far. Times
   * are monotonic milliseconds.
   */
  look(prefixes: Iterable<CommitPrefix>, ended: number, nowMs: number): Health {
    if (ended !== this.#ended) this.#lastEndMs = nowMs;
    this.#ended = ended;
    let worst: Health = { status: 'ready' };
    for (const prefix of prefixes) {
      const { sinceMs, movedMs } = this.#watch(prefix, nowMs);
      const stoodMs = nowMs - sinceMs;
      const where = `${prefix.topic}/${prefix.partition}`;
      if (stoodMs < this.#stallMs) {
        if (!prefix.isHeld || nowMs - movedMs < this.#stallMs) continue;
        const waitedSeconds = Math.round((nowMs - movedMs) / 1_000);
        worst = { status: 'degraded', reason: `a message of ${where} is tried again for ${waitedSeconds} s` };
        continue;
      }
      const seconds = Math.round(stoodMs / 1_000);
      if (prefix.pending > 0) {
        return { status: 'unhealthy', reason: `${where} stands still for ${seconds} s, lag ${prefix.lag}` };
      }
      worst = {
        status: 'degraded',
        reason: `${where} was delivered nothing for ${seconds} s, lag ${prefix.lag}`,
      };
    }
    return worst;
  }

  #watch(prefix: CommitPrefix, nowMs: number): Watched {
    let known = this.#watched.get(prefix);
    if (known === undefined || prefix.lag === 0 || known.position !== prefix.position) {
      known = { position: prefix.position, movedMs: nowMs, sinceMs: nowMs };
      this.#watched.set(prefix, known);
    } else if (prefix.isWaiting || prefix.isHeld) known.sinceMs = Math.max(known.sinceMs, this.#lastEndMs);
    return known;
  }
}
