/** Limits on the size of a reply and on the processor time of a request (E6). */

import type { RequestEffort } from '../../lending/request-effort.ts';
import { MAX_BATCH_REPLY_BYTES } from '../../messaging/codec/request-batch.ts';
import { createProblem, type Problem } from '../../platform/problem.ts';

/** Largest reply in bytes of its Avro encoding: the maximum of our topics. */
export const MAX_REPLY_BYTES = MAX_BATCH_REPLY_BYTES;
/** A longer calculation, in milliseconds of processor time, runs off the event loop, which it would otherwise block. */
export const LONG_WORK_MS = 20;
/**
 * Processor time that counts as one request in the rate limit, in milliseconds: with 100 requests a second, a caller
 * cannot occupy more than one processor.
 */
const MS_PER_REQUEST = 10;

/** The weight of a request in the rate limit: its processor time in units of 10 ms, at least one. */
export function requestWeight({ processorMs }: RequestEffort): number {
  return Math.max(1, Math.ceil(processorMs / MS_PER_REQUEST));
}

/** Refuses a request whose reply cannot fit into a message; undefined if it may fit. */
export function refuseLargeReply({ leastReplyBytes }: RequestEffort): Problem | undefined {
  if (leastReplyBytes <= MAX_REPLY_BYTES) return undefined;
  const bytes = Math.round(leastReplyBytes);
  return createProblem('reply-too-large', {
    detail:
      `The reply would have at least ${bytes} bytes; a reply may have ${MAX_REPLY_BYTES}. ` +
      'Send the request without Explain, for fewer installments, or with fewer commissions and insurances.',
  });
}
