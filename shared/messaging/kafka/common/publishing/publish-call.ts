import { MessagingError } from '../../../../platform/errors.ts';
import { publishFailed } from '../../../broker-errors.ts';

/** One call of publish(): settled when all of its records are done, at the latest at its deadline. */
export class PublishCall {
  readonly promise: Promise<void>;
  readonly deadlineAt: number;
  readonly records: number;
  readonly bytes: number;
  readonly #clientId: string;
  readonly #settled = Promise.withResolvers<void>();
  #remaining: number;
  #failure: MessagingError | undefined;
  /** Number of its records in sends that have not ended. */
  inFlight = 0;
  /** Number of its records that were sent and not confirmed. */
  unsure = 0;
  #isStored = false;
  isSettled = false;
  /** Error of the last send with one of its records; absent when only sends before it failed. */
  lastError: unknown;

  constructor(
    clientId: string,
    { records, bytes }: { readonly records: number; readonly bytes: number },
    deadlineAt: number,
  ) {
    this.promise = this.#settled.promise;
    this.#clientId = clientId;
    this.records = records;
    this.bytes = bytes;
    this.#remaining = records;
    this.deadlineAt = deadlineAt;
  }

  /** One record is on the log, or was permanently rejected with the error. */
  recordDone(error?: MessagingError): void {
    if (error === undefined) this.#isStored = true;
    else this.#failure ??= error;
    this.#remaining -= 1;
    if (this.#remaining > 0 || this.isSettled) return;
    this.isSettled = true;
    if (this.#failure === undefined) this.#settled.resolve();
    else this.#settled.reject(this.#withSiblings(this.#failure));
  }

  /** Abandons the records that are not done. */
  giveUp(reason: string): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const isMaybeStored = this.#isMaybeStored();
    const rejection = isMaybeStored ? undefined : this.#failure;
    this.#settled.reject(
      rejection ?? publishFailed(this.#clientId, reason, { isMaybeStored, cause: this.lastError }),
    );
  }

  /** Replaces `not-sent`, which means that no record of the call was stored, if other records may have been. */
  #withSiblings(failure: MessagingError): MessagingError {
    if (failure.code !== 'not-sent' || !this.#isMaybeStored()) return failure;
    const text = `${failure.message}; messages of the call may have been stored`;
    return new MessagingError('send-unknown', text, { canRetry: failure.canRetry, cause: failure });
  }

  #isMaybeStored(): boolean {
    return this.#isStored || this.unsure > 0 || this.inFlight > 0;
  }
}
