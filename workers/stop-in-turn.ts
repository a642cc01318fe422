import type { MonotonicClock } from '../shared/platform/clock.ts';
import type { RunningWorker } from './runtime/worker.ts';

/** Minimum time for a worker to commit and leave its group. */
const MIN_STOP_MS = 1_000;

/**
 * Stops workers one after another within a common timeout. After a failure the others are still stopped; the first failure
 * is thrown at the end.
 */
export async function stopInTurn(
  workers: readonly Pick<RunningWorker, 'stop'>[],
  timeoutMs: number,
  monotonic: MonotonicClock,
): Promise<void> {
  const endsAtMs = monotonic.elapsedMs() + timeoutMs;
  const failures: unknown[] = [];
  for (const worker of workers) {
    const remainingMs = Math.max(endsAtMs - monotonic.elapsedMs(), Math.min(timeoutMs, MIN_STOP_MS));
    try {
      await worker.stop(remainingMs);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
