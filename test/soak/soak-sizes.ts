/** The two sizes of the soak test: of `npm run test:soak`, and of every test run. */

import type { NetworkOptions } from './network-run.ts';
import type { PortfolioRunOptions } from './portfolio-run.ts';
import type { RollingRestartOptions } from './rolling-restart.ts';
import type { UpstreamOptions } from './upstream-events.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const SEED = 20_260_501;
const AS_OF = '2026-05-01';

export interface SoakSize {
  readonly portfolio: PortfolioRunOptions;
  readonly upstream: UpstreamOptions;
  readonly rolling: RollingRestartOptions;
}

/** The network part; its length is set by itself, since it fails however little else is done. */
export function networkSoak(durationMs: number): NetworkOptions {
  return {
    durationMs,
    seed: SEED,
    calls: ['schedule', 'payment'],
    callsPerSecond: 20,
    notificationsPerSecond: 5,
  };
}

/** So many contracts, four killed workers of three, a broker that stays away for a while, five rolling restarts. */
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
    upstream: {
      portfolio: { ...portfolio, contracts: Math.ceil(contracts / 10) },
      workers: 3,
      workerKillsAt: [0.2, 0.4, 0.6, 0.8],
      brokerRestartAt: 0.5,
      brokerAwayMs: 20 * SECOND_MS,
      limitMs: 30 * MINUTE_MS,
    },
    rolling: {
      workers: ['schedule', 'product', 'simulation', 'notification'],
      calls: ['schedule', 'schedule', 'payment', 'schedule', 'simulation', 'schedule', 'product'],
      rounds,
      callsPerSecond: 50,
    },
  };
}

/** Small batches, so that each kill meets some on their way. */
export const SHORT_SOAK: SoakSize = {
  portfolio: {
    portfolio: { contracts: 3_000, seed: SEED, asOf: AS_OF },
    workers: 2,
    workerKillsAt: [0.3, 0.6],
    brokerRestartAt: 0.45,
    brokerAwayMs: 0,
    commandKillAt: 0.7,
    commandOptions: ['--batch=25', '--window=8'],
    sampleEvery: 20,
    limitMs: 2 * MINUTE_MS,
  },
  upstream: {
    portfolio: { contracts: 400, seed: SEED, asOf: AS_OF },
    workers: 2,
    workerKillsAt: [0.3],
    brokerRestartAt: undefined,
    brokerAwayMs: 0,
    limitMs: MINUTE_MS,
  },
  rolling: {
    workers: ['schedule'],
    calls: ['schedule', 'schedule', 'payment'],
    rounds: 1,
    callsPerSecond: 40,
  },
};
