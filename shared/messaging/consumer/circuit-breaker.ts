import type { Clock } from '../../platform/clock.ts';
import type { Timers } from '../../platform/timers.ts';
import type { FinalResult } from '../processing-result.ts';
import { murmur2 } from '../topics/key-partition.ts';
import type { KeyOrderedExecutor } from './key-ordered-executor.ts';

export interface BreakerOptions {
  /** Number of consecutive failures that open the breaker. Default 200. */
  readonly maxFailures?: number;
  /**
   * Minimum number of distinct keys among them, since repeated failures of one message do not affect others. Default
   * 20; 0: no minimum.
   */
  readonly minKeys?: number;
  /** Longest interval between probes while the breaker is open. Default 60,000 ms. */
  readonly probeIntervalMs?: number;
}

export type BreakerState = 'closed' | 'open';

/** An open breaker, for health reports. */
export interface OpenBreaker {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  readonly probeIntervalMs: number;
}

export interface BreakerParts {
  readonly executor: Pick<KeyOrderedExecutor, 'running' | 'runOne'>;
  /** Called after each change of state. */
  readonly onChange: (state: BreakerState) => void;
  readonly clock: Clock;
  readonly timers: Timers;
  /** False while no message may be started, not even as a probe. */
  readonly mayProbe: () => boolean;
}

const MAX_FAILURES = 200;
const MIN_KEYS = 20;
const PROBE_INTERVAL_MS = 60_000;
/** Number of concurrent probes, each of a different key, since some may succeed while others fail. */
export const PROBE_MESSAGES = 10;
/** The first probes follow soon, since failing messages of one caller may block others; the interval then doubles. */
const FIRST_PROBE_MS = 250;

/**
 * Stops consumption after a bad deployment, which would turn every message into an error. It opens after many consecutive
 * failures of messages with different keys, and closes with the first success, so that a few failing messages do not open
 * it while others succeed. Refusals count as successes; transient failures are ignored.
 *
 * While it is open, the consumer stays in its group and starts only a few probes of different keys, the oldest and newest
 * message alternately, at growing intervals. A failed probe is completed like any other failure (answered, or stored as a
 * dead letter), so that each interval probes other messages.
 */
export class CircuitBreaker {
  readonly #parts: BreakerParts;
  readonly #failures: FailureRun;
  readonly #probeIntervalMs: number;
  /** Epoch milliseconds; undefined while the breaker is closed. */
  #openSinceMs: number | undefined;
  #cancelProbes: (() => void) | undefined;
  #intervalMs = FIRST_PROBE_MS;
  /** Probes that may still be started in this interval. */
  #probesLeft = 0;
  #isTurnOfNewest = false;
  #isProbing = false;

  constructor(parts: BreakerParts, options: BreakerOptions = {}) {
    this.#parts = parts;
    this.#failures = new FailureRun(options);
    this.#probeIntervalMs = options.probeIntervalMs ?? PROBE_INTERVAL_MS;
  }

  get state(): BreakerState {
    return this.#openSinceMs === undefined ? 'closed' : 'open';
  }

  /** The opening time and longest probe interval; undefined while closed. */
  get openState(): OpenBreaker | undefined {
    if (this.#openSinceMs === undefined) return undefined;
    return { sinceMs: this.#openSinceMs, probeIntervalMs: this.#probeIntervalMs };
  }

  /** Counts the result of a message and returns the new state. For `key` see FailureRun.add. */
  count(result: FinalResult, key?: Uint8Array | null): BreakerState {
    if (result === 'settled') {
      this.#failures.reset();
      if (this.#openSinceMs !== undefined) this.#close();
    } else if (result === 'failed' && this.#openSinceMs === undefined && this.#failures.add(key))
      this.#open();
    return this.state;
  }

  /**
   * Called when a probe has failed transiently, which says nothing about the handler: another message may be probed
   * instead.
   */
  returnProbe(): void {
    this.#probesLeft = Math.min(this.#probesLeft + 1, PROBE_MESSAGES);
  }

  /** Starts remaining probes of the interval; called when messages have arrived or a place is free. */
  probe(): void {
    // A message that ends synchronously calls this method again; the running loop continues with the next one.
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      this.#probeUntilFull();
    } finally {
      this.#isProbing = false;
    }
  }

  stop(): void {
    this.#cancelProbes?.();
  }

  #open(): void {
    this.#openSinceMs = this.#parts.clock.now();
    this.#intervalMs = Math.min(FIRST_PROBE_MS, this.#probeIntervalMs);
    this.#probesLeft = 0;
    this.#probeLater();
    this.#parts.onChange('open');
  }

  #close(): void {
    this.stop();
    this.#openSinceMs = undefined;
    this.#parts.onChange('closed');
  }

  #probeLater(): void {
    this.#cancelProbes = this.#parts.timers.schedule(() => {
      this.#intervalMs = Math.min(this.#intervalMs * 2, this.#probeIntervalMs);
      this.#probesLeft = PROBE_MESSAGES;
      this.#probeLater();
      this.probe();
    }, this.#intervalMs);
  }

  #probeUntilFull(): void {
    const { executor, mayProbe } = this.#parts;
    while (this.state === 'open' && this.#probesLeft > 0 && executor.running < PROBE_MESSAGES) {
      if (!mayProbe()) return;
      // The probe is counted before the call, since a message that ends during the call may return its probe.
      this.#probesLeft -= 1;
      const work = executor.runOne(this.#isTurnOfNewest ? 'newest' : 'oldest');
      if (work === undefined) {
        this.#probesLeft += 1;
        return;
      }
      this.#isTurnOfNewest = !this.#isTurnOfNewest;
    }
  }
}

/** Counts failures in a row. */
export class FailureRun {
  readonly #maxFailures: number;
  readonly #minKeys: number;
  /** Hashes of the failed keys, at most minKeys. */
  readonly #keys = new Set<number>();
  #failures = 0;
  #keyless = 0;

  constructor({ maxFailures = MAX_FAILURES, minKeys = MIN_KEYS }: BreakerOptions = {}) {
    this.#maxFailures = maxFailures;
    this.#minKeys = Math.min(minKeys, maxFailures);
  }

  /**
   * Counts a failure. A message without a key (null) counts as a distinct key; a message that the source did not deliver
   * (undefined) adds no key. Returns whether both limits are reached.
   */
  add(key: Uint8Array | null | undefined): boolean {
    this.#failures += 1;
    if (key === null) this.#keyless += 1;
    else if (key !== undefined && this.#keys.size < this.#minKeys) this.#keys.add(murmur2(key));
    return this.#failures >= this.#maxFailures && this.#keys.size + this.#keyless >= this.#minKeys;
  }

  reset(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#keyless = 0;
    this.#keys.clear();
  }
}
