import type { Clock } from '../../platform/clock.ts';
import { createProblem, type Problem } from '../../platform/problem.ts';
import { assertNever, InfrastructureError } from '../../platform/errors.ts';
import { safeHeaderText, warningsList } from '../../platform/header-text.ts';
import type { Log } from '../../platform/log.ts';
import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import type { Codec, Decoded } from '../codec.ts';
import {
  type BatchItem,
  type EncodedBatch,
  MAX_BATCH_REPLY_BYTES,
  REPLY_BATCH,
  type ReplyBatchItem,
} from '../codec/request-batch.ts';
import { refused, type Outcome } from '../outcome.ts';
import { isTransientFailure, type WorkProgress } from '../processing-result.ts';
import { isPromise, type SyncOrAsync } from '../sync-or-async.ts';
import { replyTooLarge, withCorrelationId } from './reply-message.ts';
import { callHandler, isExpired, type Handler, type Handlers, type Request } from './request.ts';
import type { WorkSlices } from './work-slices.ts';

export interface BatchHandlingOptions {
  /** Handlers of the items by their type. */
  readonly handlers: Handlers;
  readonly codec: Codec;
  readonly slices: WorkSlices;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once for each batch with at least one handled item, unless it is retried. Must not throw. */
  readonly onItems?: (counts: BatchCounts) => void;
}

/** The items of a batch by their result. */
export interface BatchCounts {
  done: number;
  refused: number;
  unexpected: number;
}

const STATUS_DONE = 200;

/**
 * Handles batches in time slices, one batch at a time; while a batch waits, the next one uses the slices. Each item is
 * handled as if it had been sent alone: the reply to an item that is refused or fails unexpectedly is its problem, and the
 * other items are not affected. After a transient failure the whole batch is retried. The same message always gets the same
 * reply bytes (D2).
 */
export function createBatchHandler(options: BatchHandlingOptions): Handler {
  const { slices } = options;
  const inProgress = new Set<Steps>();
  // An item of one batch is progress of all, which wait for the slices.
  const countStep = (): void => {
    for (const counted of inProgress) counted.steps += 1;
  };
  return async (payload, request) => {
    const counted: Steps = request.progress ?? { steps: 0 };
    inProgress.add(counted);
    await slices.acquire();
    try {
      return await new BatchRun({ ...options, countStep }, payload as EncodedBatch, request).answer();
    } finally {
      slices.release();
      inProgress.delete(counted);
    }
  };
}

/** Refuses batches on a topic of single requests, and names the topic for batches if there is one. */
export function refuseBatches(bulkTopic: string | undefined): Handler {
  const single = 'This topic accepts one request per message';
  const detail = bulkTopic === undefined ? `${single}.` : `${single}; send batches to ${bulkTopic}.`;
  const problem = createProblem('invalid-request', { detail });
  return () => refused(problem);
}

type Steps = Pick<WorkProgress, 'steps'>;

interface BatchRunOptions extends BatchHandlingOptions {
  /** Called after each item. */
  readonly countStep: () => void;
}

/** One attempt at a batch. */
class BatchRun {
  readonly #options: BatchRunOptions;
  readonly #batch: EncodedBatch;
  readonly #request: Request;
  readonly #counts: BatchCounts = { done: 0, refused: 0, unexpected: 0 };

  constructor(options: BatchRunOptions, batch: EncodedBatch, request: Request) {
    this.#options = options;
    this.#batch = batch;
    this.#request = { ...request, isBatchItem: true };
  }

