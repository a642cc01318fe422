import { systemTimers, type Timers } from './timers.ts';

/** A signal that is aborted by a time limit or by the caller's own signal, whichever comes first. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  readonly isTimedOut: () => boolean;
}

/** Opens a deadline; `using` clears its timer and listener, so that thousands of calls leave nothing behind. */
export function openDeadline(
  caller: AbortSignal,
  timeoutMs: number,
  timers: Timers = systemTimers,
): Deadline {
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
    [Symbol.dispose]: () => {
      cancel();
      caller.removeEventListener('abort', abort);
    },
  };
}
