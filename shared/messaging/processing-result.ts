import { SystemError } from '../platform/errors.ts';
import type { LogMessage } from './message.ts';

/**
 * What the consumer does with a processed message. `retryAfterMs`: the message is processed again after the delay; until
 * then, later messages with its key wait, and no offset beyond it is committed. Every other result is final, and the offset
 * may be committed.
 */
export type ProcessingResult = FinalResult | { readonly retryAfterMs: number };

/**
 * The result of a message that is not processed again. `settled`: processed as expected, including refusals. `failed`: an
 * unexpected failure, sent as an error reply or stored as a dead letter.
 */
export type FinalResult = 'settled' | 'failed';

/** The progress of a message. */
export interface WorkProgress {
  /** When this process received it, possibly long before it is processed (monotonic milliseconds). */
  readonly receivedMs: number;
  /** Counted by a handler that takes long, so that it does not look stuck. */
  steps: number;
}

/**
 * Processes one message. `attempt` counts from 1; `signal` is aborted when the consumer no longer waits for the result;
 * `progress` is that of the message. Returns synchronously where possible, so that the hot path does not need a promise. When
 * it throws, the message is retried with growing delays; an error other than a transient one (`isTransientFailure`) counts as
 * a failure.
 */
export type Process = (
  message: LogMessage,
  attempt: number,
  signal: AbortSignal,
  progress?: WorkProgress,
) => ProcessingResult | Promise<ProcessingResult>;

/** Whether the error means that infrastructure is unavailable, so that the same message may succeed later. */
export function isTransientFailure(error: unknown): boolean {
  return error instanceof SystemError && error.canRetry;
}
