import { assertNever } from '../../platform/errors.ts';
import type { Problem } from '../../platform/problem.ts';
import type { Codec } from '../codec.ts';
import type { OutgoingMessage } from '../message.ts';
import type { Outcome, ReplyBody } from '../outcome.ts';
import type { Publisher } from '../ports.ts';
import type { FinalResult, ProcessingResult } from '../processing-result.ts';
import { andThen, type SyncOrAsync } from '../sync-or-async.ts';
import type { DeadLetterReason, DeadLetters } from './dead-letter.ts';
import { classifyReplyError, replyDeadLetterReason } from './reply-dead-letter.ts';
import { createErrorReply, createReply, replyTooLarge } from './reply-message.ts';
import type { ReplyRouter, Route } from './reply-router.ts';
import type { Request } from './request.ts';
import type { TopicDirectory } from './topic-directory.ts';

export interface OutcomeDeliveryParts {
  readonly codec: Codec;
  readonly router: ReplyRouter;
  readonly directory: TopicDirectory;
  readonly deadLetters: DeadLetters;
  /** Publishes the outputs of handlers. */
  readonly outputs: Publisher;
  readonly onDeadLetter: ((code: string) => void) | undefined;
}

/**
 * Delivers the outcome of a request: a reply, an error reply or a dead letter. Resolves when the broker has acknowledged
 * it, so that the offset of the request can be committed. Throws or rejects with a transient failure, which is retried, or
 * a bug.
 */
export class OutcomeDelivery {
  readonly #parts: OutcomeDeliveryParts;

  constructor(parts: OutcomeDeliveryParts) {
    this.#parts = parts;
  }

  deliver(request: Request, outcome: Outcome): SyncOrAsync<ProcessingResult> {
    switch (outcome.kind) {
      case 'retry':
        return { retryAfterMs: outcome.afterMs };
      case 'abandon':
        return this.abandon(request, outcome.problem);
      case 'refused':
        return this.#refuse(request, outcome.problem);
      case 'done': {
        const { outputs = [], reply } = outcome;
        const answer = (): SyncOrAsync<FinalResult> =>
          reply === undefined ? 'settled' : this.#reply(request, reply);
        return outputs.length > 0 ? this.#parts.outputs.publish(outputs).then(answer) : answer();
      }
      default:
        return assertNever(outcome);
    }
  }

  /**
   * Answers an unexpected error with its problem and also stores the request as a dead letter, which can be redriven once
   * the bug is fixed.
   */
  async answerBug(request: Request, problem: Problem): Promise<void> {
    await this.#bury(request, toReason(problem, await this.#answerProblem(request, problem)));
  }

  /** Stores the request as a dead letter without a reply. */
  abandon(request: Request, problem: Problem): Promise<FinalResult> {
    return this.#bury(request, toReason(problem));
  }

  /** Replies with the problem; if no reply can be sent, the request becomes a dead letter. */
  async #refuse(request: Request, problem: Problem): Promise<FinalResult> {
    const why = await this.#answerProblem(request, problem);
    return why === undefined ? 'settled' : this.#bury(request, toReason(problem, why));
  }

  /** Sends the error reply; returns the reason if it cannot be sent. */
  async #answerProblem(request: Request, problem: Problem): Promise<string | undefined> {
    const route = await this.#parts.router.find(request.message);
    if (route.kind === 'fault') return replyDeadLetterReason(route.code).text;
    const reply = await createErrorReply(this.#parts.codec, request, route, problem);
    const fault = await this.#send(request, route, reply);
    return fault === 'too-large' ? 'the error reply is too large' : fault?.text;
  }

  /** Sends the reply, or else the refusal or dead letter that takes its place. */
  #reply(request: Request, body: ReplyBody): SyncOrAsync<FinalResult> {
    return andThen(this.#parts.router.find(request.message), (route) => {
      if (route.kind === 'fault') return this.#bury(request, replyDeadLetterReason(route.code));
      return andThen(createReply(this.#parts.codec, request, route, body), (reply) =>
        this.#parts.router.publish(route, reply).then(
          (): FinalResult => 'settled',
          async (error: unknown) => {
            const fault = await classifyReplyError(error, request.attempt, route, this.#parts.directory);
            if (fault === 'too-large') return this.#refuse(request, replyTooLarge(body.type));
            return this.#bury(request, fault);
          },
        ),
      );
    });
  }

  async #send(
    { attempt }: Request,
    route: Route,
    reply: OutgoingMessage,
  ): Promise<'too-large' | DeadLetterReason | undefined> {
    try {
      await this.#parts.router.publish(route, reply);
      return undefined;
    } catch (error) {
      return classifyReplyError(error, attempt, route, this.#parts.directory);
    }
  }

  async #bury(request: Request, reason: DeadLetterReason): Promise<FinalResult> {
    await this.#parts.deadLetters.write(request, reason);
    this.#parts.onDeadLetter?.(reason.code);
    return 'settled';
  }
}

function toReason({ code, detail, title, errors = [] }: Problem, further?: string): DeadLetterReason {
  const faults = errors.map(({ path, message }) => `${path} ${message}`.trim());
  const text = [detail ?? title, ...faults].join('; ');
  return { code, text: further === undefined ? text : `${text}; ${further}` };
}
