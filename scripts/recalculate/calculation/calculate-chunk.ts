/** Has contracts calculated: one message of requests on the bulk lane, one reply with an answer for each. */

import type { RepaymentSchedule } from '../../../shared/lending/request/repayment-schedule.ts';
import { PayloadError } from '../../../shared/messaging/codec/avro-faults.ts';
import type { Codec } from '../../../shared/messaging/codec.ts';
import { isPromise, type SyncOrAsync } from '../../../shared/messaging/sync-or-async.ts';
import { readReply } from '../../../shared/messaging/requester/read-reply.ts';
import { REQUEST_BATCH, type ReplyBatchItem } from '../../../shared/messaging/codec/request-batch.ts';
import type { OutgoingRequest } from '../../../shared/messaging/requester/requester.ts';
import type { Reply } from '../../../shared/messaging/reply.ts';
import { createProblem, type Problem } from '../../../shared/platform/problem.ts';
import type { Contract } from '../input/records.ts';
import { answersTo, countFailingBatches, isUsableReply } from './usable-replies.ts';

/** What became of one contract. */
export type ContractOutcome =
  | { readonly kind: 'schedule'; readonly schedule: RepaymentSchedule; readonly warnings: string | undefined }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** The outcome is read from its bytes when its turn comes: until then a reply is kept as small as it came. */
export type LateOutcome = () => SyncOrAsync<ContractOutcome>;

/**
 * Has contracts calculated, at most 500; answers one outcome for each, in their order. Rejects when no reply can be had
 * any more, or none that is of use; what could not be calculated is an outcome.
 */
export type CalculateChunk = (contracts: readonly Contract[]) => Promise<readonly LateOutcome[]>;

export interface CalculateChunkOptions {
  readonly codec: Pick<Codec, 'encode' | 'decode' | 'prepare'>;
  /** Asks until there is an answer that asking again would not change; rejects when none comes. */
  readonly request: (request: OutgoingRequest) => Promise<Reply>;
  readonly topic: string;
  /** Partitions of that topic; batches go to each in turn, whatever their keys. */
  readonly partitions: number;
  /** Begins the correlation ids of all batches of this process; no other process ever uses the same. */
  readonly correlationPrefix: string;
  /** The time that every request counts as sent at (D2), so that a resumed run calculates with the same day. */
  readonly originTimestampMs: number;
  readonly timeoutMs: number;
}

export const REQUEST_TYPE = 'CalculateRepaymentScheduleRequest';
const ANSWER_TYPE = 'CalculateRepaymentScheduleReply';

interface Item {
  /** Line of the contract; comes back with its answer, so that no answer can be taken for that of another. */
  readonly id: string;
  readonly value: Buffer;
}

/** What was replied to a batch and to its halves. */
interface MetReplies {
  isAnyUsable: boolean;
  lastCode: string;
}

export function createCalculateChunk(options: CalculateChunkOptions): CalculateChunk {
  const { codec, correlationPrefix, topic, partitions, originTimestampMs, timeoutMs } = options;
  let batches = 0;
  let messages = 0;
  const failing = countFailingBatches();

  const ask = async (
    items: readonly Item[],
    correlationId: string,
    met: MetReplies,
  ): Promise<readonly LateOutcome[]> => {
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
    if (isUsableReply(request, reply)) met.isAnyUsable = true;
    else met.lastCode = reply.kind === 'problem' ? reply.problem.code : reply.type;
    const answers = answersTo(items, reply);
    if (answers !== undefined) return answers.map((answer) => () => readAnswer(codec, answer));
    if (items.length > 1) return askHalves(items, correlationId, met);
    const problem = reply.kind === 'problem' ? reply.problem : unreadable();
    return items.map(() => () => failed(problem));
  };
  /** One contract may spoil the message for all of its batch: too large an answer, or a worker that it breaks. */
  const askHalves = async (items: readonly Item[], id: string, met: MetReplies): Promise<LateOutcome[]> => {
    const middle = Math.ceil(items.length / 2);
    const first = await ask(items.slice(0, middle), `${id}.1`, met);
    return [...first, ...(await ask(items.slice(middle), `${id}.2`, met))];
  };
  const askAll = async (items: readonly Item[], id: string): Promise<readonly LateOutcome[]> => {
    const met: MetReplies = { isAnyUsable: false, lastCode: '' };
    const answers = await ask(items, id, met);
    failing.add(items.length, met.isAnyUsable, met.lastCode);
    return answers;
  };

  return async (contracts) => {
    batches += 1;
    const correlationId = `${correlationPrefix}-${batches}`;
    const encoded: (Item | Problem)[] = [];
    for (const contract of contracts) {
      const item = encodeContract(codec, contract);
      encoded.push(isPromise(item) ? await item : item);
    }
    const items = encoded.filter((item): item is Item => 'value' in item);
    const answers = items.length === 0 ? [] : await askAll(items, correlationId);
    let next = 0;
    return encoded.map((item) => {
      if (!('value' in item)) return () => failed(item);
      return answers[next++] ?? (() => failed(unreadable()));
    });
  };
}

/** A request whose figures have no exact place in the message is refused as such, never rounded (M1). */
function encodeContract(
  codec: Pick<Codec, 'encode'>,
  { line, request }: Contract,
): SyncOrAsync<Item | Problem> {
  const id = String(line);
  try {
    const encoding = codec.encode(REQUEST_TYPE, request, 'avro');
    if (!isPromise(encoding)) return { id, value: encoding.value };
    return encoding.then(({ value }) => ({ id, value }), problemOfPayload);
  } catch (error) {
    return problemOfPayload(error);
  }
}

function problemOfPayload(error: unknown): Problem {
  if (error instanceof PayloadError) return createProblem('not-computable', { errors: error.faults });
  throw error;
}

function readAnswer(codec: Pick<Codec, 'decode'>, answer: ReplyBatchItem): SyncOrAsync<ContractOutcome> {
  const reply = readReply(codec as Codec, { value: answer.value, headers: {} });
  if (isPromise(reply)) return reply.then((late) => outcomeOf(late, answer));
  return outcomeOf(reply, answer);
}

function outcomeOf(reply: Reply, { warnings }: ReplyBatchItem): ContractOutcome {
  if (reply.kind === 'problem') return failed(reply.problem);
  if (reply.type !== ANSWER_TYPE) return failed(unreadable());
  return { kind: 'schedule', schedule: reply.payload as RepaymentSchedule, warnings };
}

/** The correlation id is that of a batch, which tells nothing of the contract and is another one when a run is resumed. */
function failed(problem: Problem): ContractOutcome {
  const { correlationId, ...told } = problem;
  return { kind: 'problem', problem: correlationId === undefined ? problem : told };
}

function unreadable(): Problem {
  return createProblem('unexpected', { detail: 'The reply does not answer the request.' });
}
