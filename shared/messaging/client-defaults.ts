/** Times that clients of Kafka and of the embedded broker have in common, unless their options say otherwise. */
export const CLIENT_DEFAULTS = {
  /** Total time of one publish, retries included. */
  publishDeadlineMs: 15_000,
  /** A group member without heartbeats for this time is expelled, and its partitions are reassigned. */
  sessionTimeoutMs: 6_000,
  /** Time for stop(): sending what is queued, finishing a fetch, leaving a group. */
  stopTimeoutMs: 5_000,
} as const;
