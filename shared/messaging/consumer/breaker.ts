import { murmur2 } from '../topics/key-partition.ts';

export interface BreakerOptions {
  /** The breaker opens at so many failures in a row, nothing having succeeded between them. Default 200. */
  readonly inARow?: number;
  /** They must be of so many keys: one bad message sent again and again says nothing about the others. Default 20; 0: any. */
  readonly keys?: number;
  /** While open, some messages are tried so often, at first more often. Default 60,000 ms. */
  readonly probeIntervalMs?: number;
}

export type BreakerState = 'closed' | 'open';

const IN_A_ROW = 200;
const KEYS = 20;
const PROBE_INTERVAL_MS = 60_000;

/**
 * Guards a topic against a bad deployment that would turn every message into an error: opens when nothing but failures
 * is left, of many keys, and closes with the first success. A message that fails by itself does not open it as long as
 * any other succeeds. Expected refusals are successes, and lost infrastructure counts neither way. It only counts;
 * halting and probing are the consumer's.
 */
export class Breaker {
  readonly probeIntervalMs: number;
  readonly #inARow: number;
  readonly #keys: number;
  /** Hashes of the keys of the failures in a row, no more of them than are asked for. */
  readonly #failedKeys = new Set<number>();
  #state: BreakerState = 'closed';
  #failures = 0;
  #keyless = 0;

  constructor(options: BreakerOptions = {}) {
    this.probeIntervalMs = options.probeIntervalMs ?? PROBE_INTERVAL_MS;
    this.#inARow = options.inARow ?? IN_A_ROW;
    this.#keys = Math.min(options.keys ?? KEYS, this.#inARow);
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Any success closes the breaker, and counting starts afresh. */
  succeeded(): void {
    this.#state = 'closed';
    this.#failures = 0;
    this.#keyless = 0;
    this.#failedKeys.clear();
  }

  /**
   * Counts a failure. A message without a key (null) counts as one of a key of its own; undefined is for work that belongs
   * to a message which is counted by itself. Answers whether this failure opened the breaker.
   */
  failed(key: Uint8Array | null | undefined): boolean {
    if (this.#state === 'open') return false;
    this.#failures += 1;
    if (key === null) this.#keyless += 1;
    else if (key !== undefined && this.#failedKeys.size < this.#keys) this.#failedKeys.add(murmur2(key));
    if (this.#failures < this.#inARow || this.#failedKeys.size + this.#keyless < this.#keys) return false;
    this.#state = 'open';
    return true;
  }
}
