import type { Clock } from '../../platform/clock.ts';
import { createProblem, type Problem } from '../../platform/problem.ts';
import { assertNever, InfrastructureError } from '../../platform/errors.ts';
import { safeHeaderText, warningsList } from '../../platform/header-text.ts';
import type { Log } from '../../platform/log.ts';
import type { Codec, Decoded } from '../codec.ts';
import { isPassingFailure } from '../processing-result.ts';
import { refuseType, type Handler, type Handlers, type RequestContext } from './handle-by-type.ts';
import { HEADER } from '../header-names.ts';
import { headerValue } from '../headers.ts';
import { isPromise, type MaybePromise } from '../sync-or-async.ts';
import { refused, type Outcome } from '../outcome.ts';
import { isExpired } from './refuse-expired.ts';
import { PROBLEM_TYPE, replyTooLarge, withCorrelationId } from './reply-message.ts';
import {
  type BatchItem,
  type EncodedBatch,
  MAX_BATCH_REPLY_BYTES,
  type OpenedBatch,
  REPLY_BATCH,
  type ReplyBatchItem,
} from '../codec/request-batch.ts';
import type { WorkSlices } from './work-slices.ts';

export interface BatchHandlingOptions {
  /** Handlers of the items by their type. */
  readonly handlers: Handlers;
  readonly codec: Codec;
  readonly slices: WorkSlices;
  readonly clock: Clock;
  readonly log: Log;
  /** Told once of each batch whose items were begun, unless it is tried again. Must not throw. */
  readonly onItems?: (counts: BatchCounts) => void;
}

/** How the items of a batch ended. */
export interface BatchCounts {
  done: number;
  refused: number;
  unexpected: number;
}

const STATUS_DONE = 200;

/**
 * Serves batches: every item as if it had come alone, one batch at a time, in slices; while one waits for anything, the
 * next one has them. An item that is refused, or that
 * meets a bug, is answered with its problem and does not touch the others; lost infrastructure ends the batch, which is
 * tried again as a whole. The same message gets the same bytes, whenever it is handled (D2).
 */
export function createBatchHandler(options: BatchHandlingOptions): Handler {
  const { slices } = options;
  return async (payload, context) => {
    await slices.acquire();
    try {
      return await new BatchRun(options, payload as EncodedBatch, context).answer();
    } finally {
      slices.release();
    }
  };
}

/** Refuses batches where single requests are served, and says where they are, if anywhere. */
export function refuseBatches(bulkTopic: string | undefined): Handler {
  const where =
    bulkTopic === undefined
      ? 'This topic takes one request in a message.'
      : `This topic takes one request in a message; several in one go to ${bulkTopic}.`;
  const problem = createProblem('invalid-request', { detail: where });
  return () => refused(problem);
}

/** The work on one batch. */
class BatchRun {
  readonly #options: BatchHandlingOptions;
  readonly #batch: EncodedBatch;
  readonly #context: RequestContext;
  readonly #counts: BatchCounts = { done: 0, refused: 0, unexpected: 0 };

  constructor(options: BatchHandlingOptions, batch: EncodedBatch, context: RequestContext) {
    this.#options = options;
    this.#batch = batch;
    this.#context = { ...context, isBatchItem: true };
  }

  async answer(): Promise<Outcome> {
    this.#assertWanted();
    // Others had their turn first: nobody may wait any more by now.
    if (this.#isLate()) return refused(createProblem('deadline-exceeded'));
    const opened = await this.#open();
    if (opened.kind === 'invalid') return refused(opened.problem);
    const answers = await this.#answerAll(opened.items);
    if (!Array.isArray(answers)) {
      this.#options.onItems?.(this.#counts);
      return refused(answers);
    }
    // Under the slices, since it copies megabytes; and the answers one by one need not be kept until the reply is sent.
    if (this.#options.slices.isOver()) await this.#giveWay();
    const encoding = this.#options.codec.encode(REPLY_BATCH, { items: answers }, this.#batch.format);
    const encoded = isPromise(encoding) ? await this.#outside(encoding) : encoding;
    this.#options.onItems?.(this.#counts);
    const reply = { type: REPLY_BATCH, payload: undefined, encoded };
    const hasFailed = this.#counts.unexpected * 2 >= answers.length;
    return hasFailed ? { kind: 'done', reply, end: 'failed' } : { kind: 'done', reply };
  }

  async #open(): Promise<OpenedBatch> {
    const opening = this.#batch.open();
    let opened = opening.step();
    while (opened === undefined) {
      if (this.#options.slices.isOver()) await this.#giveWay();
      opened = opening.step();
    }
    return opened;
  }

  /** The answers in the order of the items, or why there are none. */
  async #answerAll(items: readonly BatchItem[]): Promise<ReplyBatchItem[] | Problem> {
    const { slices } = this.#options;
    const answers: ReplyBatchItem[] = [];
    let bytes = 0;
    for (const item of items) {
      if (slices.isOver()) await this.#giveWay();
      const answering = this.#answerItem(item, answers.length);
      const answer = isPromise(answering) ? await answering : answering;
      if (isPromise(answering) && this.#isLate()) return createProblem('deadline-exceeded');
      answers.push(answer);
      bytes += answer.value.length;
      if (bytes > MAX_BATCH_REPLY_BYTES) return replyTooLarge(REPLY_BATCH);
    }
    return answers;
  }

  async #giveWay(): Promise<void> {
    await this.#options.slices.yield();
    this.#assertWanted();
  }

  /** Waits without the slices, which others need meanwhile; holds them again at the end, whatever it is. */
  async #outside<T>(promise: Promise<T>): Promise<T> {
    const { slices } = this.#options;
    slices.release();
    try {
      return await promise;
    } finally {
      await slices.acquire();
    }
  }

