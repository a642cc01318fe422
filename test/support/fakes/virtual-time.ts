import { systemTimers, type Timers } from '../../../shared/platform/system-ports.ts';

interface Pending {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Clocks and timers of a test. Time advances only to the next timer, and only when the event loop has no other work. */
export function virtualTime({ wallMs = 1_700_000_000_000, elapsedMs = 0 } = {}) {
  const pending = new Set<Pending>();
  const time = { wallMs, elapsedMs };
  const pass = (ms: number): void => {
    time.wallMs += ms;
    time.elapsedMs += ms;
  };
  const fireNext = (): void => {
    const [next] = [...pending].toSorted((one, other) => one.dueMs - other.dueMs);
    if (next === undefined) return;
    pending.delete(next);
    pass(Math.max(0, next.dueMs - time.elapsedMs));
    next.callback();
    setImmediate(fireNext);
  };
  const timers: Timers = {
    schedule: (callback, afterMs) => {
      const timer = { dueMs: time.elapsedMs + Math.max(0, afterMs), callback };
      pending.add(timer);
      if (pending.size === 1) setImmediate(fireNext);
      return () => void pending.delete(timer);
    },
    nextTurn: (callback) => void timers.schedule(callback, 0),
  };
  const clocks = { clock: { now: () => time.wallMs }, monotonic: { elapsedMs: () => time.elapsedMs } };
  return { time, pass, ...clocks, timers };
}

/** Real timers that fire after a fraction of the given time. */
export const fastTimers = (factor: number): Timers => ({
  ...systemTimers,
  schedule: (callback, afterMs) => systemTimers.schedule(callback, afterMs / factor),
});
