import type { AnswerHeaders } from './answer-headers.ts';
import type { Encoded } from './codec.ts';
import type { OutgoingMessage } from './message.ts';
import type { Problem } from '../platform/problem.ts';

/**
 * What a handler says became of a message. Expected refusals are values; a throw means lost infrastructure
 * (InfrastructureError: the message is tried again, nothing is committed) or a bug (answered as `unexpected`).
 */
export type Outcome =
  /**
   * The work is done: `reply` answers the requester (if the message names a reply topic), `outputs` go out as they are.
   * `end` says what else counts for the breaker: that the handler itself stored it as a dead letter, or that it failed
   * although it was answered.
   */
  | {
      readonly kind: 'done';
      readonly reply?: ReplyBody;
      readonly outputs?: readonly OutgoingMessage[];
      readonly end?: 'dead-lettered' | 'failed';
    }
  /** The request cannot be served and never will be: an error reply, or a dead letter where nobody can be answered. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** A passing fault: the same message is handled again after the delay, its key's followers wait. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly problem: Problem }
  /** Give up without an answer: the message goes to the dead-letter topic with the reason. */
  | { readonly kind: 'abandon'; readonly problem: Problem };

/** A typed reply, encoded by the codec in the request's own format. */
export interface ReplyBody {
  /** Record name in the catalogue of messages. */
  readonly type: string;
  readonly payload: unknown;
  /** The payload in the request's format, where it was encoded already; the payload is not looked at then. */
  readonly encoded?: Encoded;
  /** Warnings for header plat-warnings (E3). */
  readonly warnings?: string;
  /** What else the answer tells beside its body. */
  readonly headers?: AnswerHeaders;
}

export const done = (reply?: ReplyBody, outputs?: readonly OutgoingMessage[]): Outcome => ({
  kind: 'done',
  ...(reply === undefined ? {} : { reply }),
  ...(outputs === undefined ? {} : { outputs }),
});
export const refused = (problem: Problem): Outcome => ({ kind: 'refused', problem });
export const retry = (afterMs: number, problem: Problem): Outcome => ({ kind: 'retry', afterMs, problem });
export const abandon = (problem: Problem): Outcome => ({ kind: 'abandon', problem });
