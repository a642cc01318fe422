/** Interrupting a run: the first signal lets it finish the work in progress, the second one does not. */

import { RunError } from '../run-error.ts';

export interface Interruption {
  /** Aborted by the first signal: no further input is taken. */
  readonly stopped: AbortSignal;
  /** Aborted when the work in progress did not end in time, or by {@link abandon}. */
  readonly abandoned: AbortSignal;
  /** Name of the signal that came. */
  signalName(): string | undefined;
  abandon(): void;
}

/** Time limit of the work in progress: batches are answered within seconds where there are workers. */
const FINISH_LIMIT_MS = 30_000;
/** Under npm one Ctrl-C arrives twice: from the terminal and, forwarded, from npm. */
const SAME_SIGNAL_MS = 1_000;

/** Listens to SIGINT and SIGTERM. `exitNow` ends the process on the second one; the last checkpoint is valid then. */
export function listenToSignals(say: (line: string) => void, exitNow: () => void): Interruption {
  const stopped = new AbortController();
  const abandoned = new AbortController();
  let name: string | undefined;
  let cameAtMs = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (name !== undefined) {
      if (performance.now() - cameAtMs >= SAME_SIGNAL_MS) exitNow();
      return;
    }
    name = signal;
    cameAtMs = performance.now();
    say(
      `${signal}: finishes the work in progress, at most ${FINISH_LIMIT_MS / 1_000} s; again to end at once`,
    );
    stopped.abort(new RunError(`${signal} came before the run began; nothing was changed`));
    const reason = new RunError(`${signal}, and the work in progress did not end in time`);
    setTimeout(() => abandoned.abort(reason), FINISH_LIMIT_MS).unref();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    stopped: stopped.signal,
    abandoned: abandoned.signal,
    signalName: () => name,
    abandon: () => abandoned.abort(new RunError('the run has ended')),
  };
}

/** What a promise resolves with; rejects with the reason of the signal when that is aborted first. */
export async function unlessAborted<Value>(coming: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  coming.catch(() => undefined);
  try {
    return await Promise.race([promise, coming]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
