/** Generates load: a closed loop with a window and an open loop with a rate, with their results. */

/** Results of a closed loop; times in milliseconds. */
export interface LoopResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Requests that the server refused and that were repeated; absent if a refusal ends the loop. */
  readonly refused?: number;
}

/**
 * A closed loop: `window` requests are in flight at any time, and each response triggers the next request. Runs for
 * `warmUpMs` as a warm-up, then measures for `measureMs`. Rejects if a request does.
 */
export async function closedLoop(options: {
  readonly window: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly request: (slot: number) => Promise<unknown>;
}): Promise<LoopResult> {
  await drive(options.window, options.warmUpMs, options.request);
  const startedAt = performance.now();
  const latencies = await drive(options.window, options.measureMs, options.request);
  const seconds = (performance.now() - startedAt) / MS_PER_SECOND;
  return {
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

/** Results of an open loop; times in milliseconds. */
export interface OpenLoopResult {
  readonly requests: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /**
   * The p99 of the delay with which requests were sent, which shows how far the measuring process itself fell behind.
   */
  readonly lateP99Ms: number;
}

const MS_PER_SECOND = 1_000;

/** When each request is sent, in milliseconds after the first. */
export function departures(perSecond: number, forMs: number): readonly number[] {
  const count = Math.floor((perSecond * forMs) / MS_PER_SECOND);
  return Array.from({ length: count }, (_, index) => (index * MS_PER_SECOND) / perSecond);
}

/**
 * An open loop: sends `perSecond` requests for `forMs` at fixed times, regardless of the responses, and waits for all
 * responses. A latency counts from the time at which the request was due, so that a stall of the server counts for
 * every request that it delays. A rejected request counts as failed, including its time.
 */
export async function openLoop(options: {
  readonly perSecond: number;
  readonly forMs: number;
  readonly request: () => Promise<unknown>;
}): Promise<OpenLoopResult> {
  const startedAt = performance.now();
  const latencies: number[] = [];
  const late: number[] = [];
  const answers: Promise<void>[] = [];
  let failed = 0;
  const send = async (dueAt: number): Promise<void> => {
    try {
      await options.request();
    } catch {
      failed += 1;
    }
    latencies.push(performance.now() - dueAt);
  };
  for (const departure of departures(options.perSecond, options.forMs)) {
    const dueAt = startedAt + departure;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    late.push(Math.max(0, performance.now() - dueAt));
    answers.push(send(dueAt));
  }
  await Promise.all(answers);
  return {
    requests: latencies.length,
    failed,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    longestMs: Math.max(...latencies),
    lateP99Ms: quantile(late, 0.99),
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
function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
