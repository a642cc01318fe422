import type { MonotonicClock } from '../../platform/clock.ts';

/**
 * Wraps a condition so that it stays true for `toleranceMs` after it became false: requests need not be rejected while a
 * producer reconnects or a partition leader moves. A condition that was never true is not extended. Call the returned function
 * regularly: the time starts at its first call after the change.
 */
export function tolerateOutage(
  isTrue: () => boolean,
  toleranceMs: number,
  monotonic: MonotonicClock,
): () => boolean {
  let falseSinceMs: number | undefined = Number.NEGATIVE_INFINITY;
  return () => {
    if (isTrue()) {
      falseSinceMs = undefined;
      return true;
    }
    falseSinceMs ??= monotonic.elapsedMs();
    return monotonic.elapsedMs() - falseSinceMs < toleranceMs;
  };
}
