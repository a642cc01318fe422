/** What ends a run before its time: a signal lets it finish what is under way, a second one does not. */

export interface Interruption {
  /** Aborted by the first signal: no further input is taken. */
  readonly stopped: AbortSignal;
  /** Aborted when what was under way did not end in time, or by {@link abandon}. */
  readonly abandoned: AbortSignal;
  /** Name of the signal that came. */
  signalName(): string | undefined;
  abandon(): void;
}

/** The run was told to end before it began, or its batches were not answered in time. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** What is under way may take so long to be finished: batches are answered within seconds where there are workers. */
const FINISH_LIMIT_MS = 30_000;
/** One Ctrl-C arrives twice under npm: from the terminal and, forwarded, from npm itself. */
const SAME_SIGNAL_MS = 1_000;

/** What comes, unless `stopped` is aborted before: then rejects with its reason, and what comes is left alone. */
export async function unlessStopped<Value>(coming: Promise<Value>, stopped: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(stopped.reason);
  if (stopped.aborted) onAbort();
  stopped.addEventListener('abort', onAbort);
  coming.catch(() => undefined);
  try {
    return await Promise.race([promise, coming]);
  } finally {
    stopped.removeEventListener('abort', onAbort);
  }
}

/** Listens to SIGINT and SIGTERM. `exitNow` ends the process on the second one; the last checkpoint is good then. */
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
    say(`${signal}: finishes what is under way, at most ${FINISH_LIMIT_MS / 1_000} s; again to end at once`);
    stopped.abort(new InterruptedError(`${signal} came before the run began; nothing was changed`));
    const reason = new InterruptedError(`${signal}, and what was under way did not end in time`);
    setTimeout(() => abandoned.abort(reason), FINISH_LIMIT_MS).unref();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    stopped: stopped.signal,
    abandoned: abandoned.signal,
    signalName: () => name,
    abandon: () => abandoned.abort(new InterruptedError('the run has ended')),
  };
}
