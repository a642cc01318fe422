import type { Problem } from '../platform/problem.ts';
import type { Encoded } from './codec.ts';
import type { OutgoingMessage, LogMessage } from './message.ts';
import { SystemError } from '../platform/errors.ts';

/** Handlers return expected refusals. A thrown error with `canRetry` leads to a retry, any other is a bug (`unexpected`). */
export type Outcome =
  /** The work is done: `outputs` are published, then `reply` is sent. Without a valid reply topic the message is a dead letter. */
  | { readonly kind: 'done'; readonly reply?: ReplyBody; readonly outputs?: readonly OutgoingMessage[] }
  /** The request can never succeed: the requester gets an error reply, or the message becomes a dead letter if none can be sent. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** A transient fault: the message is handled again after the delay. Later messages with its key wait. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly problem: Problem }
  /** No reply is sent. The message becomes a dead letter with the problem as its reason. */
  | { readonly kind: 'abandon'; readonly problem: Problem };

export interface ReplyBody extends ReplyContent {
  /** The payload if it is already encoded in the format of the request. `payload` is then ignored. */
  readonly encoded?: Encoded;
}

export const done = (reply?: ReplyBody, outputs?: readonly OutgoingMessage[]): Outcome => ({
  kind: 'done',
  ...(reply === undefined ? {} : { reply }),
  ...(outputs === undefined ? {} : { outputs }),
});
export const refused = (problem: Problem): Outcome => ({ kind: 'refused', problem });
export const retry = (afterMs: number, problem: Problem): Outcome => ({ kind: 'retry', afterMs, problem });
export const abandon = (problem: Problem): Outcome => ({ kind: 'abandon', problem });

/** A field of a reply that has its own message header: the holiday calendar in plat-holiday-calendar (H2). */
export type AnswerHeader = 'holidayCalendar';

interface ReplyContent extends Readonly<Partial<Record<AnswerHeader, string>>> {
  readonly type: string;
  readonly payload: unknown;
  readonly warnings?: string;
}

export type Reply =
  | (ReplyContent & {
      readonly kind: 'reply';
      /** The reply as JSON text if a thread has rendered it. `payload` is then undefined. */
      readonly body?: Uint8Array;
    })
  | { readonly kind: 'problem'; readonly problem: Problem };

/** `retryAfterMs`: until the next attempt later messages with the key wait, and no offset beyond the message is committed. */
export type ProcessingResult = FinalResult | { readonly retryAfterMs: number };

/** `settled`: ended as expected, also with a refusal. `failed`: ended by a bug, with an error reply or a dead letter. */
export type FinalResult = 'settled' | 'failed';

export interface WorkProgress {
  /** Monotonic milliseconds at which this process received the message, possibly long before it is processed. */
  readonly receivedMs: number;
  /** A handler that takes long increments it, so that it does not look stuck. */
  steps: number;
}

/** `attempt` counts from 1. `signal` is aborted when the consumer no longer waits. A throw is retried with growing delays. */
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
