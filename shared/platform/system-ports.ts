import { randomUUID } from 'node:crypto';
import { monotonicClock, systemClock, type Clock, type MonotonicClock } from './clock.ts';
import { systemTimers, type Timers } from './timers.ts';

/** Time and randomness as ports: a simulation passes its own, so that a run can be repeated. */
export interface SystemPorts {
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
  /** Creates a random UUID. */
  readonly newId: () => string;
  /** Returns 0 up to 1, to spread delays. Never for secrets. */
  readonly random: () => number;
}

export const systemPorts: SystemPorts = {
  clock: systemClock,
  monotonic: monotonicClock,
  timers: systemTimers,
  newId: () => randomUUID(),
  random: () => Math.random(),
};
