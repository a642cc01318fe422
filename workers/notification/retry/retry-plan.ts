export interface RetryPlan {
  /** Delays of the retry tiers, ascending. The last one is repeated. */
  readonly tiersMs: readonly number[];
  /** Counted from when the command was written or redriven. No retry is planned beyond it. */
  readonly timeLimitMs: number;
}

/**
 * Returns the delay after round `attempt` (counted from 1): that of its tier, or of a longer tier for a Retry-After.
 * `ageMs` is the time since the time limit began. Returns undefined if the next round would exceed the limit.
 */
export function planRetry(
  { tiersMs, timeLimitMs }: RetryPlan,
  attempt: number,
  ageMs: number,
  retryAfterMs = 0,
): number | undefined {
  const last = tiersMs.length - 1;
  const byAttempt = Math.min(attempt - 1, last);
  const byProvider = tiersMs.findIndex((delayMs) => delayMs >= retryAfterMs);
  const delayMs = tiersMs[Math.max(byAttempt, byProvider === -1 ? last : byProvider)];
  return delayMs === undefined || ageMs + delayMs > timeLimitMs ? undefined : delayMs;
}

/** The delay of the longest tier within a wait, so that the copies of a tier are due in order; else of the shortest. */
export function tierWithin({ tiersMs }: RetryPlan, waitMs: number): number {
  return tiersMs.findLast((delayMs) => delayMs <= waitMs) ?? tiersMs[0] ?? 0;
}

/** Returns the delay of the shortest tier that covers a wait, or else of the longest tier. */
export function tierFor({ tiersMs }: RetryPlan, waitMs: number): number {
  return tiersMs.find((delayMs) => delayMs >= waitMs) ?? tiersMs.at(-1) ?? 0;
}
