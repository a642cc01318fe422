import type { Log } from '../../platform/log.ts';
import type { WindowLimits } from '../../platform/queues/queue-limits.ts';
import type { SystemPorts } from '../../platform/system-ports.ts';
import type { BackoffOptions } from '../backoff.ts';
import type { LogMessage, TopicPartition } from '../message.ts';
import type { Process } from '../processing-result.ts';

/** The defaults of a consumer. */
export const CONSUMER_DEFAULTS = {
  /** Messages in progress: enough to hide the round trip of a reply to the broker, few enough to limit memory. */
  concurrency: 64,
  /** Longest synchronous work between two turns of the event loop; longer work would delay HTTP responses and heartbeats. */
  sliceMs: 3,
  /** A longer interval repeats more messages after a kill -9; each commit costs one request. */
  commitIntervalMs: 200,
  /** A partition that has a backlog but made no progress for this time is reported. */
  stallMs: 60_000,
  /** Transient failures: retried soon at first, then slower so as not to overload recovering infrastructure. */
  retryBackoff: { minMs: 250, maxMs: 10_000 },
  /** A crashed source is replaced soon, but a crash loop does not cause continuous rebalances. */
  restartBackoff: { minMs: 1_000, maxMs: 30_000 },
  /** Time for messages in progress to end during a shutdown. */
  drainTimeoutMs: 10_000,
} as const;

/** Group and topics of a consumer, for the log. */
export interface ConsumerReads {
  readonly groupId: string;
  readonly topics: readonly string[];
}

export interface RuntimeOptions extends Omit<SystemPorts, 'newId'> {
  readonly process: Process;
  readonly log: Log;
  /** Total weight of the messages in progress; default 64. */
  readonly concurrency?: number;
  /** Weight of a message; default 1 each. Called often: it must be cheap. */
  readonly weigh?: (message: LogMessage) => number;
  /** Default 3; consumers of bulk traffic, which share a process with interactive ones, take 2. */
  readonly sliceMs?: number;
  readonly commitIntervalMs?: number;
  /** Default: messages and bytes of QUEUE_LIMITS.requestWindow. */
  readonly window?: Partial<WindowLimits>;
  readonly retryBackoff?: BackoffOptions;
  readonly stallMs?: number;
  readonly reads?: ConsumerReads;
  /**
   * Awaited after each assignment before its first message is started, for example until a table that handlers depend on is
   * read to its end. Heartbeats continue; a rejection is retried with growing delays. `signal` is aborted at the end of the
   * assignment.
   */
  readonly gate?: (partitions: readonly TopicPartition[], signal: AbortSignal) => Promise<void>;
}

/** Creates the counters of a consumer, which count from its creation. */
export function createCounters() {
  return {
    /** Messages that were completed, failed ones included. */
    settled: 0,
    /** Messages whose processing failed unexpectedly. */
    failed: 0,
    /** Attempts that ended in a retry: a transient fault or unavailable infrastructure. */
    heldAttempts: 0,
    commits: 0,
    /** Commits rejected because their generation had ended. */
    commitsOutdated: 0,
    commitsFailed: 0,
    /** Assignments received. */
    rebalances: 0,
    /** Sources that crashed and were replaced. */
    crashes: 0,
  };
}

/** Counters and the current state. */
export interface ConsumerStats extends Readonly<ReturnType<typeof createCounters>> {
  readonly running: number;
  readonly held: number;
  readonly partitions: number;
  readonly paused: number;
}
