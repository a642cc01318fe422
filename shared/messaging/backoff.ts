export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
}

/** This number of doublings exceeds every maximum. More could exceed the safe integers. */
const MAX_DOUBLINGS = 30;

/** The delay in ms after attempt `attempt` (from 1). Each attempt doubles it. `random` takes off up to half, so that clients retry apart. */
export function backoffMs(options: BackoffOptions, attempt: number, random: () => number): number {
  const doublings = Math.min(Math.max(attempt - 1, 0), MAX_DOUBLINGS);
  const fullMs = Math.min(options.maxMs, options.minMs * 2 ** doublings);
  return Math.max(options.minMs, (fullMs * (1 + random())) / 2);
}
