import type { Clock } from '../../platform/clock.ts';
import { createProblem } from '../../platform/problem.ts';
import type { Log } from '../../platform/log.ts';
import type { Codec } from '../codec.ts';
import { DeadLetters } from './dead-letter.ts';
import { decodeSafely } from './decode-safely.ts';
import { OutcomeDelivery } from './outcome-delivery.ts';
import { isPassingFailure, type Disposition, type Process } from '../processing-result.ts';
import { handleByType, type Handlers } from './handle-by-type.ts';
import { isPromise, type MaybePromise } from '../sync-or-async.ts';
import type { Outcome } from '../outcome.ts';
import { decideBy, type Policy } from './policy.ts';
import type { BrokerAdmin, Publisher } from '../ports.ts';
import { refuseExpired } from './refuse-expired.ts';
import { ReplyRouter } from './reply-router.ts';
import { readRequest, type Request } from './request.ts';
import { TopicDirectory } from './topic-directory.ts';

export interface RequestHandlingOptions {
  readonly handlers: Handlers;
  readonly codec: Codec;
  /** Carries replies to our own topics, and the outputs of handlers. */
  readonly replies: Publisher;
  /** Carries replies to everyone else's topics. */
  readonly foreignReplies: Publisher;
  /** Carries replies to partitions that took none last time; absent: the publisher of foreign replies does. */
  readonly probes?: Publisher;
  /** Absent: `replies` carries the large ones too. */
  readonly largeReplies?: Publisher;
  readonly deadLetters: Publisher;
  readonly deadLetterTopic: string;
  readonly groupId: string;
  readonly admin: Pick<BrokerAdmin, 'partitionCounts'>;
  /** Reply topics that are ours. */
  readonly ownReplyTopics: readonly string[];
  /** Topics that no reply may go to: requests, commands, dead letters. */
  readonly internalTopics: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Told about each request that was settled or put off. Must not throw. */
  readonly onHandled?: (handled: Handled) => void;
  readonly onDeadLetter?: (code: string) => void;
  /**
   * Whether a dead letter of this code counts as a failure for the breaker, so that a consumer which dead-letters most of
   * its traffic stops. Absent: none does; one bad peer then cannot stop the others.
   */
  readonly countsAsFailure?: (code: string) => boolean;
  /** Who deals with a message whose deadline has passed: it is refused unseen (default), or its handler looks at it. */
  readonly expired?: 'refuse' | 'handle';
}

/** How a request ended, for metrics. */
export interface Handled {
  /** Message type; `unknown` where none of ours was read. */
  readonly type: string;
  readonly result: 'done' | 'refused' | 'retry' | 'abandoned' | 'unexpected';
  /** The problem's code, unless done. */
  readonly code: string | undefined;
  /** From delivery to the acknowledged reply. */
  readonly durationMs: number;
}

/**
 * The handling of requests, from the record to the acknowledged reply: decode, refuse what has expired, handle by type,
 * deliver the outcome. A requester never hangs because a worker failed: whatever is thrown on the way is answered at
 * once as `unexpected`, without a word of what was thrown.
 */
export function createRequestHandling(options: RequestHandlingOptions): { readonly process: Process } {
  const { codec, clock, handlers } = options;
  const directory = new TopicDirectory(options.admin, clock);
  const router = createRouter(options, directory);
  const policies: readonly Policy[] = [
    router.admit,
    decodeSafely(codec),
    ...(options.expired === 'handle' ? [] : [refuseExpired(clock)]),
    handleByType(handlers),
  ];
  const delivery = createDelivery(options, directory, router);
  const fail = createUnexpected(options, delivery, router);
  const conclude = async (request: Request, outcome: Outcome, startedMs: number): Promise<Disposition> => {
    let disposition: Disposition;
    try {
      disposition = await delivery.deliver(request, outcome);
    } catch (error) {
      return await fail(request, error, startedMs);
    }
    router.probeEnded(request);
    const durationMs = performance.now() - startedMs;
    options.onHandled?.({ type: typeOf(request, handlers), ...resultOf(outcome), durationMs });
    return disposition === 'settled' && isTooLate(outcome) ? 'expired' : disposition;
  };
  const process: Process = (message, attempt, signal) => {
    const startedMs = performance.now();
    const request = readRequest(message, attempt, signal);
    let outcome: MaybePromise<Outcome>;
    try {
      outcome = decideBy(policies, request);
    } catch (error) {
      return fail(request, error, startedMs);
    }
    if (!isPromise(outcome)) return conclude(request, outcome, startedMs);
    return outcome.then(
      (late) => conclude(request, late, startedMs),
      (error: unknown) => fail(request, error, startedMs),
    );
  };
  return { process };
}

