/**
 * Wraps a condition so that it stays true for `graceMs` after it became false: requests need not be rejected while a producer
 * reconnects or a partition leader moves. A condition that was never true has no grace period. The returned function must be
 * called regularly: the grace period starts at its first call after the change.
 */
export function withGracePeriod(isTrue: () => boolean, graceMs: number): () => boolean {
  let falseSinceMs: number | undefined = Number.NEGATIVE_INFINITY;
  return () => {
    if (isTrue()) {
      falseSinceMs = undefined;
      return true;
    }
    falseSinceMs ??= performance.now();
    return performance.now() - falseSinceMs < graceMs;
  };
}
