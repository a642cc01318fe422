import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { BackoffOptions } from '../backoff.ts';
import type { BreakerOptions, BreakerState } from './breaker.ts';
import type { Disposition, Process } from '../processing-result.ts';
import type { MaybePromise } from '../sync-or-async.ts';
import type { LogMessage, TopicPartition } from '../message.ts';
import type { WindowOptions } from './owned-partitions.ts';

/** Every limit of a consumer that is not said otherwise. */
export const CONSUMER_DEFAULTS = {
  /** Messages in progress side by side: enough to hide a reply's way to the broker, few enough to bound memory. */
  lanes: 64,
  /** Longest synchronous work between two turns of the event loop: HTTP and heartbeats wait no longer. */
  sliceMs: 10,
  /** What a kill -9 may repeat, at most; a commit costs one request. */
  commitIntervalMs: 200,
  /** A sixth of the interactive session time-out: several may be lost. */
  heartbeatIntervalMs: 1_000,
  /** A partition with messages that makes no progress for so long is reported. */
  stallMs: 60_000,
  /** Lost infrastructure: soon again at first, then without hammering what tries to recover. */
  holdBackoff: { minMs: 250, maxMs: 10_000 },
  /** A crashed consumer is rebuilt soon, but a crash loop does not keep its group rebalancing. */
  restartBackoff: { minMs: 1_000, maxMs: 30_000 },
  /** Time that the lanes have to end in a shutdown. */
  drainTimeoutMs: 10_000,
} as const;

/** What a consumer reads and as whom, for its health. */
export interface ConsumerReads {
  readonly groupId: string;
  readonly topics: readonly string[];
}

export interface RuntimeOptions {
  readonly process: Process;
  /**
   * What becomes of a message whose processing threw something unexpected (a bug). Absent: it is held and tried again,
   * never skipped. A throw in here holds it too.
   */
  readonly onUnexpected?: (message: LogMessage, error: unknown) => MaybePromise<Disposition>;
  readonly log: Log;
  /** Weight of the messages in progress side by side; default 64. */
  readonly lanes?: number;
  /** What a message weighs; default 1 each. Asked often: it must be cheap. */
  readonly weigh?: (message: LogMessage) => number;
  /** Bulk lanes, which share a process with interactive ones, take 2. */
  readonly sliceMs?: number;
  readonly commitIntervalMs?: number;
  readonly heartbeatIntervalMs?: number;
  readonly window?: WindowOptions;
  readonly holdBackoff?: BackoffOptions;
  readonly breaker?: BreakerOptions;
  readonly stallMs?: number;
  /** 0 up to 1, spreads delays. Default Math.random. */
  readonly random?: () => number;
  /** Told of each change. Must not throw. */
  readonly onBreaker?: (state: BreakerState) => void;
  readonly reads?: ConsumerReads;
  /**
   * Awaited after each assignment before any of its messages is begun, e.g. until a table of what others have done is
   * read to its end of that moment. Heartbeats go on; a rejection is tried again with growing delays. `signal` is aborted
   * when the assignment is over.
   */
  readonly fence?: (partitions: readonly TopicPartition[], signal: AbortSignal) => Promise<void>;
  /** Tells since when a breaker is open. Default the system's. */
  readonly clock?: Clock;
}
