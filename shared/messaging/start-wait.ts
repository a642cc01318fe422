import { errorText, SystemError } from '../platform/errors.ts';
import { systemPorts, type SystemPorts, sleep } from '../platform/system-ports.ts';
import { backoffMs } from './backoff.ts';

/** A broker restarts within seconds; one attempt every ten seconds does not load it. */
const BACKOFF = { minMs: 500, maxMs: 10_000 };
const SECOND_MS = 1_000;
/** Deployments start brokers, registry and processes together; a container of a broker is ready within a minute. */
export const START_TIMEOUT_MS: number = 120 * SECOND_MS;
/** In the error text of a failed TLS handshake; waiting does not make a certificate valid. */
const CERTIFICATE = /\bcertificate\b/i;

export interface StartWaitOptions extends Partial<Pick<SystemPorts, 'monotonic' | 'timers' | 'random'>> {
  /** For all waits from the creation, by default START_TIMEOUT_MS. An attempt in progress is not interrupted. */
  readonly limitMs?: number;
  /** Called after each failed attempt with a line of text: the service, the remaining time, and the error. */
  readonly onWait: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats the attempt until it succeeds. Rejects with a permanent failure, the last one, or the signal's reason. */
export type StartWait = <Value>(what: string, attempt: () => Promise<Value>) => Promise<Value>;

export function createStartWait(options: StartWaitOptions): StartWait {
  const { limitMs = START_TIMEOUT_MS, onWait, signal } = options;
  const { monotonic, timers, random } = { ...systemPorts, ...options };
  const endsAtMs = monotonic.elapsedMs() + limitMs;
  return async (what, attempt) => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await unlessAborted(attempt, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isTransient(error)) throw error;
        const leftMs = endsAtMs - monotonic.elapsedMs();
        if (leftMs <= 0) {
          const text = `${what} was not available within ${seconds(limitMs)}: ${error.message}`;
          throw new SystemError(error.code, text, { canRetry: true, cause: error });
        }
        const delayMs = Math.min(backoffMs(BACKOFF, attempts, random), leftMs);
        onWait(`waiting for ${what}, at most ${seconds(leftMs)} more: ${errorText(error)}`);
        await sleep(timers, delayMs, signal);
        signal?.throwIfAborted();
      }
    }
  };
}

/** Even an unknown host name may: that of a container is known once it has started. */
function isTransient(error: unknown): error is SystemError {
  if (!(error instanceof SystemError) || !error.canRetry) return false;
  return error.code !== 'schema-registry-refused' && !CERTIFICATE.test(error.message);
}

async function unlessAborted<Value>(start: () => Promise<Value>, signal: AbortSignal | undefined) {
  if (signal === undefined) return start();
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  return Promise.race([start(), aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / SECOND_MS)} s`;
}
