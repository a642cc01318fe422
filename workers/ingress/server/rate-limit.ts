import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../shared/platform/clock.ts';
import { refuse } from './send-answer.ts';

/** Maximum number of callers in memory. The oldest is evicted first, which at worst gives it a full allowance. */
const MAX_CALLERS = 10_000;
const SECOND_MS = 1_000;
/** Reading, parsing and checking this much of a body takes the processor time of one request, 10 ms. */
const BODY_BYTES_PER_REQUEST = 262_144;
/** Reading this many members and elements takes about 10 ms of processor time. */
const BODY_VALUES_PER_REQUEST = 10_000;

/** Limits the requests of each caller. The unit of all costs is one ordinary request. */
export interface RateLimiter {
  /** Takes one request from the caller's allowance. Returns 0, or the whole seconds to wait when it is used up. */
  take(caller: string): number;
  /**
   * Takes the additional cost of a request. The allowance may become negative, and the caller's next request then waits. If
   * other requests have already made it negative, takes nothing and returns the seconds to wait, otherwise returns 0.
   * `ownCost` is the cost that this request has already spent.
   */
  charge(caller: string, additional: number, ownCost: number): number;
  /** Takes a cost that has already been incurred, even if the allowance becomes negative. */
  spend(caller: string, cost: number): void;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * A token bucket per caller (E6): `perSecond` requests a second, and a burst of the same number after a pause. Each
 * instance counts its own requests. 0 disables the limit.
 */
export function createRateLimiter(perSecond: number, clock: Clock): RateLimiter {
  if (perSecond === 0) return { take: () => 0, charge: () => 0, spend: () => undefined };
  const buckets = new Map<string, Bucket>();
  const findBucket = (caller: string, nowMs: number): Bucket => {
    const known = buckets.get(caller);
    if (known !== undefined) return known;
    const [oldest] = buckets.size >= MAX_CALLERS ? buckets.keys() : [];
    if (oldest !== undefined) buckets.delete(oldest);
    const fresh = { tokens: perSecond, atMs: nowMs };
    buckets.set(caller, fresh);
    return fresh;
  };
  const refill = (caller: string): Bucket => {
    const nowMs = clock.now();
    const bucket = findBucket(caller, nowMs);
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    bucket.tokens = Math.min(perSecond, bucket.tokens + (elapsedMs * perSecond) / SECOND_MS);
    bucket.atMs = nowMs;
    return bucket;
  };
  const secondsUntil = (tokens: number): number => Math.max(1, Math.ceil(tokens / perSecond));
  return {
    take: (caller) => {
      const bucket = refill(caller);
      if (bucket.tokens < 1) return secondsUntil(1 - bucket.tokens);
      bucket.tokens--;
      return 0;
    },
    charge: (caller, additional, ownCost) => {
      const bucket = refill(caller);
      const before = bucket.tokens + ownCost;
      if (before < 0) return secondsUntil(1 - before);
      bucket.tokens -= additional;
      return 0;
    },
    spend: (caller, cost) => {
      refill(caller).tokens -= cost;
    },
  };
}

/** The cost of a body in addition to the one request that is counted anyway. */
export function estimateBodyCost(bytes: number, values: number): number {
  return Math.round(bytes / BODY_BYTES_PER_REQUEST + values / BODY_VALUES_PER_REQUEST);
}

/** Responds to a caller whose allowance is used up: 429 with the seconds to wait (E6). */
export function refuseRateLimited(reply: FastifyReply, waitSeconds: number): void {
  reply.header('retry-after', waitSeconds);
  refuse(reply, 'rate-limited', { detail: `Send fewer requests; try again in ${waitSeconds} s.` });
}
