/** Ends one call: by its own time limit or because the caller wants it to. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly isTimedOut: () => boolean;
  /** Forgets the timer; call it when the call has ended. */
  readonly clear: () => void;
}

/** A timer and a listener that are cleared with the call: thousands of calls leave nothing behind. */
export function openDeadline(caller: AbortSignal, timeoutMs: number): Deadline {
  const controller = new AbortController();
  let isTimedOut = false;
  const abort = (): void => controller.abort();
  const timer = setTimeout(() => {
    isTimedOut = true;
    abort();
  }, timeoutMs);
  if (caller.aborted) abort();
  else caller.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    isTimedOut: () => isTimedOut,
    clear: () => {
      clearTimeout(timer);
      caller.removeEventListener('abort', abort);
    },
  };
}