  async answer(): Promise<Outcome> {
    this.#assertNotStopping();
    // The deadline may have passed while other batches were handled.
    if (this.#isExpired()) return refused(createProblem('deadline-exceeded'));
    const opened = this.#batch.open();
    if (opened.kind === 'invalid') return refused(opened.problem);
    const answers = await this.#answerAll(opened.items);
    if (!Array.isArray(answers)) {
      this.#options.onItems?.(this.#counts);
      return refused(answers);
    }
    // Encoding copies megabytes, so it waits for a new slice if this one is over. Encoding here frees the single replies
    // early.
    if (this.#options.slices.isOver()) await this.#yield();
    const encoding = this.#options.codec.encode(REPLY_BATCH, { items: answers }, this.#batch.format);
    const encoded = isPromise(encoding) ? await this.#awaitOutside(encoding) : encoding;
    this.#options.onItems?.(this.#counts);
    const reply = { type: REPLY_BATCH, payload: undefined, encoded };
    return { kind: 'done', reply };
  }

  /** The answers in the order of the items, or the problem of the whole batch. */
  async #answerAll(items: readonly BatchItem[]): Promise<ReplyBatchItem[] | Problem> {
    const answers: ReplyBatchItem[] = [];
    let bytes = 0;
    for (const item of items) {
      if (this.#options.slices.isOver()) await this.#yield();
      if (this.#isExpired()) return createProblem('deadline-exceeded');
      const answering = this.#answerItem(item, answers.length);
      const answer = isPromise(answering) ? await answering : answering;
      answers.push(answer);
      this.#options.countStep();
      bytes += answer.value.length;
      if (bytes > MAX_BATCH_REPLY_BYTES) return replyTooLarge(REPLY_BATCH);
    }
    return answers;
  }

  async #yield(): Promise<void> {
    await this.#options.slices.yield();
    this.#assertNotStopping();
  }

  /** Releases the slices to other batches while it waits. */
  async #awaitOutside<T>(promise: Promise<T>): Promise<T> {
    const { slices } = this.#options;
    slices.release();
    try {
      return await promise;
    } finally {
      await slices.acquire();
    }
  }

  /** Continues with a value within the slices, synchronously where it is available. */
  #andThen<T, Next>(value: SyncOrAsync<T>, step: (value: T) => SyncOrAsync<Next>): SyncOrAsync<Next> {
    if (!isPromise(value)) return step(value);
    return this.#awaitOutside(value).then((late) => {
      this.#assertNotStopping();
      return step(late);
    });
  }

  #isExpired(): boolean {
    return isExpired(this.#request.deadlineMs, this.#options.clock);
  }

  /** Throws when the process stops; the next owner of the partition then handles the batch. */
  #assertNotStopping(): void {
    if (!this.#request.signal.aborted) return;
    throw new InfrastructureError('work-interrupted', 'the process stops in the middle of a batch');
  }

  #answerItem(item: BatchItem, index: number): SyncOrAsync<ReplyBatchItem> {
    const { handlers } = this.#options;
    try {
      const answer = this.#andThen(item.decode(), (decoded) =>
        this.#andThen(callHandler(handlers, decoded, this.#request), (outcome) =>
          this.#toAnswer(item, decoded, outcome),
        ),
      );
      return isPromise(answer) ? answer.catch((error: unknown) => this.#fail(item, index, error)) : answer;
    } catch (error) {
      return this.#fail(item, index, error);
    }
  }

  #toAnswer(item: BatchItem, decoded: Decoded, outcome: Outcome): SyncOrAsync<ReplyBatchItem> {
    switch (outcome.kind) {
      case 'done':
        return this.#toReply(item, decoded, outcome);
      case 'refused':
      case 'abandon':
        return this.#andThen(this.#toProblem(item, outcome.problem), (answer) => {
          this.#counts.refused += 1;
          return answer;
        });
      case 'retry':
        throw new InfrastructureError(outcome.problem.code, 'an item of the batch must be retried');
      default:
        return assertNever(outcome);
    }
  }

  #toReply(
    { id }: BatchItem,
    decoded: Decoded,
    { reply, outputs }: Extract<Outcome, { kind: 'done' }>,
  ): SyncOrAsync<ReplyBatchItem> {
    if (reply === undefined || outputs !== undefined)
      throw new Error('an item of a batch must have a reply and no outputs');
    const ignoredFields = decoded.kind === 'decoded' ? (decoded.warnings ?? []) : [];
    const warnings = warningsList(ignoredFields, reply.warnings);
    const calendar = reply.holidayCalendar;
    const holidayCalendar = calendar === undefined ? undefined : safeHeaderText(calendar);
    const { codec } = this.#options;
    const encoded = reply.encoded ?? codec.encode(reply.type, reply.payload, this.#batch.format);
    return this.#andThen(encoded, ({ value }) => {
      this.#counts.done += 1;
      return { id, status: STATUS_DONE, value, warnings, holidayCalendar };
    });
  }

  #toProblem({ id }: BatchItem, problem: Problem): SyncOrAsync<ReplyBatchItem> {
    const named = withCorrelationId(problem, this.#request.correlationId);
    const encoded = this.#options.codec.encode(PROBLEM_TYPE, named, this.#batch.format);
    return this.#andThen(encoded, ({ value }) => ({
      id,
      status: problem.status,
      value,
      warnings: undefined,
      holidayCalendar: undefined,
    }));
  }

  /** Answers an unexpected error with a problem; only the first one of a batch is logged. */
  #fail(item: BatchItem, index: number, error: unknown): SyncOrAsync<ReplyBatchItem> {
    if (isTransientFailure(error)) throw error;
    this.#counts.unexpected += 1;
    if (this.#counts.unexpected === 1) {
      const { topic, partition, offset } = this.#request.message;
      const at = { topic, partition, offset, item: index };
      this.#options.log.error({ err: error, ...at }, 'an item of a batch failed unexpectedly');
    }
    return this.#toProblem(item, createProblem('unexpected'));
  }
}
