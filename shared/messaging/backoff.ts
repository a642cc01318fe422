export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
}

/** More doublings would exceed every maximum and the range of safe integers. */
const MAX_DOUBLINGS = 30;

/** The delay in ms after attempt `attempt` (from 1). `random` spreads it, so that clients do not retry together. */
export function backoffMs(options: BackoffOptions, attempt: number, random: () => number): number {
  const doublings = Math.min(Math.max(attempt - 1, 0), MAX_DOUBLINGS);
  const fullMs = Math.min(options.maxMs, options.minMs * 2 ** doublings);
  return Math.max(options.minMs, (fullMs * (1 + random())) / 2);
}
