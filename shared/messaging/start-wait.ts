/** A process that starts waits for Kafka and the schema registry for a limited time. */

import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, SystemError } from '../platform/errors.ts';
import { backoffMs } from './backoff.ts';

/** A broker restarts within seconds; one attempt every ten seconds is no load for it. */
const BACKOFF = { minMs: 500, maxMs: 10_000 };
const SECOND_MS = 1_000;
/** Text of a failed TLS handshake: the certificate does not become valid by waiting. */
const CERTIFICATE = /\bcertificate\b/i;

export interface StartWaitOptions {
  /**
   * Limit for all waiting, in milliseconds from now (START_TIMEOUT_MS): a failure after it is final. An attempt in
   * progress is not interrupted. 0: the first failure is final.
   */
  readonly limitMs: number;
  /** Called after each failed attempt with a line that says what is being waited for, why, and for how long at most. */
  readonly onWait: (line: string) => void;
  /** Ends the waiting at once, even during an attempt. */
  readonly signal?: AbortSignal | undefined;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

/**
 * Repeats the attempt until it succeeds. Rejects at once with a failure that waiting does not resolve, such as refused
 * credentials or a missing topic; with the last failure and its code when the limit is reached; with the reason of the signal.
 */
export type StartWait = <Value>(what: string, attempt: () => Promise<Value>) => Promise<Value>;

/** Creates the wait of one start, with one limit for everything it waits for. */
export function createStartWait(options: StartWaitOptions): StartWait {
  const { limitMs, onWait, signal } = options;
  const now = options.now ?? (() => performance.now());
  const wait = options.wait ?? ((ms) => sleep(ms));
  const random = options.random ?? Math.random;
  const endsAtMs = now() + limitMs;
  return async (what, attempt) => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await unlessAborted(attempt, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isTransient(error)) throw error;
        const leftMs = endsAtMs - now();
        if (leftMs <= 0) throw limitMs === 0 ? error : timeIsUp(what, limitMs, error);
        const delayMs = Math.min(backoffMs(BACKOFF, attempts, random), leftMs);
        onWait(`waiting for ${what}, at most ${seconds(leftMs)} more: ${errorText(error)}`);
        await unlessAborted(() => wait(delayMs), signal);
      }
    }
  };
}

/**
 * Whether the same attempt may succeed later. Unknown host names may: those of containers and pods appear when they
 * start.
 */
function isTransient(error: unknown): error is SystemError {
  if (!(error instanceof SystemError) || !error.canRetry) return false;
  return error.code !== 'schema-registry-refused' && !CERTIFICATE.test(error.message);
}

function timeIsUp(what: string, limitMs: number, error: SystemError): SystemError {
  const text = `${what} could not be used within ${seconds(limitMs)} (START_TIMEOUT_MS): ${error.message}`;
  return new SystemError(error.code, text, { canRetry: true, cause: error });
}

async function unlessAborted<Value>(begin: () => Promise<Value>, signal: AbortSignal | undefined) {
  if (signal === undefined) return begin();
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  const begun = begin();
  // The result of an abandoned attempt is ignored.
  begun.catch(() => undefined);
  try {
    return await Promise.race([begun, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / SECOND_MS)} s`;
}
