import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SystemKind } from './faults/fault-plan.ts';
import type { PlantedFault } from './planted-faults.ts';
import type { SeedSummary } from './report.ts';

const THREAD_PROGRAM = new URL('./seed-thread.ts', import.meta.url);

/** The seeds of a thread: from the first one every `step`-th below `end`. */
export interface SeedThreadData {
  readonly from: number;
  readonly end: number;
  readonly step: number;
  readonly system: SystemKind | undefined;
  readonly plant: PlantedFault | undefined;
}

export interface RunSeedsOptions {
  readonly from: number;
  readonly count: number;
  readonly jobs: number;
  /** Undefined: as each seed chooses. */
  readonly system?: SystemKind | undefined;
  readonly plant?: PlantedFault | undefined;
}

/** Runs seeds on `jobs` threads. Yields their summaries in the order of the seeds, and ends the threads with the loop. */
export async function* runSeeds({
  from,
  count,
  jobs,
  system,
  plant,
}: RunSeedsOptions): AsyncGenerator<SeedSummary> {
  const threads = Array.from({ length: Math.min(jobs, count) }, (_, index) => {
    const workerData: SeedThreadData = { from: from + index, end: from + count, step: jobs, system, plant };
    return new Worker(THREAD_PROGRAM, { workerData });
  });
  try {
    const streams = threads.map((thread) => on(thread, 'message') as NodeJS.AsyncIterator<[SeedSummary]>);
    for (let index = 0; index < count; index += 1) {
      const next = await streams[index % streams.length]?.next();
      if (next?.value !== undefined) yield next.value[0];
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}
