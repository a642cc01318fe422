import type { Clock } from '../../platform/system-ports.ts';
import { InfrastructureError, assertNever } from '../../platform/errors.ts';
import { createProblem, type Problem, type Warning } from '../../platform/problem.ts';
import type { Log } from '../../platform/log.ts';
import type { Codec, Decoded } from '../codec.ts';
import { HEADER } from '../headers.ts';
import type { LogMessage } from '../message.ts';
import { refused, isTransientFailure } from '../outcome.ts';
import type { Outcome, Process, ProcessingResult, WorkProgress, ReplyBody, FinalResult } from '../outcome.ts';
import type { Publisher } from '../ports.ts';
import { andThen, isPromise, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import { DeadLetters, type DeadLetterReason } from './dead-letter.ts';
import { ReplyRouter, replyDeadLetterReason, type ReplyRouterOptions } from './reply-router.ts';
import { isExpired } from './request-deadline.ts';
import { callHandler, readRequest, findTimeFault } from './request.ts';
import type { Handlers, Request } from './request.ts';
import { createErrorReply, createReply, replyTooLarge } from './reply-message.ts';

export interface RequestHandlingOptions extends ReplyRouterOptions {
  readonly handlers: Handlers;
  readonly codec: Codec;
  readonly deadLetters: Pick<Publisher, 'publish'>;
  readonly deadLetterTopic: string;
  readonly groupId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each request that was completed, or whose handler asked for a retry. Must not throw. */
  readonly onHandled?: (handled: Handled) => void;
  readonly onDeadLetter?: (code: string) => void;
  /** What happens to a message after its deadline: it is refused (default), or passed to its handler. */
  readonly expired?: 'refuse' | 'handle';
  /** Decides about a message that is undecodable, or refused by its handler. Default: error reply, else dead letter. */
  readonly onRefused?: (request: Request, problem: Problem) => SyncOrAsync<Outcome>;
}

export interface Handled {
  /** Message type; `unknown` if there is no handler for it. */
  readonly type: string;
  readonly result: 'done' | 'refused' | 'retry' | 'abandoned' | 'unexpected';
  readonly code: string | undefined;
  readonly durationMs: number;
}

/** Maximum number of messages that wait for the registry. Others are retried later, to leave room for known schemas. */
const MAX_WAITING_FOR_SCHEMAS = 8;
/** Thousands of messages share one error: collecting a stack for each would take longer than its attempt. */
const REGISTRY_SLOW = new InfrastructureError(
  'schema-registry-slow',
  'many messages wait for the schema registry',
);
const UNEXPECTED = createProblem('unexpected');
const INVALID_TIME: Warning = { code: 'no-effect', path: HEADER.originTimestamp };
const RESULTS = { done: 'done', refused: 'refused', retry: 'retry', abandon: 'abandoned' } as const;

/** Handles requests up to the acknowledged reply. A bug is answered with `unexpected`, without details. */
export function createRequestHandling(options: RequestHandlingOptions): { readonly process: Process } {
  const handling = new RequestHandling(options);
  return { process: handling.process.bind(handling) };
}

class RequestHandling {
  readonly #options: RequestHandlingOptions;
  readonly #router: ReplyRouter;
  #waitingForSchemas = 0;

  constructor(options: RequestHandlingOptions) {
    this.#options = options;
    this.#router = new ReplyRouter(options);
  }

  process(
    message: LogMessage,
    attempt: number,
    signal: AbortSignal,
    progress: WorkProgress | undefined,
  ): SyncOrAsync<ProcessingResult> {
    const startedMs = this.#options.monotonic.elapsedMs();
    const request = readRequest(message, attempt, signal, progress);
    request.timeFault = findTimeFault(message, this.#options.clock.now());
    const fail = (error: unknown) => this.#fail(request, error, startedMs);
    try {
      const result = andThen(this.#decide(request), (outcome) =>
        andThen(this.#deliver(request, outcome), (delivered) => {
          const code = outcome.kind === 'done' ? undefined : outcome.problem.code;
          this.#report(request, { result: RESULTS[outcome.kind], code }, startedMs);
          return delivered;
        }),
      );
      return isPromise(result) ? result.catch(fail) : result;
    } catch (error) {
      return fail(error);
    }
  }

  #decide(request: Request): SyncOrAsync<Outcome> {
    this.#router.admit(request.message);
    const decoded = this.#options.codec.decode(request.message);
    if (!isPromise(decoded)) return this.#handle(request, decoded);
    if (this.#waitingForSchemas >= MAX_WAITING_FOR_SCHEMAS) {
      decoded.catch(() => undefined);
      throw REGISTRY_SLOW;
    }
    this.#waitingForSchemas += 1;
    return decoded
      .finally(() => {
        this.#waitingForSchemas -= 1;
      })
      .then((late) => this.#handle(request, late));
  }

  #handle(request: Request, decoded: Decoded): SyncOrAsync<Outcome> {
    const { handlers, clock, expired, onRefused } = this.#options;
    request.format = decoded.format;
    if (decoded.kind === 'decoded') {
      request.type = decoded.type;
      request.warnings = decoded.warnings;
      if (request.timeFault?.path === HEADER.originTimestamp) {
        request.warnings = [...(decoded.warnings ?? []), INVALID_TIME];
      }
      // Expired requests are refused without calculation, to work off the backlog of an outage fast.
      if (expired !== 'handle' && isExpired(request.deadlineMs, clock)) {
        return refused(createProblem('deadline-exceeded'));
      }
    }
    const outcome = callHandler(handlers, decoded, request);
    if (onRefused === undefined) return outcome;
    return andThen(outcome, (ended) =>
      ended.kind === 'refused' ? onRefused(request, ended.problem) : ended,
    );
  }

  /** Resolves when the broker has acknowledged what was sent. Rejects with a transient failure, or a bug. */
  #deliver(request: Request, outcome: Outcome): SyncOrAsync<ProcessingResult> {
    switch (outcome.kind) {
      case 'retry':
        return { retryAfterMs: outcome.afterMs };
      case 'abandon':
        return this.#bury(request, toReason(outcome.problem));
      case 'refused':
        return this.#refuse(request, outcome.problem);
      case 'done': {
        const { outputs = [], reply } = outcome;
        const answer = (): SyncOrAsync<FinalResult> =>
          reply === undefined ? 'settled' : this.#reply(request, reply);
        return outputs.length > 0 ? this.#options.replies.publish(outputs).then(answer) : answer();
      }
      default:
        return assertNever(outcome);
    }
  }

  #reply(request: Request, body: ReplyBody): SyncOrAsync<FinalResult> {
    return andThen(this.#router.find(request.message), (route) => {
      if (route.kind === 'fault') return this.#bury(request, replyDeadLetterReason(route.code));
      return andThen(createReply(this.#options.codec, request, route, body), (reply) =>
        this.#router.publish(route, reply).then(
          (): FinalResult => 'settled',
          async (error: unknown) => {
            const fault = await this.#router.classify(error, request.attempt, route);
            if (fault === 'too-large') return this.#refuse(request, replyTooLarge(body.type));
            return this.#bury(request, fault);
          },
        ),
      );
    });
  }

  async #refuse(request: Request, problem: Problem): Promise<FinalResult> {
    const why = await this.#answerProblem(request, problem);
    return why === undefined ? 'settled' : this.#bury(request, toReason(problem, why));
  }

  async #answerProblem(request: Request, problem: Problem): Promise<string | undefined> {
    const route = await this.#router.find(request.message);
    if (route.kind === 'fault') return replyDeadLetterReason(route.code).text;
    const reply = await createErrorReply(this.#options.codec, request, route, problem);
    try {
      await this.#router.publish(route, reply);
      return undefined;
    } catch (error) {
      const fault = await this.#router.classify(error, request.attempt, route);
      return fault === 'too-large' ? 'the error reply is too large' : fault.text;
    }
  }

  async #bury(request: Request, reason: DeadLetterReason): Promise<FinalResult> {
    const { deadLetters: publisher, deadLetterTopic: topic, groupId, clock, onDeadLetter } = this.#options;
    await new DeadLetters({ publisher, topic, groupId, clock }).write(request, reason);
    onDeadLetter?.(reason.code);
    return 'settled';
  }

  /** Rethrows transient failures. After a bug, sends an error reply and stores the request as a dead letter. */
  async #fail(request: Request, error: unknown, startedMs: number): Promise<ProcessingResult> {
    if (isTransientFailure(error)) throw error;
    this.#logBug(request, error, 'a request failed unexpectedly');
    try {
      await this.#bury(request, toReason(UNEXPECTED, await this.#answerProblem(request, UNEXPECTED)));
    } catch (again) {
      if (isTransientFailure(again)) throw again;
      this.#logBug(request, again, 'the error reply failed');
      await this.#bury(request, toReason(UNEXPECTED));
    }
    this.#report(request, { result: 'unexpected', code: UNEXPECTED.code }, startedMs);
    return 'failed';
  }

  #logBug({ message, type }: Request, error: unknown, text: string): void {
    const { topic, partition, offset } = message;
    this.#options.log.error({ err: error, topic, partition, offset, type }, text);
  }

  #report({ type }: Request, how: Pick<Handled, 'result' | 'code'>, startedMs: number): void {
    const { handlers, monotonic, onHandled } = this.#options;
    // Other types must not become labels of metrics, because requesters choose them.
    const label = type !== undefined && Object.hasOwn(handlers, type) ? type : 'unknown';
    onHandled?.({ type: label, ...how, durationMs: monotonic.elapsedMs() - startedMs });
  }
}

function toReason({ code, detail, title, errors = [] }: Problem, further?: string): DeadLetterReason {
  const faults = errors.map(({ path, message }) => `${path} ${message}`.trim());
  const text = [detail ?? title, ...faults].join('; ');
  return { code, text: further === undefined ? text : `${text}; ${further}` };
}
