/** A closed loop: `window` requests are under way at any time, each answer starts the next. */

export interface LoopResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs `request` for `warmUpMs` unmeasured, then for `measureMs` measured. Rejects when a request does. */
export async function closedLoop(options: {
  readonly window: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly request: (slot: number) => Promise<unknown>;
}): Promise<LoopResult> {
  await drive(options.window, options.warmUpMs, options.request);
  const startedAt = performance.now();
  const latencies = await drive(options.window, options.measureMs, options.request);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

async function drive(
  window: number,
  forMs: number,
  request: (slot: number) => Promise<unknown>,
): Promise<number[]> {
  const latencies: number[] = [];
  const endAt = performance.now() + forMs;
  await Promise.all(
    Array.from({ length: window }, async (_, slot) => {
      for (let sentAt = performance.now(); sentAt < endAt; sentAt = performance.now()) {
        await request(slot);
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  return latencies;
}

/** The value below which the share `q` of the sorted values lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
