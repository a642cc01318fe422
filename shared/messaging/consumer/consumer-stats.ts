import type { BreakerState } from './breaker.ts';

/** What a consumer has counted since it was created; plain numbers, cheap to count and to read at a scrape. */
export interface ConsumerCounters {
  /** Messages done, failed ones included. */
  settled: number;
  /** Messages whose processing failed unexpectedly. */
  failed: number;
  /** Attempts that ended in a wait: a passing fault or lost infrastructure. */
  heldAttempts: number;
  /** Redelivered messages that joined work begun before. */
  joined: number;
  commits: number;
  /** Commits refused because the epoch was over. */
  commitsOutdated: number;
  commitsFailed: number;
  /** Assignments received. */
  rebalances: number;
  breakerOpened: number;
  /** Sources that crashed and were rebuilt. */
  crashes: number;
}

/** Counters and figures of the moment. */
export interface ConsumerStats extends Readonly<ConsumerCounters> {
  readonly running: number;
  readonly held: number;
  readonly partitions: number;
  readonly paused: number;
  readonly breaker: BreakerState;
}

export function createCounters(): ConsumerCounters {
  return {
    settled: 0,
    failed: 0,
    heldAttempts: 0,
    joined: 0,
    commits: 0,
    commitsOutdated: 0,
    commitsFailed: 0,
    rebalances: 0,
    breakerOpened: 0,
    crashes: 0,
  };
}
