/**
 * An open loop: requests leave at fixed times, whatever became of those before. A latency is counted from the time at
 * which the request was to leave, so that a server which stands still is charged with all that it kept waiting.
 */

import { quantile } from './closed-loop.ts';

/** What an open loop measured; times in milliseconds. */
export interface OpenLoopResult {
  readonly requests: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** How late requests left, at p99: how far the measuring process itself was kept waiting. */
  readonly lateP99Ms: number;
}

const MS_PER_SECOND = 1_000;

/** When each request leaves, in milliseconds after the first. */
export function departures(perSecond: number, forMs: number): readonly number[] {
  const count = Math.floor((perSecond * forMs) / MS_PER_SECOND);
  return Array.from({ length: count }, (_, index) => (index * MS_PER_SECOND) / perSecond);
}

/** Sends `perSecond` requests for `forMs` and waits for all answers. A request that rejects counts as failed, its time too. */
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