  /** Goes on with a value, under the slices: at once where it is there. */
  #goOn<T, Next>(value: MaybePromise<T>, step: (value: T) => MaybePromise<Next>): MaybePromise<Next> {
    if (!isPromise(value)) return step(value);
    return this.#outside(value).then((late) => {
      this.#assertWanted();
      return step(late);
    });
  }

  #isLate(): boolean {
    return isExpired(this.#context.deadlineMs, this.#options.clock);
  }

  /** The process stops: whoever owns the partition next does the work. */
  #assertWanted(): void {
    if (!this.#context.signal.aborted) return;
    throw new InfrastructureError('work-interrupted', 'the process stops in the middle of a batch');
  }

  #answerItem(item: BatchItem, index: number): MaybePromise<ReplyBatchItem> {
    try {
      const answer = this.#goOn(item.decode(), (decoded) =>
        this.#goOn(this.#handle(decoded), (outcome) => this.#toAnswer(item, decoded, outcome)),
      );
      return isPromise(answer) ? answer.catch((error: unknown) => this.#fail(item, index, error)) : answer;
    } catch (error) {
      return this.#fail(item, index, error);
    }
  }

  #handle(decoded: Decoded): MaybePromise<Outcome> {
    if (decoded.kind === 'undecodable') return refused(decoded.problem);
    const { handlers } = this.#options;
    const handler = Object.hasOwn(handlers, decoded.type) ? handlers[decoded.type] : undefined;
    return handler === undefined ? refuseType(decoded.type) : handler(decoded.payload, this.#context);
  }

  #toAnswer(item: BatchItem, decoded: Decoded, outcome: Outcome): MaybePromise<ReplyBatchItem> {
    switch (outcome.kind) {
      case 'done':
        return this.#toReply(item, decoded, outcome);
      case 'refused':
      case 'abandon':
        return this.#goOn(this.#toProblem(item, outcome.problem), (answer) => {
          this.#counts.refused += 1;
          return answer;
        });
      case 'retry':
        throw new InfrastructureError(outcome.problem.code, 'an item of a batch can only be handled later');
      default:
        return assertNever(outcome);
    }
  }

  #toReply(
    { id }: BatchItem,
    decoded: Decoded,
    { reply, outputs }: Extract<Outcome, { kind: 'done' }>,
  ): MaybePromise<ReplyBatchItem> {
    if (reply === undefined || outputs !== undefined)
      throw new Error('an item of a batch has an answer and nothing else');
    const own = decoded.kind === 'decoded' ? (decoded.warnings ?? []) : [];
    const warnings = warningsList(own, reply.warnings);
    const calendar = reply.headers?.holidayCalendar;
    const holidayCalendar = calendar === undefined ? undefined : safeHeaderText(calendar);
    const { codec } = this.#options;
    const encoded = reply.encoded ?? codec.encode(reply.type, reply.payload, this.#batch.format);
    return this.#goOn(encoded, ({ value }) => {
      this.#counts.done += 1;
      return { id, status: STATUS_DONE, value, warnings, holidayCalendar };
    });
  }

  #toProblem({ id }: BatchItem, problem: Problem): MaybePromise<ReplyBatchItem> {
    const { codec } = this.#options;
    const { headers } = this.#context.message;
    const named = withCorrelationId(problem, headerValue(headers, HEADER.correlationId));
    return this.#goOn(codec.encode(PROBLEM_TYPE, named, this.#batch.format), ({ value }) => ({
      id,
      status: problem.status,
      value,
      warnings: undefined,
      holidayCalendar: undefined,
    }));
  }

  /** A bug is the problem of its item; of many in one batch the log tells the first. */
  #fail(item: BatchItem, index: number, error: unknown): MaybePromise<ReplyBatchItem> {
    if (isPassingFailure(error)) throw error;
    this.#counts.unexpected += 1;
    if (this.#counts.unexpected === 1) {
      const { topic, partition, offset } = this.#context.message;
      const at = { topic, partition, offset, item: index };
      this.#options.log.error({ err: error, ...at }, 'an item of a batch failed unexpectedly');
    }
    return this.#toProblem(item, createProblem('unexpected'));
  }
}
