import type { Clock } from '../../platform/clock.ts';
import { InfrastructureError } from '../../platform/errors.ts';
import { createProblem, type Problem, type Warning } from '../../platform/problem.ts';
import type { Log } from '../../platform/log.ts';
import type { Codec, Decoded } from '../codec.ts';
import { HEADER } from '../header-names.ts';
import type { LogMessage } from '../message.ts';
import { refused, type Outcome } from '../outcome.ts';
import type { BrokerAdmin, Publisher } from '../ports.ts';
import {
  isTransientFailure,
  type Process,
  type ProcessingResult,
  type WorkProgress,
} from '../processing-result.ts';
import { andThen, isPromise, type SyncOrAsync } from '../sync-or-async.ts';
import { DeadLetters } from './dead-letter.ts';
import { OutcomeDelivery } from './outcome-delivery.ts';
import { ReplyRouter, type ReplyRouterOptions } from './reply-router.ts';
import { callHandler, isExpired, readRequest, type Handlers, type Request } from './request.ts';
import { findTimeFault } from './request-time.ts';
import { TopicDirectory } from './topic-directory.ts';

export interface RequestHandlingOptions extends ReplyRouterOptions {
  readonly handlers: Handlers;
  readonly codec: Codec;
  readonly deadLetters: Publisher;
  readonly deadLetterTopic: string;
  readonly groupId: string;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each request that was completed or will be retried. Must not throw. */
  readonly onHandled?: (handled: Handled) => void;
  readonly onDeadLetter?: (code: string) => void;
  /** Whether a message whose deadline has passed is refused (default) or passed to its handler. */
  readonly expired?: 'refuse' | 'handle';
  /** What becomes of a refused message. Default: an error reply, or a dead letter without a reply address. */
  readonly onRefused?: (request: Request, problem: Problem) => SyncOrAsync<Outcome>;
}

/** How a request was handled, for metrics. */
export interface Handled {
  /** Message type; `unknown` if there is no handler for it. */
  readonly type: string;
  readonly result: 'done' | 'refused' | 'retry' | 'abandoned' | 'unexpected';
  /** The problem's code, unless done. */
  readonly code: string | undefined;
  /** From delivery to the acknowledged reply. */
  readonly durationMs: number;
}

/**
 * Messages of one consumer that wait for the schema registry at the same time. Further ones are retried later, so that the other
 * places stay free for messages whose schema is known.
 */
const MAX_WAITING_FOR_SCHEMAS = 8;
/** One error for thousands of messages: the stack of each would take longer than its attempt. */
const REGISTRY_SLOW = new InfrastructureError(
  'schema-registry-slow',
  'many messages wait for the schema registry',
);
const UNEXPECTED = createProblem('unexpected');
const INVALID_TIME: Warning = { code: 'no-effect', path: HEADER.originTimestamp };
const RESULTS = { refused: 'refused', retry: 'retry', abandon: 'abandoned' } as const;

/**
 * Handles requests from the record to the acknowledged reply: decodes, refuses expired ones, calls the handler and delivers
 * its outcome. A requester always gets a reply: an unexpected error is answered with `unexpected`, without details.
 */
export function createRequestHandling(options: RequestHandlingOptions): { readonly process: Process } {
  const handling = new RequestHandling(options);
  return {
    process: (message, attempt, signal, progress) => handling.process(message, attempt, signal, progress),
  };
}

class RequestHandling {
  readonly #options: RequestHandlingOptions;
  readonly #router: ReplyRouter;
  readonly #delivery: OutcomeDelivery;
  #waitingForSchemas = 0;

  constructor(options: RequestHandlingOptions) {
    this.#options = options;
    const { clock, groupId } = options;
    const directory = new TopicDirectory(options.admin, options.monotonic);
    this.#router = new ReplyRouter(options, directory);
    this.#delivery = new OutcomeDelivery({
      codec: options.codec,
      router: this.#router,
      directory,
      deadLetters: new DeadLetters({
        publisher: options.deadLetters,
        topic: options.deadLetterTopic,
        groupId,
        clock,
      }),
      outputs: options.replies,
      onDeadLetter: options.onDeadLetter,
    });
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
    let outcome: SyncOrAsync<Outcome>;
    try {
      outcome = this.#decide(request);
    } catch (error) {
      return this.#fail(request, error, startedMs);
    }
    if (!isPromise(outcome)) return this.#conclude(request, outcome, startedMs);
    return outcome.then(
      (late) => this.#conclude(request, late, startedMs),
      (error: unknown) => this.#fail(request, error, startedMs),
    );
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

  #conclude(request: Request, outcome: Outcome, startedMs: number): SyncOrAsync<ProcessingResult> {
    let result: SyncOrAsync<ProcessingResult>;
    try {
      result = this.#delivery.deliver(request, outcome);
    } catch (error) {
      return this.#fail(request, error, startedMs);
    }
    if (!isPromise(result)) return this.#delivered(request, outcome, result, startedMs);
    return result.then(
      (late) => this.#delivered(request, outcome, late, startedMs),
      (error: unknown) => this.#fail(request, error, startedMs),
    );
  }

  #delivered(
    request: Request,
    outcome: Outcome,
    result: ProcessingResult,
    startedMs: number,
  ): ProcessingResult {
    this.#report(request, toMetrics(outcome), startedMs);
    return result;
  }

  /**
   * Answers an unexpected error and stores the request as a dead letter, even if the error reply fails unexpectedly too.
   * Rethrows transient failures.
   */
  async #fail(request: Request, error: unknown, startedMs: number): Promise<ProcessingResult> {
    if (isTransientFailure(error)) throw error;
    this.#logBug(request, error, 'a request failed unexpectedly');
    try {
      await this.#delivery.answerBug(request, UNEXPECTED);
    } catch (again) {
      if (isTransientFailure(again)) throw again;
      this.#logBug(request, again, 'the error reply failed');
      await this.#delivery.abandon(request, UNEXPECTED);
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
    // Other types must not become labels of metrics, since requesters choose them.
    const label = type !== undefined && Object.hasOwn(handlers, type) ? type : 'unknown';
    onHandled?.({ type: label, ...how, durationMs: monotonic.elapsedMs() - startedMs });
  }
}

function toMetrics(outcome: Outcome): Pick<Handled, 'result' | 'code'> {
  return outcome.kind === 'done'
    ? { result: 'done', code: undefined }
    : { result: RESULTS[outcome.kind], code: outcome.problem.code };
}
