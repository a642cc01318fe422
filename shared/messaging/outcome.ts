import type { Problem } from '../platform/problem.ts';
import type { Encoded } from './codec.ts';
import type { OutgoingMessage } from './message.ts';
import type { ReplyContent } from './reply.ts';

/**
 * A handler's decision about a message. Expected refusals are values; a throw means unavailable infrastructure
 * (InfrastructureError: the message is retried, nothing is committed) or a bug (answered as `unexpected`).
 */
export type Outcome =
  /**
   * The work is done: `reply` answers the requester (if the message names a reply topic), `outputs` are published as they
   * are. `failed`: it still counts as a failure for the circuit breaker.
   */
  | {
      readonly kind: 'done';
      readonly reply?: ReplyBody;
      readonly outputs?: readonly OutgoingMessage[];
      readonly failed?: true;
    }
  /** The request can never be served: an error reply, or a dead letter where no reply can be sent. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** A transient fault: the same message is handled again after the delay, later messages of its key wait. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly problem: Problem }
  /** No reply at all: the message becomes a dead letter with the problem as its reason. */
  | { readonly kind: 'abandon'; readonly problem: Problem };

/** A reply that the codec encodes in the format of the request. */
export interface ReplyBody extends ReplyContent {
  /** The payload in that format, where it is already encoded; `payload` is ignored then. */
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
