import type { FastifyReply } from 'fastify';
import { refuse } from './send-answer.ts';

const SECOND_MS = 1_000;
/** Reading, parsing and checking this much of a body takes as long as one ordinary call, 10 ms. */
const BODY_BYTES_PER_CALL = 262_144;
/** Reading this many members and elements takes as long. */
const BODY_VALUES_PER_CALL = 10_000;

/** Limits the calls of each caller (E6). The unit of all costs is one ordinary call. */
export interface RateLimiter {
  /**
   * Takes calls from the allowance of a caller, at most the whole allowance of a second, which the dearest call may need. 0, or
   * the whole seconds to wait when the allowance is used up.
   */
  take(caller: string, calls?: number): Promise<number>;
  /** Takes the cost of work that has been done already. What exceeds the allowance is paid in the next seconds. */
  spend(caller: string, calls: number): void;
}

/** `perSecond` calls of each caller in a second; 0: no limit. Each instance counts its own requests. */
export async function createRateLimiter(perSecond: number): Promise<RateLimiter> {
  if (perSecond === 0) return { take: async () => 0, spend: () => undefined };
  const { RateLimiterMemory } = await import('rate-limiter-flexible');
  const limiter = new RateLimiterMemory({ points: perSecond, duration: 1 });
  const spend = async (caller: string, calls: number): Promise<void> => {
    const { consumedPoints } = await limiter.penalty(caller, calls);
    if (consumedPoints <= perSecond) return;
    await limiter.set(caller, consumedPoints, Math.ceil(consumedPoints / perSecond));
  };
  return {
    take: (caller, calls = 1) =>
      limiter.consume(caller, calls).then(
        () => 0,
        ({ msBeforeNext }: { readonly msBeforeNext: number }) =>
          Math.max(1, Math.ceil(msBeforeNext / SECOND_MS)),
      ),
    spend: (caller, calls) => void spend(caller, calls),
  };
}

/** The cost of a body in addition to the one call that is counted anyway. */
export function estimateBodyCost(bytes: number, values: number): number {
  return Math.round(bytes / BODY_BYTES_PER_CALL + values / BODY_VALUES_PER_CALL);
}

/** Responds to a caller whose allowance is used up: 429 with the seconds to wait (E6). */
export function refuseRateLimited(reply: FastifyReply, waitSeconds: number): void {
  reply.header('retry-after', waitSeconds);
  refuse(reply, 'rate-limited', { detail: `Send fewer requests; try again in ${waitSeconds} s.` });
}
