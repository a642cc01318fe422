/** What the client takes from the system around it. Tests pass their own. */

export interface ClientSystem {
  readonly fetch: typeof fetch;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Runs `run` once after `delayMs`; the result cancels it. */
  readonly startTimer: (delayMs: number, run: () => void) => () => void;
  /** From 0 up to 1, to spread repeats. */
  readonly random: () => number;
  /** A random id of 32 characters. */
  readonly newId: () => string;
}

const ID_BYTES = 16;
/** Longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const clientSystem: ClientSystem = {
  fetch: (input, init) => globalThis.fetch(input, init),
  now: () => performance.now(),
  startTimer: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(delayMs, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // randomUUID exists on secure pages only; this works on http://bank.internal too.
  newId: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(ID_BYTES)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join(''),
};

/** Waits; rejects with the reason of `signal` as soon as it is aborted. */
export function wait(
  { startTimer }: Pick<ClientSystem, 'startTimer'>,
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = startTimer(delayMs, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
