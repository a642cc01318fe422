import type { CommitPrefix } from './commit-prefix.ts';
import type { Health } from '../platform/worker.ts';

interface Watched {
  position: number | undefined;
  sinceMs: number;
}

/**
 * Notices partitions that have messages and make no progress: a stuck handler, or a source that delivers nothing. A
 * partition whose first message was not begun, while messages of others end, only waits for its turn.
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
   * messages, and a restart would mend nothing. `ended` counts the works of all partitions that have ended so far. Times
   * are monotonic milliseconds.
   */
  look(prefixes: Iterable<CommitPrefix>, ended: number, nowMs: number): Health {
    if (ended !== this.#ended) this.#lastEndMs = nowMs;
    this.#ended = ended;
    let worst: Health = { status: 'ready' };
    for (const prefix of prefixes) {
      const stoodMs = this.#stoodStillMs(prefix, nowMs);
      if (stoodMs < this.#stallMs) continue;
      const where = `${prefix.topic}/${prefix.partition}`;
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

  #stoodStillMs(prefix: CommitPrefix, nowMs: number): number {
    const known = this.#watched.get(prefix);
    if (known === undefined || prefix.lag === 0 || known.position !== prefix.position) {
      this.#watched.set(prefix, { position: prefix.position, sinceMs: nowMs });
      return 0;
    }
    if (prefix.isWaiting) known.sinceMs = Math.max(known.sinceMs, this.#lastEndMs);
    return nowMs - known.sinceMs;
  }
}
