/** A pace that was kept for less than this says nothing. */
const PACE_AFTER_MS = 3_000;

/** How long what is left takes at the pace so far; undefined while there is none. */
export function remainingTime(run: {
  readonly elapsedMs: number;
  readonly done: number;
  readonly left: number;
}): number | undefined {
  const { elapsedMs, done, left } = run;
  return elapsedMs < PACE_AFTER_MS || done === 0 ? undefined : (left * elapsedMs) / done;
}
