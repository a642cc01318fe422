import { SystemError } from '../platform/errors.ts';
import type { LogMessage } from './message.ts';

/**
 * What the runtime does with a message that was processed. `retryAfterMs`: processed again after the delay, followers of
 * its key wait, nothing beyond it is committed. Any other is done and may be committed.
 */
export type Disposition = WorkEnd | { readonly retryAfterMs: number };

/**
 * How a message ended that is not processed again by itself. `settled`: as it should, refusals included. `failed`:
 * unexpectedly, which was answered or stored. `dead-lettered`: stored as a dead letter that counts as a failure.
 * `expired`: it was refused because nobody waits for it any more, which says nothing about those that are handled.
 */
export type WorkEnd = 'settled' | 'failed' | 'dead-lettered' | 'expired';

/**
 * Processes one message; `attempt` counts from 1, `signal` is aborted when the process stops waiting for it, `receivedMs` is
 * when this process was delivered it (monotonic milliseconds), however long it waited for others of its key since. Answers synchronously where it can: the runtime then pays for no
 * promise. A throw of lost infrastructure (`isPassingFailure`) holds the message's lane and tries again with growing
 * delays; any other throw is a bug and goes to the consumer's policy for those.
 */
export type Process = (
  message: LogMessage,
  attempt: number,
  signal: AbortSignal,
  receivedMs?: number,
) => Disposition | Promise<Disposition>;

/** Whether what was thrown is lost infrastructure, so that the same message may succeed later. */
export function isPassingFailure(error: unknown): boolean {
  return error instanceof SystemError && error.canRetry;
}
