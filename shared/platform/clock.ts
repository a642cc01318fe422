/** Time as a parameter: handlers and runtime get a clock, tests pass their own. */
export interface Clock {
  /** Epoch milliseconds (UTC). */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * Measures durations and waits within this process. No correction of the wall clock moves it, and its figures mean nothing
 * to other processes. A type of its own, so that neither clock is taken for the other one.
 */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment; never set back, never set forward. */
  elapsedMs(): number;
}

export const monotonicClock: MonotonicClock = { elapsedMs: () => performance.now() };
