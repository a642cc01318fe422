import type { RunningWorker } from './runtime/worker.ts';

/** The least time that a worker gets for committing and leaving its group. */
const LEAVE_MS = 1_000;

/**
 * Stops workers one after the other within a single timeout: each gets the time that those before it left. One that
 * fails does not prevent the others from stopping; the first failure is thrown when all have stopped.
 */
export async function stopInTurn(
  workers: readonly Pick<RunningWorker, 'stop'>[],
  timeoutMs: number,
): Promise<void> {
  const endsAtMs = performance.now() + timeoutMs;
  const failures: unknown[] = [];
  for (const worker of workers) {
    const leftMs = Math.max(endsAtMs - performance.now(), Math.min(timeoutMs, LEAVE_MS));
    try {
      await worker.stop(leftMs);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
