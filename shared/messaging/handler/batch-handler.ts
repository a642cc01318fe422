import type { Clock } from '../../platform/system-ports.ts';
import { createProblem, type Problem } from '../../platform/problem.ts';
import { InfrastructureError } from '../../platform/errors.ts';
import { safeHeaderText, warningsList } from '../header-text.ts';
import type { Log } from '../../platform/log.ts';
import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import type { Codec, Decoded } from '../codec.ts';
import { MAX_BATCH_REPLY_BYTES, REPLY_BATCH } from '../codec/request-batch.ts';
import type { BatchItem, EncodedBatch, ReplyBatchItem } from '../codec/request-batch.ts';
import { refused, type Outcome, isTransientFailure, type WorkProgress } from '../outcome.ts';
import { isPromise, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import { replyTooLarge, withCorrelationId } from './reply-message.ts';
import { isExpired } from './request-deadline.ts';
import { callHandler, type Handler, type Handlers, type Request } from './request.ts';
import type { WorkSlices } from './work-slices.ts';

interface BatchHandlingOptions {
  readonly handlers: Handlers;
  readonly codec: Codec;
  readonly slices: WorkSlices;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once for each batch that could be opened, unless handling it throws. Must not throw. */
  readonly onItems?: (counts: BatchCounts) => void;
}

export type BatchCounts = Record<'done' | 'refused' | 'unexpected', number>;

const STATUS_DONE = 200;

/** Handles each item as if it had been sent alone, with the origin timestamp of the batch (D2). Batches take turns. */
export function createBatchHandler(options: BatchHandlingOptions): Handler {
  const { slices } = options;
  const inProgress: Steps = new Set();
  return async (payload, request) => {
    const counted = request.progress ?? { steps: 0 };
    inProgress.add(counted);
    await slices.acquire();
    try {
      return await new BatchRun({ ...options, inProgress }, payload as EncodedBatch, request).answer();
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

type Steps = Set<Pick<WorkProgress, 'steps'>>;

class BatchRun {
  readonly #options: BatchHandlingOptions & { readonly inProgress: Steps };
  readonly #batch: EncodedBatch;
  readonly #request: Request;
  readonly #counts: BatchCounts = { done: 0, refused: 0, unexpected: 0 };

  constructor(
    options: BatchHandlingOptions & { readonly inProgress: Steps },
    batch: EncodedBatch,
    request: Request,
  ) {
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
    const { slices, codec, onItems } = this.#options;
    const answers = await this.#answerAll(opened.items);
    if (!Array.isArray(answers)) {
      onItems?.(this.#counts);
      return refused(answers);
    }
    // Encoding copies megabytes, so it gets a new slice. It is done here, so that the single replies are freed early.
    if (slices.isOver()) await this.#yield();
    const encoded = await this.#outside(codec.encode(REPLY_BATCH, { items: answers }, this.#batch.format));
    onItems?.(this.#counts);
    return { kind: 'done', reply: { type: REPLY_BATCH, payload: undefined, encoded } };
  }

  async #answerAll(items: readonly BatchItem[]): Promise<ReplyBatchItem[] | Problem> {
    const answers: ReplyBatchItem[] = [];
    let bytes = 0;
    for (const item of items) {
      if (this.#options.slices.isOver()) await this.#yield();
      if (this.#isExpired()) return createProblem('deadline-exceeded');
      const answer = await this.#answerItem(item, answers.length);
      answers.push(answer);
      // An answered item counts as progress of all batches, because the other ones only wait for their slices.
      for (const counted of this.#options.inProgress) counted.steps += 1;
      bytes += answer.value.length;
      if (bytes > MAX_BATCH_REPLY_BYTES) return replyTooLarge(REPLY_BATCH);
    }
    return answers;
  }

  async #yield(): Promise<void> {
    await this.#options.slices.yield();
    this.#assertNotStopping();
  }

  /** Waits for a value that is not available yet, and releases the slices to other batches meanwhile. */
  async #outside<T>(value: SyncOrAsync<T>): Promise<T> {
    if (!isPromise(value)) return value;
    const { slices } = this.#options;
    slices.release();
    try {
      return await value;
    } finally {
      await slices.acquire();
      this.#assertNotStopping();
    }
  }

  #isExpired(): boolean {
    return isExpired(this.#request.deadlineMs, this.#options.clock);
  }

  /** Throws when the process stops. The next owner of the partition then handles the batch. */
  #assertNotStopping(): void {
    if (!this.#request.signal.aborted) return;
    throw new InfrastructureError('work-interrupted', 'the process stops in the middle of a batch');
  }

  /** Answers an item that fails unexpectedly with a problem. Logs only the first such item of a batch. */
  async #answerItem(item: BatchItem, index: number): Promise<ReplyBatchItem> {
    try {
      const decoded = await this.#outside(item.decode());
      const outcome = await this.#outside(callHandler(this.#options.handlers, decoded, this.#request));
      return await this.#toAnswer(item, decoded, outcome);
    } catch (error) {
      if (isTransientFailure(error)) throw error;
      this.#counts.unexpected += 1;
      if (this.#counts.unexpected === 1) {
        const { topic, partition, offset } = this.#request.message;
        const at = { topic, partition, offset, item: index };
        this.#options.log.error({ err: error, ...at }, 'an item of a batch failed unexpectedly');
      }
      return this.#toProblem(item.id, createProblem('unexpected'));
    }
  }

  async #toAnswer({ id }: BatchItem, decoded: Decoded, outcome: Outcome): Promise<ReplyBatchItem> {
    if (outcome.kind === 'retry')
      throw new InfrastructureError(outcome.problem.code, 'an item of the batch must be retried');
    if (outcome.kind !== 'done') {
      const answer = await this.#toProblem(id, outcome.problem);
      this.#counts.refused += 1;
      return answer;
    }
    const { reply, outputs } = outcome;
    if (reply === undefined || outputs !== undefined)
      throw new Error('an item of a batch must have a reply and no outputs');
    const ignoredFields = decoded.kind === 'decoded' ? (decoded.warnings ?? []) : [];
    const warnings = warningsList(ignoredFields, reply.warnings);
    const calendar = reply.holidayCalendar;
    const holidayCalendar = calendar === undefined ? undefined : safeHeaderText(calendar);
    const value = reply.encoded?.value ?? (await this.#encode(reply.type, reply.payload));
    this.#counts.done += 1;
    return { id, status: STATUS_DONE, value, warnings, holidayCalendar };
  }

  async #toProblem(id: BatchItem['id'], problem: Problem): Promise<ReplyBatchItem> {
    const value = await this.#encode(PROBLEM_TYPE, withCorrelationId(problem, this.#request.correlationId));
    return { id, status: problem.status, value, warnings: undefined, holidayCalendar: undefined };
  }

  async #encode(type: string, payload: unknown): Promise<Buffer> {
    return (await this.#outside(this.#options.codec.encode(type, payload, this.#batch.format))).value;
  }
}
