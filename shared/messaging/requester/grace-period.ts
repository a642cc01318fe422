/**
 * A condition that was true counts as true until it has been seen false for `gapMs`: what is replaced within moments (a
 * producer, a consumer whose leader moved) need not turn away those who would have waited for it. One that was never
 * true has no such time. Ask it regularly: a gap begins when it is seen.
 */
export function toleratingGaps(isTrue: () => boolean, gapMs: number): () => boolean {
  let goneAtMs: number | undefined = Number.NEGATIVE_INFINITY;
  return () => {
    if (isTrue()) {
      goneAtMs = undefined;
      return true;
    }
    goneAtMs ??= performance.now();
    return performance.now() - goneAtMs < gapMs;
  };
}
