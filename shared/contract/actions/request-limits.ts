/** What the effort of a request means to its caller (E6): the size of a reply is limited, and so is processor time. */

import type { RequestEffort } from '../../lending/request-effort.ts';
import { MAX_BATCH_REPLY_BYTES } from '../../messaging/codec/request-batch.ts';
import { createProblem, type Problem } from '../../platform/problem.ts';

/** Largest reply in bytes of its Avro encoding: no topic of ours takes a larger message. */
export const MAX_REPLY_BYTES = MAX_BATCH_REPLY_BYTES;
/**
 * A request of more processor time than this, in milliseconds, is calculated off the event loop: on it, it would
 * delay everything else of the process.
 */
export const LONG_WORK_MS = 20;
/**
 * Processor time that one request of a caller's allowance stands for, in milliseconds: with 100 requests a second no
 * caller occupies more than one processor.
 */
const MS_PER_REQUEST = 10;

/** How many ordinary requests a request counts for: one, or its processor time in units of 10 ms. */
export function requestWeight({ processorMs }: RequestEffort): number {
  return Math.max(1, Math.ceil(processorMs / MS_PER_REQUEST));
}

/** The refusal of a request whose reply cannot fit into a message; undefined when it may fit. */
export function refuseLargeReply({ leastReplyBytes }: RequestEffort): Problem | undefined {
  if (leastReplyBytes <= MAX_REPLY_BYTES) return undefined;
  const bytes = Math.round(leastReplyBytes);
  return createProblem('reply-too-large', {
    detail:
      `The reply would have at least ${bytes} bytes; a reply may have ${MAX_REPLY_BYTES}. ` +
      'Ask without Explain, for fewer installments, or with fewer commissions and insurances.',
  });
}
