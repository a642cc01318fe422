/** Timers as a port: code that waits receives them, so that a simulation decides when they fire. */
export interface Timers {
  /**
   * Calls back once, after at least this time in milliseconds; 0: in the next turn of the event loop. Returns a cancel
   * function. `background`: the timer does not keep the process running.
   */
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

/** Calls back at this interval in milliseconds. Returns a cancel function; for `kind` see Timers. */
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
