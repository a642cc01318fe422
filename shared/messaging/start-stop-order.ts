import type { MonotonicClock } from '../platform/system-ports.ts';

/** The least time of a part, unless the timeout is shorter: a worker must commit and leave its group. */
const MIN_STOP_MS = 1_000;

export interface Drainable {
  stop(timeoutMs: number): Promise<unknown>;
}

/** Stops one part after another within a common timeout, even after a failure. Rejects with the first failure. */
export async function stopInTurn(
  parts: readonly Drainable[],
  timeoutMs: number,
  monotonic: MonotonicClock,
): Promise<void> {
  const endsAtMs = monotonic.elapsedMs() + timeoutMs;
  const failures: unknown[] = [];
  for (const part of parts) {
    const remainingMs = Math.max(endsAtMs - monotonic.elapsedMs(), Math.min(timeoutMs, MIN_STOP_MS));
    try {
      await part.stop(remainingMs);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Group members wait for each other, so starts run together. Those that succeed are in `started` even if one fails. */
export async function startTogether<Part>(starts: readonly Promise<Part>[], started: Part[]): Promise<void> {
  for (const end of await Promise.allSettled(starts)) if (end.status === 'fulfilled') started.push(end.value);
  await Promise.all(starts);
}

export function stopTogether(parts: readonly Drainable[]): Drainable {
  return { stop: (timeoutMs) => Promise.all(parts.map((part) => part.stop(timeoutMs))) };
}
