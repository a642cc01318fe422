import { MessagingError } from '../../../../platform/errors.ts';
import { publishFailed } from '../../../broker-errors.ts';
import type { OutgoingRecord } from './record.ts';

/** One call of publish(): settled when all of its records are done, at the latest at its deadline. */
export class PublishCall {
  readonly promise: Promise<void>;
  readonly deadlineAt: number;
  readonly #clientId: string;
  readonly #resolve: () => void;
  readonly #reject: (error: MessagingError) => void;
  #remaining: number;
  #failure: MessagingError | undefined;
  /** Whether one of its records is on the log, or was sent and not confirmed. */
  maybeStored = false;
  isSettled = false;
  /** Error of the last request with one of its records; absent when only requests queued before it failed. */
  lastError: unknown;

  constructor(clientId: string, records: number, deadlineAt: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#clientId = clientId;
    this.#remaining = records;
    this.deadlineAt = deadlineAt;
  }

  /** One record is on the log, or was permanently rejected with the error. */
  recordDone(error?: MessagingError): void {
    if (error === undefined) this.maybeStored = true;
    else this.#failure ??= error;
    this.#remaining -= 1;
    if (this.#remaining > 0 || this.isSettled) return;
    this.isSettled = true;
    if (this.#failure === undefined) this.#resolve();
    else this.#reject(this.#withSiblings(this.#failure));
  }

  /** Abandons the records that are not done. */
  giveUp(reason: string): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const isMaybeStored = this.maybeStored;
    const rejection = isMaybeStored ? undefined : this.#failure;
    this.#reject(
      rejection ?? publishFailed(this.#clientId, reason, { isMaybeStored, cause: this.lastError }),
    );
  }

  /** Replaces `not-sent`, which means that no record of the call was stored, if other records may have been. */
  #withSiblings(failure: MessagingError): MessagingError {
    if (failure.code !== 'not-sent' || !this.maybeStored) return failure;
    const text = `${failure.message}; messages of the call may have been stored`;
    return new MessagingError('send-unknown', text, { canRetry: failure.canRetry, cause: failure });
  }
}

/** One queued record. */
export interface PublishEntry extends OutgoingRecord {
  readonly call: PublishCall;
}
