/**
 * A condition that was true counts as true until it has been observed false for `graceMs`: a producer that reconnects, or
 * a consumer whose leader moved, is back within moments, and requests need not be refused meanwhile. A condition that
 * was never true has no grace period. Call it regularly: the period begins when the condition is first seen false.
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
