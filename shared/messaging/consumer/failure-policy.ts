import { errorText } from '../../platform/errors.ts';
import { backoffMs } from '../backoff.ts';
import { isTransientFailure, type ProcessingResult } from '../processing-result.ts';
import { isPromise, type SyncOrAsync } from '../sync-or-async.ts';
import { CONSUMER_DEFAULTS, type RuntimeOptions } from './consumer-options.ts';
import type { Work } from './offset-tracker.ts';

/** Unavailable infrastructure fails every message alike: one line in this time is enough. */
const LOG_INTERVAL_MS = 5_000;

export interface FailureCalls {
  /** A message is retried because of a bug. */
  failed(work: Work): void;
  /** A message is retried because of a transient failure. */
  transient(): void;
}

/**
 * Decides about a throw of the process callback: a transient failure is retried; a bug goes to `onUnexpected` and, where
 * there is none or it fails itself, is retried too. No message is ever skipped.
 */
export class FailurePolicy {
  readonly #options: RuntimeOptions;
  readonly #calls: FailureCalls;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: RuntimeOptions, calls: FailureCalls) {
    this.#options = options;
    this.#calls = calls;
  }

  /** Throws nothing and never rejects. */
  decide(work: Work, error: unknown): SyncOrAsync<ProcessingResult> {
    if (isTransientFailure(error)) return this.#retryTransient(work, error);
    const { topic, partition, offset } = work.message;
    this.#options.log.error({ err: error, topic, partition, offset }, 'a message failed unexpectedly');
    if (this.#options.onUnexpected === undefined) return this.#retryBug(work);
    try {
      const result = this.#options.onUnexpected(work.message, error);
      return isPromise(result) ? result.catch((again: unknown) => this.#policyFailed(work, again)) : result;
    } catch (again) {
      return this.#policyFailed(work, again);
    }
  }

  #policyFailed(work: Work, error: unknown): ProcessingResult {
    if (isTransientFailure(error)) return this.#retryTransient(work, error);
    this.#options.log.error({ err: error }, 'the policy for unexpected failures failed');
    return this.#retryBug(work);
  }

  #retryBug(work: Work): ProcessingResult {
    this.#calls.failed(work);
    return this.#retry(work);
  }

  #retryTransient(work: Work, error: unknown): ProcessingResult {
    this.#calls.transient();
    const nowMs = performance.now();
    if (nowMs - this.#loggedMs >= LOG_INTERVAL_MS) {
      this.#loggedMs = nowMs;
      const { attempts, message } = work;
      const { topic, partition } = message;
      this.#options.log.warn(
        { topic, partition, attempts, reason: errorText(error) },
        'infrastructure is unavailable; messages wait',
      );
    }
    return this.#retry(work);
  }

  #retry(work: Work): ProcessingResult {
    const { retryBackoff = CONSUMER_DEFAULTS.retryBackoff, random = Math.random } = this.#options;
    return { retryAfterMs: backoffMs(retryBackoff, work.attempts, random) };
  }
}
