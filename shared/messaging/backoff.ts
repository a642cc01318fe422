/** Growing delays between attempts: doubled each time, between `minMs` and `maxMs`. */
export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
}

/** More doublings exceed every maximum, and would leave the range of safe integers. */
const MAX_DOUBLINGS = 30;

/**
 * The delay before the attempt after `attempt` (which counts from 1), in milliseconds. `random` (0 up to 1) spreads it
 * over the upper half of the interval, so that many clients do not retry at the same moment.
 */
export function backoffMs(options: BackoffOptions, attempt: number, random: () => number): number {
  const doublings = Math.min(Math.max(attempt - 1, 0), MAX_DOUBLINGS);
  const fullMs = Math.min(options.maxMs, options.minMs * 2 ** doublings);
  return Math.max(options.minMs, (fullMs * (1 + random())) / 2);
}
