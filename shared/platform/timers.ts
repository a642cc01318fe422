/** Timers as a port: code that waits receives them, so that a simulation decides when they fire. */
export interface Timers {
  /** Calls back once, after at least this time in milliseconds; 0: in the next turn of the event loop. Returns a cancel function. */
  schedule(callback: () => void, afterMs: number, options?: TimerOptions): () => void;
}

export interface TimerOptions {
  /** False: the process may end while the timer is pending. Default true. */
  readonly ref?: boolean;
}

export const systemTimers: Timers = {
  schedule: (callback, afterMs, { ref = true } = {}) => {
    if (afterMs <= 0) {
      const immediate = setImmediate(callback);
      if (!ref) immediate.unref();
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, afterMs);
    if (!ref) timer.unref();
    return () => clearTimeout(timer);
  },
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

/** Calls back at this interval in milliseconds. Returns a cancel function. */
export function repeat(timers: Timers, callback: () => void, everyMs: number): () => void {
  let cancel: () => void;
  const scheduleNext = (): void => {
    cancel = timers.schedule(() => {
      scheduleNext();
      callback();
    }, everyMs);
  };
  scheduleNext();
  return () => cancel();
}