function createRouter(options: RequestHandlingOptions, directory: TopicDirectory): ReplyRouter {
  const { replies, foreignReplies, ownReplyTopics, internalTopics } = options;
  const { probes = foreignReplies, largeReplies = replies } = options;
  const publishers = { replies, foreignReplies, probes, largeReplies };
  return new ReplyRouter({ ...publishers, ownReplyTopics, internalTopics, directory });
}

function createDelivery(
  options: RequestHandlingOptions,
  directory: TopicDirectory,
  router: ReplyRouter,
): OutcomeDelivery {
  const { clock, codec, groupId, replies } = options;
  return new OutcomeDelivery({
    codec,
    directory,
    router,
    deadLetters: new DeadLetters({
      publisher: options.deadLetters,
      topic: options.deadLetterTopic,
      groupId,
      clock,
    }),
    replies,
    ...(options.onDeadLetter === undefined ? {} : { onDeadLetter: options.onDeadLetter }),
    ...(options.countsAsFailure === undefined ? {} : { countsAsFailure: options.countsAsFailure }),
  });
}

type Fail = (request: Request, error: unknown, startedMs: number) => Promise<Disposition>;

/**
 * Answers a bug, and makes the request a dead letter, also where the answer meets a bug of its own. Lost infrastructure
 * is thrown on.
 */
function createUnexpected(
  options: RequestHandlingOptions,
  delivery: OutcomeDelivery,
  router: ReplyRouter,
): Fail {
  const problem = createProblem('unexpected');
  const end: Fail = async (request, error, startedMs) => {
    if (isPassingFailure(error)) throw error;
    const { topic, partition, offset } = request.message;
    const type = request.decoded?.type;
    options.log.error({ err: error, topic, partition, offset, type }, 'a request failed unexpectedly');
    try {
      await delivery.fail(request, problem);
    } catch (again) {
      if (isPassingFailure(again)) throw again;
      options.log.error({ err: again, topic, partition, offset, type }, 'the error reply failed');
      await delivery.bury(request, problem);
    }
    options.onHandled?.({
      type: typeOf(request, options.handlers),
      result: 'unexpected',
      code: problem.code,
      durationMs: performance.now() - startedMs,
    });
    return 'failed';
  };
  return (request, error, startedMs) =>
    end(request, error, startedMs).finally(() => router.probeEnded(request));
}

/** Nobody waits for it any more, so it was not handled. */
function isTooLate(outcome: Outcome): boolean {
  return outcome.kind === 'refused' && outcome.problem.code === 'deadline-exceeded';
}

function resultOf(outcome: Outcome): Pick<Handled, 'result' | 'code'> {
  if (outcome.kind !== 'done') return { result: RESULTS[outcome.kind], code: outcome.problem.code };
  return outcome.end === 'failed'
    ? { result: 'unexpected', code: 'unexpected' }
    : { result: 'done', code: undefined };
}

const RESULTS = { refused: 'refused', retry: 'retry', abandon: 'abandoned' } as const;

/** Only types that are served here become the label of a metric. */
function typeOf({ decoded }: Request, handlers: Handlers): string {
  return decoded !== undefined && Object.hasOwn(handlers, decoded.type) ? decoded.type : 'unknown';
}
