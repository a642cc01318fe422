/** The sizes of the soak test in `npm run test:soak` and in every test run. */

import type { NetworkOptions } from './network-run.ts';
import type { PortfolioRunOptions } from './portfolio-run.ts';
import type { RollingRestartOptions } from './rolling-restart.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const SEED = 20_260_501;
const AS_OF = '2026-05-01';

export interface SoakSize {
  readonly portfolio: PortfolioRunOptions;
  readonly rolling: RollingRestartOptions;
}

/** Sizes of the network part; its duration is set separately, because the faults need time and not load. */
export function networkSoak(durationMs: number): NetworkOptions {
  return {
    durationMs,
    seed: SEED,
    calls: ['schedule', 'payment'],
    callsPerSecond: 20,
    notificationsPerSecond: 5,
  };
}

/** The portfolio, four kills of three workers, a broker outage and five rolling restarts. */
export function longSoak(contracts: number, rounds: number): SoakSize {
  const portfolio = { contracts, seed: SEED, asOf: AS_OF };
  return {
    portfolio: {
      portfolio,
      workers: 3,
      workerKillsAt: [0.2, 0.4, 0.6, 0.8],
      brokerRestartAt: 0.5,
      brokerAwayMs: 20 * SECOND_MS,
      commandKillAt: 0.7,
      commandOptions: [],
      sampleEvery: 50,
      limitMs: 90 * MINUTE_MS,
    },
    rolling: {
      workers: ['schedule', 'product', 'simulation', 'notification'],
      calls: ['schedule', 'schedule', 'payment', 'schedule', 'simulation', 'schedule', 'product'],
      rounds,
      callsPerSecond: 50,
    },
  };
}

/** Small batches, so that each kill finds some in flight. */
export const SHORT_SOAK: SoakSize = {
  portfolio: {
    portfolio: { contracts: 600, seed: SEED, asOf: AS_OF },
    workers: 2,
    workerKillsAt: [0.3, 0.6],
    brokerRestartAt: 0.45,
    brokerAwayMs: 0,
    commandKillAt: 0.7,
    commandOptions: ['--batch=5', '--window=16'],
    sampleEvery: 4,
    limitMs: 2 * MINUTE_MS,
  },
  rolling: {
    workers: ['schedule'],
    calls: ['schedule', 'schedule', 'payment'],
    rounds: 1,
    callsPerSecond: 20,
  },
};
