import { errorText } from '../../platform/errors.ts';
import { backoffMs } from '../backoff.ts';
import { CONSUMER_DEFAULTS, type RuntimeOptions } from './consumer-options.ts';
import type { ConsumerCounters } from './consumer-stats.ts';
import { isPassingFailure, type Disposition } from '../processing-result.ts';
import { isPromise, type MaybePromise } from '../sync-or-async.ts';
import type { Work } from './work.ts';

/** Lost infrastructure fails every message alike: one line in so many milliseconds says it. */
const LOG_INTERVAL_MS = 5_000;

export interface FailureCalls {
  /** A bug held the message. */
  failed(work: Work): void;
  /** Lost infrastructure holds the message. */
  passing(): void;
}

/**
 * What a throw of the process callback means: lost infrastructure holds the message, a bug goes to the consumer's
 * policy (onUnexpected) and, where there is none or it fails itself, holds the message too. Nothing is ever skipped.
 */
export class FailurePolicy {
  readonly #options: RuntimeOptions;
  readonly #counters: ConsumerCounters;
  readonly #calls: FailureCalls;
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: RuntimeOptions, counters: ConsumerCounters, calls: FailureCalls) {
    this.#options = options;
    this.#counters = counters;
    this.#calls = calls;
  }

  /** Throws nothing and never rejects. */
  decide(work: Work, error: unknown): MaybePromise<Disposition> {
    if (isPassingFailure(error)) return this.#holdForInfrastructure(work, error);
    const { topic, partition, offset } = work.message;
    this.#options.log.error({ err: error, topic, partition, offset }, 'a message failed unexpectedly');
    if (this.#options.onUnexpected === undefined) return this.#holdAsFailed(work);
    try {
      const disposition = this.#options.onUnexpected(work.message, error);
      return isPromise(disposition)
        ? disposition.catch((again: unknown) => this.#policyFailed(work, again))
        : disposition;
    } catch (again) {
      return this.#policyFailed(work, again);
    }
  }

  #policyFailed(work: Work, error: unknown): Disposition {
    if (isPassingFailure(error)) return this.#holdForInfrastructure(work, error);
    this.#options.log.error({ err: error }, 'the policy for unexpected failures failed');
    return this.#holdAsFailed(work);
  }

  #holdAsFailed(work: Work): Disposition {
    this.#counters.failed += 1;
    this.#calls.failed(work);
    return this.#hold(work);
  }

  #holdForInfrastructure(work: Work, error: unknown): Disposition {
    this.#calls.passing();
    const nowMs = performance.now();
    if (nowMs - this.#loggedMs >= LOG_INTERVAL_MS) {
      this.#loggedMs = nowMs;
      const { topic, partition } = work.message;
      const { attempts } = work;
      this.#options.log.warn(
        { topic, partition, attempts, reason: errorText(error) },
        'infrastructure is away; messages wait',
      );
    }
    return this.#hold(work);
  }

  #hold(work: Work): Disposition {
    const { holdBackoff = CONSUMER_DEFAULTS.holdBackoff, random = Math.random } = this.#options;
    return { retryAfterMs: backoffMs(holdBackoff, work.attempts, random) };
  }
}
