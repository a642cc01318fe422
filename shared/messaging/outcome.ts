import type { Problem } from '../platform/problem.ts';
import type { Encoded } from './codec.ts';
import type { OutgoingMessage, LogMessage } from './message.ts';
import { SystemError } from '../platform/errors.ts';

/**
 * A handler's decision about a message. Expected refusals are values. A handler throws when infrastructure is unavailable
 * (InfrastructureError: the message is retried and not committed) or because of a bug (the reply is the problem
 * `unexpected`).
 */
export type Outcome =
  /** The work is done: `reply` goes to the requester (if the message names a reply topic), and `outputs` are published. */
  | { readonly kind: 'done'; readonly reply?: ReplyBody; readonly outputs?: readonly OutgoingMessage[] }
  /** The request can never succeed: an error reply, or a dead letter where no reply can be sent. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** A transient fault: the message is handled again after the delay; later messages with its key wait. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly problem: Problem }
  /** No reply: the message becomes a dead letter with the problem as its reason. */
  | { readonly kind: 'abandon'; readonly problem: Problem };

/** A reply that the codec encodes in the format of the request. */
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

/** The content of a reply message: the payload, and the values of its headers. */
export interface ReplyContent extends Readonly<Partial<Record<AnswerHeader, string>>> {
  readonly type: string;
  readonly payload: unknown;
  /** Warnings as in header plat-warnings (E3). */
  readonly warnings?: string;
}

/** The result of a request: the reply, or a problem. */
export type Reply =
  | (ReplyContent & {
      readonly kind: 'reply';
      /** The reply as JSON text if a thread has rendered it; `payload` is then undefined. */
      readonly body?: Uint8Array;
    })
  | { readonly kind: 'problem'; readonly problem: Problem };

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
