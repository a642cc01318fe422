import type { Problem } from '../platform/problem.ts';
import type { Encoded } from './codec.ts';
import type { OutgoingMessage, LogMessage } from './message.ts';
import { SystemError } from '../platform/errors.ts';

/** What a handler decides. If it throws, an error with `canRetry` leads to a retry; others are bugs (`unexpected`). */
export type Outcome =
  /** `outputs` are published, then `reply`. Without a valid topic for `reply`, the message becomes a dead letter. */
  | { readonly kind: 'done'; readonly reply?: ReplyBody; readonly outputs?: readonly OutgoingMessage[] }
  /** Not handled again: the requester gets an error reply. If none can be sent, the message becomes a dead letter. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** A transient fault: the message is handled again after the delay. Later messages with the same key wait. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly problem: Problem }
  /** No reply is sent. The message becomes a dead letter with the problem as its reason. */
  | { readonly kind: 'abandon'; readonly problem: Problem };

export interface ReplyBody extends ReplyContent {
  /** The payload if it is already encoded in the format of the request. `payload` is then ignored. */
  readonly encoded?: Encoded;
  readonly sources?: AnswerSources;
}

/** What an answer was calculated from (E7). The holiday calendar is a field of its own. */
export interface AnswerSources {
  /** The day that the answer counts from, as `yyyy-mm-dd`. */
  readonly day?: string;
  /** The product and the lists of the catalogue that were read for it. */
  readonly records?: readonly {
    readonly kind: string;
    readonly code: string;
    readonly version: number;
  }[];
}

export const done = (reply?: ReplyBody, outputs?: readonly OutgoingMessage[]): Outcome => ({
  kind: 'done',
  ...(reply === undefined ? {} : { reply }),
  ...(outputs === undefined ? {} : { outputs }),
});
export const refused = (problem: Problem): Outcome => ({ kind: 'refused', problem });
export const retry = (afterMs: number, problem: Problem): Outcome => ({ kind: 'retry', afterMs, problem });
export const abandon = (problem: Problem): Outcome => ({ kind: 'abandon', problem });

/** A reply field that is sent in a header of its own: the holiday calendar in plat-holiday-calendar (H2). */
export type AnswerHeader = 'holidayCalendar';

interface ReplyContent extends Readonly<Partial<Record<AnswerHeader, string>>> {
  readonly type: string;
  readonly payload: unknown;
  readonly warnings?: string;
}

export type Reply =
  | (ReplyContent & {
      readonly kind: 'reply';
      /** As in header plat-versions (E7); undefined if a worker of an earlier release replied. */
      readonly versions?: string;
      /** The reply in `mediaType` if a thread has rendered it. `payload` is then undefined. */
      readonly body?: Uint8Array;
      readonly mediaType?: string;
    })
  | { readonly kind: 'problem'; readonly problem: Problem };

/** `retryAfterMs`: until the message is done, later ones with its key wait, and no later offset is committed. */
export type ProcessingResult = FinalResult | { readonly retryAfterMs: number };

/** `settled`: ended as expected, even by a refusal. `failed`: ended by a bug, and the message is a dead letter. */
export type FinalResult = 'settled' | 'failed';

export interface WorkProgress {
  /** Monotonic milliseconds at which this process received the message, possibly long before it is processed. */
  readonly receivedMs: number;
  /** A long-running handler increments it, so that ConsumerHealth does not report a stall. */
  steps: number;
}

/** `attempt` counts from 1. `signal` is aborted when a stopping consumer no longer waits. A throw leads to a retry. */
export type Process = (
  message: LogMessage,
  attempt: number,
  signal: AbortSignal,
  progress?: WorkProgress,
) => ProcessingResult | Promise<ProcessingResult>;

/** Whether infrastructure was unavailable, so that the same message may succeed later. */
export function isTransientFailure(error: unknown): boolean {
  return error instanceof SystemError && error.canRetry;
}
