/** Default time limits of clients, the same for Kafka and the embedded broker. */
export const CLIENT_DEFAULTS = {
  /** Time limit of one publish(), including its retries. */
  publishDeadlineMs: 15_000,
  /** A group member without heartbeats for this long is expelled, and its partitions are reassigned. */
  sessionTimeoutMs: 6_000,
  /** Time limit of stop(), which sends what is queued or leaves the group. */
  stopTimeoutMs: 5_000,
} as const;
