import type { Clock, MonotonicClock } from './clock.ts';

/**
 * The clock for ages: the minimum of a clock and of its value at the start plus the elapsed time. It ignores a clock that jumps
 * ahead while the process runs, and follows one that is set back. Both errors are safe: a notification is attempted late
 * instead of failing, and outcomes and Idempotency-Keys are kept longer than needed.
 */
export function createJumpResistantClock(clock: Clock, monotonic: MonotonicClock): Clock {
  const startedMs = clock.now() - monotonic.elapsedMs();
  return { now: () => Math.min(clock.now(), startedMs + monotonic.elapsedMs()) };
}
