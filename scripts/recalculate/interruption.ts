/** Aborts the run; its message is the reason in the report: no reply, a full disk, too many failures, or a signal. */
export class RunError extends Error {
  override readonly name = 'RunError';
}

export type Interruption = ReturnType<typeof listenToSignals>;

const FINISH_LIMIT_MS = 30_000;
/** Under npm one Ctrl-C arrives twice: from the terminal and from npm. */
const SAME_SIGNAL_MS = 1_000;

/** The first SIGINT or SIGTERM aborts `stopped`, 30 s later `abandoned`. Another after 1 s or more calls `exitNow`. */
export function listenToSignals(say: (line: string) => void, exitNow: () => void) {
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
      `${signal}: finishing the work in progress within ${FINISH_LIMIT_MS / 1_000} s; send it again to stop immediately`,
    );
    stopped.abort(new RunError(`${signal} before the start of the run; nothing was changed`));
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

/** Settles like the promise, or rejects with the reason of the signal if the signal is aborted first. */
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
