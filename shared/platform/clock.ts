/** Time as a parameter: handlers and runtime take a clock, tests bring their own. */
export interface Clock {
  /** Epoch milliseconds (UTC). */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
