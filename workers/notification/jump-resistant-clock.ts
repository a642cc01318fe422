import type { Clock, MonotonicClock } from '../../shared/platform/clock.ts';

/**
 * The clock for the age of notifications: the minimum of the wall clock and of its value at the start plus the elapsed time.
 * It ignores a wall clock that jumps ahead while the process runs, and follows one that is set back. Both errors are safe:
 * a notification is attempted late instead of failing, and an outcome is kept longer than needed.
 */
export function createJumpResistantClock(clock: Clock, monotonic: MonotonicClock): Clock {
  const startedMs = clock.now() - monotonic.elapsedMs();
  return { now: () => Math.min(clock.now(), startedMs + monotonic.elapsedMs()) };
}
