import type { Problem } from '../platform/problem.ts';
import type { Encoded } from './codec.ts';
import type { OutgoingMessage } from './message.ts';
import type { ReplyContent } from './reply.ts';

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
