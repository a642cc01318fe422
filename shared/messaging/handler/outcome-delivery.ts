import { assertNever, InfrastructureError, MessagingError } from '../../platform/errors.ts';
import type { Problem } from '../../platform/problem.ts';
import type { Codec } from '../codec.ts';
import type { DeadLetterReason, DeadLetters } from './dead-letter.ts';
import { isPassingFailure, type Disposition, type WorkEnd } from '../processing-result.ts';
import type { OutgoingMessage } from '../message.ts';
import type { Outcome, ReplyBody } from '../outcome.ts';
import type { Publisher } from '../ports.ts';
import { createErrorReply, createReply, replyTooLarge } from './reply-message.ts';
import type { ReplyFault, ReplyRoute, ReplyRouter } from './reply-router.ts';
import type { Request } from './request.ts';
import type { TopicDirectory } from './topic-directory.ts';

export interface DeliveryParts {
  readonly codec: Codec;
  readonly router: ReplyRouter;
  readonly directory: TopicDirectory;
  readonly deadLetters: DeadLetters;
  /** Takes the outputs of handlers. */
  readonly replies: Publisher;
  readonly onDeadLetter?: (code: string) => void;
  /** Whether a dead letter of this code counts as a failure for the breaker; absent: none does. */
  readonly countsAsFailure?: (code: string) => boolean;
}

const FAULT_TEXT: Readonly<Record<ReplyFault, string>> = {
  'no-reply-address': 'the message names no reply topic',
  'reply-topic-unknown': 'the reply topic does not exist',
  'reply-topic-refused': 'the reply topic is internal',
  'reply-partition-invalid': 'the reply partition does not exist',
  'reply-undeliverable': 'the reply topic takes no replies',
};

type Route = Extract<ReplyRoute, { kind: 'route' }>;

/** Why a reply was not taken and never will be. */
type SendFault = 'too-large' | DeadLetterReason;

/**
 * Carries out what was decided: reply, error reply or dead letter. Whatever ends here left a trace that was
 * acknowledged by the broker, so that its offset may be committed. Rejects with lost infrastructure (try again), or
 * with a bug.
 */
export class OutcomeDelivery {
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  async deliver(request: Request, outcome: Outcome): Promise<Disposition> {
    switch (outcome.kind) {
      case 'retry':
        return { retryAfterMs: outcome.afterMs };
      case 'abandon':
        return this.#bury(request, reasonOf(outcome.problem));
      case 'refused':
        return this.refuse(request, outcome.problem);
      case 'done':
        if (outcome.outputs !== undefined && outcome.outputs.length > 0) {
          await this.#parts.replies.publish(outcome.outputs);
        }
        return this.#finish(request, outcome);
      default:
        return assertNever(outcome);
    }
  }

  /** Answers with the problem; where nobody can be answered, the request becomes a dead letter. */
  async refuse(request: Request, problem: Problem): Promise<WorkEnd> {
    const why = await this.#answer(request, problem);
    if (why === undefined) return 'settled';
    const { code, text } = reasonOf(problem);
    return this.#bury(request, { code, text: `${text}; ${why}` });
  }

  /**
   * Answers a bug with its problem, and makes the request a dead letter either way: the requester knows at once, and an
   * operator can send it again once the bug is mended.
   */
  async fail(request: Request, problem: Problem): Promise<void> {
    const why = await this.#answer(request, problem);
    const { code, text } = reasonOf(problem);
    await this.#bury(request, { code, text: why === undefined ? text : `${text}; ${why}` });
  }

  /** Makes the request a dead letter. */
  async bury(request: Request, problem: Problem): Promise<void> {
    await this.#bury(request, reasonOf(problem));
  }

  /** Sends the error reply; answers why it cannot be sent, if so. */
  async #answer(request: Request, problem: Problem): Promise<string | undefined> {
    const route = await this.#parts.router.find(request.message);
    if (route.kind === 'fault') return FAULT_TEXT[route.code];
    const fault = await this.#send(route, await createErrorReply(this.#parts.codec, request, route, problem));
    return fault === 'too-large' ? 'the error reply is too large' : fault?.text;
  }

  async #finish(request: Request, { reply, end }: Extract<Outcome, { kind: 'done' }>): Promise<WorkEnd> {
    if (reply === undefined) return end ?? 'settled';
    const answered = await this.#reply(request, reply);
    return answered === 'answered' ? (end ?? 'settled') : answered;
  }

  async #reply(request: Request, body: ReplyBody): Promise<WorkEnd | 'answered'> {
    const route = await this.#parts.router.find(request.message);
    if (route.kind === 'fault') {
      return this.#bury(request, { code: route.code, text: FAULT_TEXT[route.code] });
    }
    const fault = await this.#send(route, await createReply(this.#parts.codec, request, route, body));
    if (fault === undefined) return 'answered';
    if (fault === 'too-large') return this.refuse(request, replyTooLarge(body.type));
    return this.#bury(request, fault);
  }

  /**
   * Answers why the reply will never be taken: the fault of the reply, or of its topic. Rejects with lost infrastructure,
   * which a partition whose leader does not answer is, however well the others are.
   */
  async #send(route: Route, reply: OutgoingMessage): Promise<SendFault | undefined> {
    try {
      await this.#parts.router.publish(route, reply);
      return undefined;
    } catch (error) {
      if (!(error instanceof MessagingError) || isPassingFailure(error)) throw error;
      if (error.code === 'message-too-large') return 'too-large';
      const code = error.code === 'topic-unknown' ? await this.#missing(route) : 'reply-undeliverable';
      const text =
        code === 'reply-undeliverable' ? `the reply topic took no reply: ${error.code}` : FAULT_TEXT[code];
      return { code, text };
    }
  }

  /** What a publisher did not find, as the brokers say now; one that does find it may only be behind the others. */
  async #missing({ topic, partition }: Route): Promise<ReplyFault> {
    const count = await this.#parts.directory.askAgain(topic);
    if (count === undefined) return 'reply-topic-unknown';
    if (partition >= count) return 'reply-partition-invalid';
    const what = `partition ${partition} of ${topic} was not found by the publisher, and by the broker that was asked it was`;
    throw new InfrastructureError('reply-topic-unsettled', what);
  }

  async #bury(request: Request, reason: DeadLetterReason): Promise<WorkEnd> {
    await this.#parts.deadLetters.write(request, reason);
    this.#parts.onDeadLetter?.(reason.code);
    return this.#parts.countsAsFailure?.(reason.code) === true ? 'dead-lettered' : 'settled';
  }
}

function reasonOf(problem: Problem): DeadLetterReason {
  return { code: problem.code, text: problem.detail ?? problem.title };
}
