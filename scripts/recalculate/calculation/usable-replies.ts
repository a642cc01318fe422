/** Tells replies that answer contracts from those by which workers say that they cannot. */

import type {
  ReplyBatch,
  ReplyBatchItem,
  RequestBatch,
} from '../../../shared/messaging/codec/request-batch.ts';
import { REPLY_BATCH } from '../../../shared/messaging/codec/request-batch.ts';
import type { OutgoingRequest } from '../../../shared/messaging/requester/requester.ts';
import type { Reply } from '../../../shared/messaging/reply.ts';

/** The answers of a reply that has exactly one for each item, in their order; undefined of any other. */
export function answersTo(items: RequestBatch['items'], reply: Reply): readonly ReplyBatchItem[] | undefined {
  if (reply.kind !== 'reply' || reply.type !== REPLY_BATCH) return undefined;
  const answers = (reply.payload as ReplyBatch).items;
  const areOurs =
    answers.length === items.length &&
    items.every(({ id }, index) => String(answers[index]?.id) === String(id));
  return areOurs ? answers : undefined;
}

/** A reply that shows that somebody calculates: answers to the batch, or answers too large for one message. */
export function isUsableReply(request: OutgoingRequest, reply: Reply): boolean {
  if (reply.kind === 'problem') return reply.problem.code === 'reply-too-large';
  return answersTo((request.payload as RequestBatch).items, reply) !== undefined;
}

/** Workers answer, but calculate nothing. */
export class WorkersFailError extends Error {
  override readonly name = 'WorkersFailError';
}

/** One contract may break a worker, and some of them may stand together; it takes more to blame the workers. */
const MAX_BATCHES = 3;
const MIN_CONTRACTS = 10;

/** Counts the batches in a row of which no message had a usable reply, halved ones included. */
export interface FailingBatches {
  /** Throws WorkersFailError when it is one too many. */
  add(contracts: number, isAnyUsable: boolean, lastCode: string): void;
}

export function countFailingBatches(): FailingBatches {
  let batches = 0;
  let contracts = 0;
  return {
    add: (count, isAnyUsable, lastCode) => {
      batches = isAnyUsable ? 0 : batches + 1;
      contracts = isAnyUsable ? 0 : contracts + count;
      if (batches < MAX_BATCHES || contracts < MIN_CONTRACTS) return;
      throw new WorkersFailError(
        `the workers fail: the last ${batches} batches, of ${contracts} contracts, had no usable reply, whole or halved (${lastCode})`,
      );
    },
  };
}
