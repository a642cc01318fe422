import type { Clock } from '../../platform/clock.ts';
import type { FinalResult } from '../processing-result.ts';
import { murmur2 } from '../topics/key-partition.ts';
import type { KeyOrderedExecutor } from './key-ordered-executor.ts';

export interface BreakerOptions {
  /** Failures in a row, without any success between them, that open the breaker. Default 200. */
  readonly maxFailures?: number;
  /** Different keys among them: one bad message sent repeatedly says nothing about the others. Default 20; 0: any. */
  readonly minKeys?: number;
  /** While the breaker is open, messages are tried at this interval at the longest. Default 60,000 ms. */
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
  /** Called after each change; messages may be started when `closed`. */
  readonly onChange: (state: BreakerState) => void;
  readonly clock: Clock;
  /** False while no message may be started at all, not even as a probe. */
  readonly mayProbe: () => boolean;
}

const MAX_FAILURES = 200;
const MIN_KEYS = 20;
const PROBE_INTERVAL_MS = 60_000;
/** Messages of different keys that are tried at a time: beside bad ones there are others that succeed. */
export const PROBE_MESSAGES = 10;
/** The first try follows soon, since one caller's bad messages may block others; the interval doubles with each try. */
const FIRST_PROBE_MS = 250;

/**
 * Protects a topic against a bad deployment that would turn every message into an error. It opens when there are only
 * failures, of many keys, and closes with the first success: messages that fail by themselves do not open it while any
 * other succeeds. Expected refusals are successes, and transient failures count neither way.
 *
 * While it is open the consumer stays in its group and starts no message except a few probes of different keys, the
 * oldest and the newest in turn, at growing intervals. Failing probes have ended like any other failure (answered, or
 * stored as a dead letter), so that each interval tries other messages.
 */
export class CircuitBreaker {
  readonly #parts: BreakerParts;
  readonly #failures: FailureRun;
  readonly #probeIntervalMs: number;
  /** Epoch milliseconds; undefined while the breaker is closed. */
  #openSinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #intervalMs = FIRST_PROBE_MS;
  /** Messages that may still be tried within this interval. */
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

  /** While open: since when, and how often messages are tried at the longest. */
  get openState(): OpenBreaker | undefined {
    if (this.#openSinceMs === undefined) return undefined;
    return { sinceMs: this.#openSinceMs, probeIntervalMs: this.#probeIntervalMs };
  }

  /** Counts the result of a message; `key` as FailureRun.add takes it. Returns the state after it. */
  count(result: FinalResult, key?: Uint8Array | null): BreakerState {
    if (result === 'settled') {
      this.#failures.reset();
      if (this.#openSinceMs !== undefined) this.#close();
    } else if (result === 'failed' && this.#openSinceMs === undefined && this.#failures.add(key))
      this.#open();
    return this.state;
  }

  /** A probe met a transient failure, which proves nothing: another message may be tried instead. */
  returnProbe(): void {
    this.#probesLeft = Math.min(this.#probesLeft + 1, PROBE_MESSAGES);
  }

  /** Messages have arrived, or one has freed its place: the remaining probes of the interval use them. */
  probe(): void {
    // A message that ends at once comes back here; the loop continues with the next.
    if (this.#isProbing || this.#openSinceMs === undefined) return;
    this.#isProbing = true;
    try {
      this.#probeUntilFull();
    } finally {
      this.#isProbing = false;
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
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
    this.#timer = setTimeout(() => {
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
      // Before the call: a message that ends within it may return its probe.
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
  /** Hashes of the failed keys, no more of them than are needed. */
  readonly #keys = new Set<number>();
  #failures = 0;
  #keyless = 0;

  constructor({ maxFailures = MAX_FAILURES, minKeys = MIN_KEYS }: BreakerOptions = {}) {
    this.#maxFailures = maxFailures;
    this.#minKeys = Math.min(minKeys, maxFailures);
  }

  /**
   * Counts a failure. A message without a key (null) counts as one with a key of its own; undefined is for work that
   * belongs to a message which is counted itself. Returns whether there are enough failures of enough keys.
   */
  add(key: Uint8Array | null | undefined): boolean {
    this.#failures += 1;
    if (key === null) this.#keyless += 1;
    else if (key !== undefined && this.#keys.size < this.#minKeys) this.#keys.add(murmur2(key));
    return this.#failures >= this.#maxFailures && this.#keys.size + this.#keyless >= this.#minKeys;
  }

  reset(): void {
    this.#failures = 0;
    this.#keyless = 0;
    this.#keys.clear();
  }
}
