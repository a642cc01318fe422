import { SystemError } from '../platform/errors.ts';
import type { LogMessage } from './message.ts';

/**
 * What the consumer does with a message that was processed. `retryAfterMs`: it is processed again after the delay, later
 * messages of its key wait, and no offset beyond it is committed. Every other result is final and may be committed.
 */
export type ProcessingResult = FinalResult | { readonly retryAfterMs: number };

/**
 * The result of a message that is not processed again. `settled`: as expected, refusals included. `failed`: unexpectedly,
 * and the failure was answered or stored as a dead letter. `expired`: refused because its deadline had passed, which says
 * nothing about the health of the handler.
 */
export type FinalResult = 'settled' | 'failed' | 'expired';

/**
 * Processes one message. `attempt` counts from 1; `signal` is aborted when the process no longer waits for it;
 * `receivedMs` is when this process received it (monotonic milliseconds), which may be long before it is its turn.
 * Answers synchronously where it can, so that the runtime needs no promise. When it throws, the message is
 * retried with growing delays; anything but a transient failure (`isTransientFailure`) counts as a failure then.
 */
export type Process = (
  message: LogMessage,
  attempt: number,
  signal: AbortSignal,
  receivedMs?: number,
) => ProcessingResult | Promise<ProcessingResult>;

/** Whether the error means that infrastructure is unavailable, so that the same message may succeed later. */
export function isTransientFailure(error: unknown): boolean {
  return error instanceof SystemError && error.canRetry;
}
