import { randomUUID } from 'node:crypto';

/** Time and randomness as ports: the simulation passes its own, so that a run can be repeated. */
export interface SystemPorts {
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly timers: Timers;
  readonly newId: () => string;
  /** Returns a number from 0 to below 1 that spreads delays. Not for secrets. */
  readonly random: () => number;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Measures durations within this process. Corrections of the wall clock do not change it. */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment. */
  elapsedMs(): number;
}

export const monotonicClock: MonotonicClock = { elapsedMs: () => performance.now() };

export interface Timers {
  /** Calls back once, `afterMs` later (0: next turn). Returns a cancel function. `background` lets the process end. */
  schedule(callback: () => void, afterMs: number, kind?: 'background'): () => void;
  /** Calls back in the next turn of the event loop. It cannot be cancelled, and costs no more than setImmediate. */
  nextTurn(callback: () => void): void;
}

export const systemTimers: Timers = {
  schedule: (callback, afterMs, kind) => {
    if (afterMs <= 0) {
      const immediate = setImmediate(callback);
      if (kind === 'background') immediate.unref();
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, afterMs);
    if (kind === 'background') timer.unref();
    return () => clearTimeout(timer);
  },
  nextTurn: (callback) => void setImmediate(callback),
};

export const systemPorts: SystemPorts = {
  clock: systemClock,
  monotonic: monotonicClock,
  timers: systemTimers,
  newId: () => randomUUID(),
  random: () => Math.random(),
};

/** Resolves after the time in milliseconds, or as soon as the signal is aborted. */
export function sleep(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.schedule(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Calls back every `everyMs`, for the first time after one interval. Returns a cancel function; `kind`: see Timers. */
export function repeat(
  timers: Timers,
  callback: () => void,
  everyMs: number,
  kind?: 'background',
): () => void {
  let cancel: () => void;
  const scheduleNext = (): void => {
    cancel = timers.schedule(
      () => {
        scheduleNext();
        callback();
      },
      everyMs,
      kind,
    );
  };
  scheduleNext();
  return () => cancel();
}

export type Deadline = ReturnType<typeof openDeadline>;

/** The signal is aborted after `timeoutMs`, or with `caller`. Declare the result with `using` to remove the timer. */
export function openDeadline(caller: AbortSignal, timeoutMs: number, timers: Timers = systemTimers) {
  const controller = new AbortController();
  let isTimedOut = false;
  const abort = (): void => controller.abort();
  const cancel = timers.schedule(() => {
    isTimedOut = true;
    abort();
  }, timeoutMs);
  if (caller.aborted) abort();
  else caller.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    isTimedOut: () => isTimedOut,
    [Symbol.dispose]: (): void => {
      cancel();
      caller.removeEventListener('abort', abort);
    },
  };
}
