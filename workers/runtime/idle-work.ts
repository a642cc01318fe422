import type { MonotonicClock } from '../../shared/platform/clock.ts';
import type { Timers } from '../../shared/platform/timers.ts';

/** Time before the first step: a call right after the start of a process is served first. */
const FIRST_MS = 500;
/** Time between two steps, in which calls are served. */
const PAUSE_MS = 20;
/** A timer of an idle process is not later than this. */
const MAX_LATE_MS = 10;

/** What a process does while it is idle, in steps of some milliseconds. */
export interface IdleWork {
  readonly steps: readonly (() => void)[];
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
  /** Called when a step throws; the others follow. */
  readonly onError: (error: unknown) => void;
}

/** Runs the steps one by one, each after a pause in which the event loop was idle. Does not keep the process running. */
export function workWhenIdle({ steps, monotonic, timers, onError }: IdleWork): void {
  const left = steps.values();
  const waitFor = (ms: number): void => {
    const dueMs = monotonic.elapsedMs() + ms;
    timers.schedule(() => proceed(monotonic.elapsedMs() - dueMs), ms, 'background');
  };
  const proceed = (lateMs: number): void => {
    if (lateMs <= MAX_LATE_MS) {
      const { done, value: step } = left.next();
      if (done === true) return;
      try {
        step();
      } catch (error) {
        onError(error);
      }
    }
    waitFor(PAUSE_MS);
  };
  waitFor(FIRST_MS);
}
