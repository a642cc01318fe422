import { systemTimers, type Timers } from './timers.ts';

/** A signal that is aborted by a timeout or by the signal of the caller, whichever comes first. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  readonly isTimedOut: () => boolean;
}

/** Starts a deadline. Declare it with `using`, which removes its timer and listener. */
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
