/** When and how often a notification is tried again. */
export interface RetryPlan {
  /** Delays of the retry tiers in milliseconds, in their order; the last is repeated. */
  readonly tiersMs: readonly number[];
  /** From the moment the command entered the log; no later round is begun. */
  readonly timeLimitMs: number;
}

/**
 * The wait after round `attempt` (counted from 1), in milliseconds: the delay of its tier, or a longer one where a provider
 * asks for it (Retry-After). `ageMs` counts from the begin of the time limit; undefined where the next round would begin
 * after it. Pure.
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

/** The first tier that is long enough for a wait, else the last. Copies keep their due time, so none comes back early. */
export function tierFor({ tiersMs }: RetryPlan, waitMs: number): number {
  return tiersMs.find((delayMs) => delayMs >= waitMs) ?? tiersMs.at(-1) ?? 0;
}
