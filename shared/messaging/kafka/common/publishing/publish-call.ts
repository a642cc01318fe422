import { MessagingError } from '../../../../platform/errors.ts';
import { publishFailed } from '../../../broker-errors.ts';

/** One call of publish(): settled when all of its records are done, at the latest at its deadline. */
export class PublishCall {
  readonly promise: Promise<void>;
  readonly records: number;
  readonly bytes: number;
  readonly #clientId: string;
  readonly #settled = Promise.withResolvers<void>();
  readonly #deadline: NodeJS.Timeout;
  readonly #onSettled: (call: PublishCall) => void;
  #remaining: number;
  #failure: MessagingError | undefined;
  /** Number of its records that are stored, or may be: they are being sent, or were sent and not confirmed. */
  maybeStored = 0;
  isSettled = false;
  /** Error of the last send with one of its records; absent when only sends before it failed. */
  lastError: unknown;

  constructor(
    { clientId, deadlineMs }: { readonly clientId: string; readonly deadlineMs: number },
    { records, bytes }: { readonly records: number; readonly bytes: number },
    onSettled: (call: PublishCall) => void,
  ) {
    this.promise = this.#settled.promise;
    this.#clientId = clientId;
    this.records = records;
    this.bytes = bytes;
    this.#remaining = records;
    this.#onSettled = onSettled;
    this.#deadline = setTimeout(() => this.giveUp('the deadline passed'), deadlineMs).unref();
  }

  /** One record is on the log, or was permanently rejected with the error. */
  recordDone(error?: MessagingError): void {
    this.#failure ??= error;
    this.#remaining -= 1;
    if (this.#remaining === 0) this.#settle(this.#failure && this.#withSiblings(this.#failure));
  }

  /** Abandons the records that are not done. */
  giveUp(reason: string): void {
    const options = { isMaybeStored: this.maybeStored > 0, cause: this.lastError };
    const rejection = options.isMaybeStored ? undefined : this.#failure;
    this.#settle(rejection ?? publishFailed(this.#clientId, reason, options));
  }

  #settle(error: MessagingError | undefined): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.#deadline);
    this.#onSettled(this);
    if (error === undefined) this.#settled.resolve();
    else this.#settled.reject(error);
  }

  /** Replaces `not-sent`, which means that no record of the call was stored, if other records may have been. */
  #withSiblings(failure: MessagingError): MessagingError {
    if (failure.code !== 'not-sent' || this.maybeStored === 0) return failure;
    const text = `${failure.message}; messages of the call may have been stored`;
    return new MessagingError('send-unknown', text, { canRetry: failure.canRetry, cause: failure });
  }
}
