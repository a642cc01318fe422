/** What a process does at its start while Kafka or the schema registry cannot be used yet: it waits, for a limited time. */

import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, SystemError } from '../platform/errors.ts';
import { backoffMs } from './backoff.ts';

/** A broker that restarts is back within seconds; one attempt every ten of them is no load for one that is starting. */
const BACKOFF = { minMs: 500, maxMs: 10_000 };
const SECOND_MS = 1_000;
/** Text of a failed TLS handshake: the certificate does not become valid by waiting. */
const CERTIFICATE = /\bcertificate\b/i;

export interface StartWaitOptions {
  /**
   * How long all waiting may take, in milliseconds from now (START_TIMEOUT_MS): a failure after it is final. An attempt
   * that has begun is not cut off. 0: the first failure is final.
   */
  readonly limitMs: number;
  /** Called after each failed attempt: what is waited for and why, and for how long at most. */
  readonly onWait: (line: string) => void;
  /** Ends the waiting at once, whatever attempt is under way. */
  readonly signal?: AbortSignal | undefined;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

/**
 * Makes the attempt until it succeeds. Rejects at once with a failure that waiting does not mend, such as refused
 * credentials or a missing topic; with the last failure, and its code, when the time is up; with the reason of the signal.
 */
export type StartWait = <Value>(what: string, attempt: () => Promise<Value>) => Promise<Value>;

/** One limit for everything that a start waits for. */
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
        if (!isPassing(error)) throw error;
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
 * Whether the same attempt may succeed later. A host name that is not known counts: the names of containers and pods come
 * with them.
 */
function isPassing(error: unknown): error is SystemError {
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
  // What an abandoned attempt ends with concerns nobody.
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
