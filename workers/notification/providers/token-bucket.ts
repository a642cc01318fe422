import type { MonotonicClock } from '../../../shared/platform/clock.ts';

export interface RateLimit {
  /** Above 0; fractions for less than one call a second. */
  readonly ratePerSecond: number;
  /** Calls that may come at once after a rest; the calls of one second (at least one) if absent. */
  readonly burst?: number | undefined;
}

export interface TokenBucket {
  /** 0 when a call may go, which is then counted; else the milliseconds until the next one may. */
  take(): number;
}

const SECOND = 1_000;

/** A rate limit over calls: an allowance that fills steadily up to the burst. */
export function createTokenBucket(limit: RateLimit, monotonic: MonotonicClock): TokenBucket {
  const capacity = Math.max(1, limit.burst ?? limit.ratePerSecond);
  let tokens = capacity;
  let filledAt = monotonic.elapsedMs();
  return {
    take: () => {
      const now = monotonic.elapsedMs();
      tokens = Math.min(capacity, tokens + ((now - filledAt) / SECOND) * limit.ratePerSecond);
      filledAt = now;
      /** A hair below a whole token is one: binary fractions do not add up exactly. */
      if (tokens >= 1 - 1e-9) {
        tokens = Math.max(0, tokens - 1);
        return 0;
      }
      return Math.max(1, Math.ceil(((1 - tokens) / limit.ratePerSecond) * SECOND));
    },
  };
}
