/** Limits on the size of a reply and on the work of a request (E6). */

import { MAX_BATCH_REPLY_BYTES } from '../../messaging/codec/request-batch.ts';

/** Largest reply in bytes of its Avro encoding: the maximum of our topics. */
export const MAX_REPLY_BYTES = MAX_BATCH_REPLY_BYTES;
/** Units of work that an ordinary server does in a millisecond (shared/lending/work-units.ts). */
export const UNITS_PER_MS = 1_000;
/**
 * The units of one call: what has more runs in a thread, which the event loop does not wait for, and counts as several in the
 * rate limit. With 100 calls a second a caller cannot occupy more than one processor.
 */
export const UNITS_PER_CALL = 10_000;

/** How many calls the work of a request counts as in the rate limit. */
export function callsOf(units: number): number {
  return Math.max(1, Math.ceil(units / UNITS_PER_CALL));
}
