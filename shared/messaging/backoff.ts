export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
}

/** So many doublings exceed the maximum of every delay. */
const MAX_DOUBLINGS = 30;

/** Delay after an attempt (from 1). Doubles up to `maxMs`; `random` takes off up to half: clients retry apart. */
export function backoffMs(options: BackoffOptions, attempt: number, random: () => number): number {
  const doublings = Math.min(Math.max(attempt - 1, 0), MAX_DOUBLINGS);
  const fullMs = Math.min(options.maxMs, options.minMs * 2 ** doublings);
  return Math.max(options.minMs, (fullMs * (1 + random())) / 2);
}
