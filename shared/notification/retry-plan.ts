import { assertNever } from '../platform/errors.ts';

/** When and how often a notification is tried again; data only. */
export interface RetryPlan {
  /** Delays of the tiers in their order, in milliseconds; the last is repeated. */
  readonly tiersMs: readonly number[];
  /** From the moment the command entered the log; after it no further try is begun. */
  readonly timeLimitMs: number;
}

/** How a round of delivery failed. */
export type Failure =
  | { readonly kind: 'transient'; readonly code: string; readonly retryAfterMs?: number }
  | { readonly kind: 'permanent'; readonly code: string }
  | { readonly kind: 'unknown'; readonly code: string };

export type Destination =
  | { readonly kind: 'retry'; readonly tier: number; readonly delayMs: number }
  | { readonly kind: 'dead'; readonly code: string }
  | { readonly kind: 'park'; readonly code: string };

/**
 * Where a notification goes after a failed round. Pure. `attempt` counts from 1; times are epoch milliseconds. A
 * provider's Retry-After chooses the first tier that is at least as long, else the last. A next try that would begin
 * after the time limit is not made.
 */
export function nextDestination(
  plan: RetryPlan,
  attempt: number,
  failure: Failure,
  times: { readonly firstSeenMs: number; readonly nowMs: number },
): Destination {
  switch (failure.kind) {
    case 'permanent':
      return { kind: 'dead', code: failure.code };
    case 'unknown':
      return { kind: 'park', code: failure.code };
    case 'transient':
      return retryOf(plan, attempt, failure, times);
    default:
      return assertNever(failure);
  }
}

function retryOf(
  plan: RetryPlan,
  attempt: number,
  failure: { readonly retryAfterMs?: number },
  times: { readonly firstSeenMs: number; readonly nowMs: number },
): Destination {
  const last = plan.tiersMs.length - 1;
  const byAttempt = Math.min(attempt - 1, last);
  const wanted = failure.retryAfterMs ?? 0;
  const byProvider = plan.tiersMs.findIndex((delayMs) => delayMs >= wanted);
  const tier = Math.max(byAttempt, byProvider === -1 ? last : byProvider);
  const delayMs = plan.tiersMs[tier];
  if (delayMs === undefined || times.nowMs + delayMs > times.firstSeenMs + plan.timeLimitMs) {
    return { kind: 'dead', code: 'time-limit-exceeded' };
  }
  return { kind: 'retry', tier, delayMs };
}
