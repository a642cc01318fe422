/** Program of a thread that runs every n-th seed and posts a summary of each. */
import { parentPort, workerData } from 'node:worker_threads';
import { summaryOf } from './report.ts';
import { runPlan } from './run-seed.ts';
import { planSeed } from './seed-plan.ts';
import type { SeedThreadData } from './seed-threads.ts';

const { from, end, step, system, plant } = workerData as SeedThreadData;
for (let seed = from; seed < end; seed += step) {
  parentPort?.postMessage(summaryOf(await runPlan(planSeed(seed, system, plant))), []);
}
