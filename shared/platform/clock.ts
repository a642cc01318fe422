/** The wall clock, passed as a parameter so that tests can replace it. */
export interface Clock {
  /** Epoch milliseconds (UTC). */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Measures durations within this process. It is not affected by corrections of the wall clock, and its values have no
 * meaning in other processes. A separate type, so that the clocks cannot be confused.
 */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment; never adjusted. */
  elapsedMs(): number;
}

export const monotonicClock: MonotonicClock = { elapsedMs: () => performance.now() };
