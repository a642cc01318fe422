/** Calculates contracts on the bulk lane. A message has several requests, and its reply an answer to each of them. */

import type { Contract } from './input-records.ts';
import type { RepaymentSchedule } from '../../shared/lending/request/repayment-schedule.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import { PayloadError } from '../../shared/messaging/codec/avro-message.ts';
import {
  REPLY_BATCH,
  type ReplyBatch,
  type ReplyBatchItem,
  REQUEST_BATCH,
  type RequestBatch,
} from '../../shared/messaging/codec/request-batch.ts';
import type { Reply } from '../../shared/messaging/outcome.ts';
import { readReply } from '../../shared/messaging/requester/read-reply.ts';
import type { OutgoingRequest } from '../../shared/messaging/requester/requester.ts';
import { createProblem, type Problem } from '../../shared/platform/problem.ts';

export type ContractOutcome =
  | { readonly kind: 'schedule'; readonly schedule: RepaymentSchedule; readonly warnings: string | undefined }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** Decodes the outcome when called, since the encoded answer takes less memory. */
export type LateOutcome = () => Promise<ContractOutcome>;

/** Takes at most 500 contracts; resolves with their outcomes in the same order. Rejects with the error of a request. */
export type CalculateChunk = (contracts: readonly Contract[]) => Promise<readonly LateOutcome[]>;

interface CalculateChunkOptions {
  readonly codec: Pick<Codec, 'encode' | 'decode' | 'prepare'>;
  readonly request: (request: OutgoingRequest) => Promise<Reply>;
  readonly topic: string;
  readonly partitions: number;
  readonly correlationPrefix: string;
  /** The time at which all requests count as sent (D2), so that a resumed run uses the same day. */
  readonly originTimestampMs: number;
  readonly timeoutMs: number;
}

export const REQUEST_TYPE = 'CalculateRepaymentScheduleRequest';
const ANSWER_TYPE = 'CalculateRepaymentScheduleReply';

interface Item {
  /** The line number of the contract. Its answer repeats this id, so that answers cannot be mixed up. */
  readonly id: string;
  readonly value: Buffer;
}

/** Splits a message without a usable reply into halves. A single contract without a usable reply fails. */
export function createCalculateChunk(options: CalculateChunkOptions): CalculateChunk {
  const { codec, correlationPrefix, topic, partitions, originTimestampMs, timeoutMs } = options;
  let batches = 0;
  let messages = 0;

  const ask = async (items: readonly Item[], correlationId: string): Promise<readonly LateOutcome[]> => {
    const request: OutgoingRequest = {
      topic,
      type: REQUEST_BATCH,
      payload: { items },
      partition: messages++ % partitions,
      originTimestampMs,
      timeoutMs,
      correlationId,
    };
    const reply = await options.request(request);
    const answers = answersTo(items, reply);
    if (answers !== undefined) return answers.map((answer) => () => readAnswer(codec, answer));
    if (items.length > 1) {
      // One contract can fail the whole message: it makes the answer too large, or the worker fail.
      const middle = Math.ceil(items.length / 2);
      const first = await ask(items.slice(0, middle), `${correlationId}.1`);
      return [...first, ...(await ask(items.slice(middle), `${correlationId}.2`))];
    }
    const problem = reply.kind === 'problem' ? reply.problem : unreadable();
    return items.map(() => async () => failed(problem));
  };

  return async (contracts) => {
    const correlationId = `${correlationPrefix}-${++batches}`;
    const encoded = await Promise.all(contracts.map((contract) => encodeContract(codec, contract)));
    const items = encoded.filter((item): item is Item => 'value' in item);
    const answers = items.length === 0 ? [] : await ask(items, correlationId);
    let next = 0;
    return encoded.map((item) => {
      if (!('value' in item)) return async () => failed(item);
      return answers[next++] ?? (async () => failed(unreadable()));
    });
  };
}

/** Returns a problem if a figure cannot be encoded exactly, since figures are never rounded (M1). */
async function encodeContract(
  codec: Pick<Codec, 'encode'>,
  { line, request }: Contract,
): Promise<Item | Problem> {
  try {
    const { value } = await codec.encode(REQUEST_TYPE, request, 'avro');
    return { id: String(line), value };
  } catch (error) {
    if (error instanceof PayloadError) return createProblem('not-computable', { errors: error.faults });
    throw error;
  }
}

async function readAnswer(
  codec: Pick<Codec, 'decode'>,
  { value, warnings }: ReplyBatchItem,
): Promise<ContractOutcome> {
  const reply = await readReply(codec as Codec, { value, headers: {} });
  if (reply.kind === 'problem') return failed(reply.problem);
  if (reply.type !== ANSWER_TYPE) return failed(unreadable());
  return { kind: 'schedule', schedule: reply.payload as RepaymentSchedule, warnings };
}

/** Omits the correlation id: it identifies the batch, not the contract, and would differ in a resumed run. */
function failed(problem: Problem): ContractOutcome {
  const { correlationId: _batch, ...own } = problem;
  return { kind: 'problem', problem: own };
}

function unreadable(): Problem {
  return createProblem('unexpected', { detail: 'The reply does not match the request.' });
}

/** The answers of a reply; undefined unless the reply has exactly one for each item, in the order of the items. */
function answersTo(items: RequestBatch['items'], reply: Reply): readonly ReplyBatchItem[] | undefined {
  if (reply.kind !== 'reply' || reply.type !== REPLY_BATCH) return undefined;
  const answers = (reply.payload as ReplyBatch).items;
  const areOurs =
    answers.length === items.length &&
    items.every(({ id }, index) => String(answers[index]?.id) === String(id));
  return areOurs ? answers : undefined;
}

/** Whether a reply shows that workers calculate: it answers every item, or reports that the answer is too large. */
export function isUsableReply(request: OutgoingRequest, reply: Reply): boolean {
  if (reply.kind === 'problem') return reply.problem.code === 'reply-too-large';
  return answersTo((request.payload as RequestBatch).items, reply) !== undefined;
}
