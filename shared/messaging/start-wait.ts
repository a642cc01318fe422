import { errorText, SystemError } from '../platform/errors.ts';
import { systemPorts, type SystemPorts, sleep } from '../platform/system-ports.ts';
import { backoffMs } from './backoff.ts';

/** Brokers often restart within seconds. One attempt every ten seconds puts no load on them. */
const BACKOFF = { minMs: 500, maxMs: 10_000 };
const SECOND_MS = 1_000;
/** Deployments start brokers, registry and processes together. The container of a broker is ready within a minute. */
export const START_TIMEOUT_MS: number = 120 * SECOND_MS;
/** Matches the error of a failed TLS handshake: waiting does not make a certificate valid. */
const CERTIFICATE = /\bcertificate\b/i;

interface StartWaitOptions extends Partial<Pick<SystemPorts, 'monotonic' | 'timers' | 'random'>> {
  /** Limit for all waits together, from createStartWait() on. An attempt may exceed it. Default: START_TIMEOUT_MS. */
  readonly limitMs?: number;
  /** Called before each repetition with a line of text: the service, the remaining time, and the error. */
  readonly onWait: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats the attempt until it succeeds. Rejects when it fails permanently, at the limit, or when aborted. */
type StartWait = <Value>(what: string, attempt: () => Promise<Value>) => Promise<Value>;

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

/** An unknown host name is transient too: the name of a container resolves only once the container has started. */
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
