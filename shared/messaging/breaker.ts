export interface BreakerOptions {
  /** So many messages are looked back on; fewer say nothing about a share. Default 50. */
  readonly windowMessages?: number;
  /** The breaker opens when this share of the window failed unexpectedly. Default one half. */
  readonly failureShare?: number;
  /** The breaker opens at so many unexpected failures in a row. Default 20. */
  readonly inARow?: number;
  /** While open, one message is tried so often. Default 60,000 ms. */
  readonly probeIntervalMs?: number;
  /**
   * What becomes of the message that opens the breaker, and of a probe that fails. `keep` (default): it is not done, and
   * is what the next probe tries. `pass`: it is done, since its failure was stored, and the next probe takes another one.
   */
  readonly onFailure?: 'keep' | 'pass';
}

export type BreakerState = 'closed' | 'open';

const WINDOW_MESSAGES = 50;
const FAILURE_SHARE = 0.5;
const IN_A_ROW = 20;
const PROBE_INTERVAL_MS = 60_000;

/**
 * Guards a topic against a bad deployment that would turn every message into an error: opens when too many messages
 * fail unexpectedly, and closes when its owner saw a probe succeed. Expected refusals are no failures. It only counts;
 * pausing and probing are the consumer's.
 */
export class Breaker {
  readonly probeIntervalMs: number;
  readonly #inARow: number;
  readonly #failuresToOpen: number;
  /** The last results, 1 a failure, as a ring. */
  readonly #results: Uint8Array;
  #state: BreakerState = 'closed';
  #seen = 0;
  #failures = 0;
  #row = 0;

  constructor(options: BreakerOptions = {}) {
    const windowMessages = options.windowMessages ?? WINDOW_MESSAGES;
    this.probeIntervalMs = options.probeIntervalMs ?? PROBE_INTERVAL_MS;
    this.#inARow = options.inARow ?? IN_A_ROW;
    this.#failuresToOpen = Math.ceil(windowMessages * (options.failureShare ?? FAILURE_SHARE));
    this.#results = new Uint8Array(windowMessages);
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Counts a result while closed. Answers whether this one opened the breaker. */
  record(failed: boolean): boolean {
    if (this.#state === 'open') return false;
    const slot = this.#seen % this.#results.length;
    this.#failures += (failed ? 1 : 0) - (this.#results[slot] ?? 0);
    this.#results[slot] = failed ? 1 : 0;
    this.#seen += 1;
    this.#row = failed ? this.#row + 1 : 0;
    if (!failed) return false;
    const full = this.#seen >= this.#results.length;
    if (this.#row < this.#inARow && !(full && this.#failures >= this.#failuresToOpen)) return false;
    this.#state = 'open';
    return true;
  }

  /** A probe succeeded: counting starts afresh. */
  close(): void {
    this.#state = 'closed';
    this.#results.fill(0);
    this.#seen = 0;
    this.#failures = 0;
    this.#row = 0;
  }
}
