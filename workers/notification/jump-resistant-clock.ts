import type { Clock, MonotonicClock } from '../../shared/platform/clock.ts';

/**
 * The clock that ages are judged by: the earlier of the wall clock and of what it showed when this was made plus the time
 * that has passed since. A wall clock that jumps ahead while the process runs makes nothing old; one that is set back makes
 * it younger. Both errors are on the safe side: a notification is tried late instead of failing untried, and an outcome is
 * remembered longer than needed.
 */
export function createAgeClock(clock: Clock, monotonic: MonotonicClock): Clock {
  const startedMs = clock.now() - monotonic.elapsedMs();
  return { now: () => Math.min(clock.now(), startedMs + monotonic.elapsedMs()) };
}
