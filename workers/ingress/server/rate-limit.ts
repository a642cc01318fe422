import type { Clock } from '../../../shared/platform/clock.ts';

/** Callers remembered; the one seen first is forgotten first, which at worst gives it a fresh allowance. */
const MAX_CALLERS = 10_000;
const SECOND_MS = 1_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

export interface RateLimit {
  /** Takes one request from the caller's allowance. Answers 0, or the whole seconds to wait when it is used up. */
  take(caller: string): number;
  /**
   * Takes what a request costs beyond the one that was taken for it, and may leave the allowance in debt: it is paid
   * back before the caller's next request. Answers 0, or the seconds to wait where there is a debt already.
   */
  charge(caller: string, further: number): number;
  /** Takes what a request has cost already beyond the one that was taken for it, whatever is left. */
  spend(caller: string, further: number): void;
}

/** No limit: the setting 0, and requests that were counted already. */
export const UNLIMITED: RateLimit = { take: () => 0, charge: () => 0, spend: () => undefined };

/**
 * A token bucket per caller (E6): `perSecond` requests a second, and as many at once after a pause. Counts per
 * instance. 0 switches it off.
 */
export function createRateLimit(perSecond: number, clock: Clock): RateLimit {
  if (perSecond === 0) return UNLIMITED;
  const buckets = new Map<string, Bucket>();
  const bucketOf = (caller: string, nowMs: number): Bucket => {
    const known = buckets.get(caller);
    if (known !== undefined) return known;
    const [oldest] = buckets.size >= MAX_CALLERS ? buckets.keys() : [];
    if (oldest !== undefined) buckets.delete(oldest);
    const fresh = { tokens: perSecond, atMs: nowMs };
    buckets.set(caller, fresh);
    return fresh;
  };
  const filled = (caller: string): Bucket => {
    const nowMs = clock.now();
    const bucket = bucketOf(caller, nowMs);
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    bucket.tokens = Math.min(perSecond, bucket.tokens + (elapsedMs * perSecond) / SECOND_MS);
    bucket.atMs = nowMs;
    return bucket;
  };
  const secondsTo = (tokens: number): number => Math.max(1, Math.ceil(tokens / perSecond));
  return {
    take: (caller) => {
      const bucket = filled(caller);
      if (bucket.tokens < 1) return secondsTo(1 - bucket.tokens);
      bucket.tokens--;
      return 0;
    },
    charge: (caller, further) => {
      const bucket = filled(caller);
      if (bucket.tokens < 0) return secondsTo(1 - bucket.tokens);
      bucket.tokens -= further;
      return 0;
    },
    spend: (caller, further) => {
      filled(caller).tokens -= further;
    },
  };
}
