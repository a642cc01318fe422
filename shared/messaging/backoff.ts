export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
}

/** This many doublings exceed any maximum delay. */
const MAX_DOUBLINGS = 30;

/** The delay doubles with each attempt (from 1) up to `maxMs`. `random` cuts it by up to half to spread clients out. */
export function backoffMs(options: BackoffOptions, attempt: number, random: () => number): number {
  const doublings = Math.min(Math.max(attempt - 1, 0), MAX_DOUBLINGS);
  const fullMs = Math.min(options.maxMs, options.minMs * 2 ** doublings);
  return Math.max(options.minMs, (fullMs * (1 + random())) / 2);
}
