export interface RetryPlan {
  /** Delays of the retry tiers in milliseconds, in order; the last is repeated. */
  readonly tiersMs: readonly number[];
  /** Counted from when the command was written; no round is started later. */
  readonly timeLimitMs: number;
}

/**
 * The delay after round `attempt` (counted from 1) in milliseconds: that of its tier, or of a longer one for a Retry-After.
 * `ageMs` is the time since the start of the time limit. Undefined if the next round would exceed the time limit.
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

/** The shortest tier that covers a wait, otherwise the longest. Copies have a due time, so none returns early. */
export function tierFor({ tiersMs }: RetryPlan, waitMs: number): number {
  return tiersMs.find((delayMs) => delayMs >= waitMs) ?? tiersMs.at(-1) ?? 0;
}
