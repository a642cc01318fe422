const RUNS = 3;

/** Milliseconds of the fastest of three identical runs: a busy machine may delay one run, but slow code is slow in all. */
export function leastMsOf(run: () => void): number {
  const taken = Array.from({ length: RUNS }, () => {
    const startedAt = performance.now();
    run();
    return performance.now() - startedAt;
  });
  return Math.min(...taken);
}
