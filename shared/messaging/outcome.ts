import type { Problem } from '../platform/problem.ts';
import type { Encoded } from './codec.ts';
import type { OutgoingMessage, LogMessage } from './message.ts';
import { SystemError } from '../platform/errors.ts';

/** Expected refusals are values. A handler throws InfrastructureError (a retry), or because of a bug (`unexpected`). */
export type Outcome =
  /** The work is done: `reply` goes to the requester (if the message names a reply topic), and `outputs` are published. */
  | { readonly kind: 'done'; readonly reply?: ReplyBody; readonly outputs?: readonly OutgoingMessage[] }
  /** The request can never succeed: an error reply, or a dead letter where no reply can be sent. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** A transient fault: the message is handled again after the delay; later messages with its key wait. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly problem: Problem }
  /** No reply: the message becomes a dead letter with the problem as its reason. */
  | { readonly kind: 'abandon'; readonly problem: Problem };

export interface ReplyBody extends ReplyContent {
  /** The payload in that format if it is already encoded; `payload` is then ignored. */
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

export interface ReplyContent extends Readonly<Partial<Record<AnswerHeader, string>>> {
  readonly type: string;
  readonly payload: unknown;
  readonly warnings?: string;
}

export type Reply =
  | (ReplyContent & {
      readonly kind: 'reply';
      /** The reply as JSON text if a thread has rendered it; `payload` is then undefined. */
      readonly body?: Uint8Array;
    })
  | { readonly kind: 'problem'; readonly problem: Problem };

/** `retryAfterMs`: until the next attempt later messages with its key wait, and no offset beyond it is committed. */
export type ProcessingResult = FinalResult | { readonly retryAfterMs: number };

/** `settled`: as expected, including refusals. `failed`: unexpected, answered or stored as a dead letter. */
export type FinalResult = 'settled' | 'failed';

export interface WorkProgress {
  /** When this process received it, possibly long before it is processed (monotonic milliseconds). */
  readonly receivedMs: number;
  /** Counted by a handler that takes long, so that it does not look stuck. */
  steps: number;
}

/** `attempt` counts from 1; `signal` is aborted when the consumer no longer waits. A throw is retried with growing delays. */
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
