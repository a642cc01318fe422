import { Breaker, type BreakerOptions, type BreakerState } from './breaker.ts';
import type { Clock } from '../../platform/clock.ts';
import type { WorkEnd } from '../processing-result.ts';
import type { Lanes } from './key-ordered-executor.ts';

export interface BreakerParts {
  readonly lanes: Pick<Lanes, 'running' | 'runOne'>;
  /** Called after each change; lanes may be started when `closed`. */
  readonly onChange: (state: BreakerState) => void;
  readonly clock: Clock;
  /** False while nothing may be begun at all, not even to try it. */
  readonly mayProbe: () => boolean;
}

/** An open breaker, for those who report it. */
export interface OpenBreaker {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  readonly probeIntervalMs: number;
}

/** So many messages of different keys are tried at a time: next to bad ones there are others that prove them wrong. */
export const PROBE_MESSAGES = 10;
/** The first try follows soon, since others may wait behind one caller's bad messages; each further one twice as late. */
const FIRST_PROBE_MS = 250;

/**
 * Acts on the breaker. While it is open the membership stays alive and no message is begun except a few of different
 * keys, the oldest and the newest in turn, at growing intervals. Any success closes it. What fails meanwhile has ended
 * like any other failure (answered, or stored as a dead letter), so that each try takes other messages.
 */
export class BreakerControl {
  readonly #breaker: Breaker;
  readonly #parts: BreakerParts;
  #openSinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #intervalMs = FIRST_PROBE_MS;
  /** Messages that may still be tried within this interval. */
  #probesLeft = 0;
  #isTurnOfNewest = false;
  #isTrying = false;

  constructor(parts: BreakerParts, options: BreakerOptions | undefined) {
    this.#parts = parts;
    this.#breaker = new Breaker(options);
  }

  get state(): BreakerState {
    return this.#breaker.state;
  }

  /** While open: since when (epoch milliseconds), and how often messages are tried at the longest. */
  get openState(): OpenBreaker | undefined {
    const { probeIntervalMs } = this.#breaker;
    return this.#openSinceMs === undefined ? undefined : { sinceMs: this.#openSinceMs, probeIntervalMs };
  }

  /** Counts how a message ended; `key` as Breaker.failed takes it. Answers the state after it. */
  count(end: WorkEnd, key?: Uint8Array | null): BreakerState {
    if (end === 'settled') {
      const wasOpen = this.#breaker.state === 'open';
      this.#breaker.succeeded();
      if (wasOpen) this.#closed();
    } else if (end !== 'expired' && this.#breaker.failed(key)) this.#opened();
    return this.#breaker.state;
  }

  /** A message met lost infrastructure, which says nothing about the others: one more may be tried in its place. */
  provedNothing(): void {
    this.#probesLeft = Math.min(this.#probesLeft + 1, PROBE_MESSAGES);
  }

  /** Messages have come, or one has left its place: what was left to be tried takes them. */
  tryOn(): void {
    if (this.#breaker.state === 'open') this.#tryMessages();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #opened(): void {
    this.#openSinceMs = this.#parts.clock.now();
    this.#intervalMs = Math.min(FIRST_PROBE_MS, this.#breaker.probeIntervalMs);
    this.#probesLeft = 0;
    this.#tryLater();
    this.#parts.onChange('open');
  }

  #closed(): void {
    this.stop();
    this.#openSinceMs = undefined;
    this.#parts.onChange('closed');
  }

  #tryLater(): void {
    this.#timer = setTimeout(() => {
      this.#intervalMs = Math.min(this.#intervalMs * 2, this.#breaker.probeIntervalMs);
      this.#probesLeft = PROBE_MESSAGES;
      this.#tryLater();
      this.#tryMessages();
    }, this.#intervalMs);
  }

  #tryMessages(): void {
    // A message that ends at once comes back here; the loop goes on with the next.
    if (this.#isTrying) return;
    this.#isTrying = true;
    try {
      this.#tryUntilFull();
    } finally {
      this.#isTrying = false;
    }
  }

  #tryUntilFull(): void {
    const { lanes, mayProbe } = this.#parts;
    while (this.#breaker.state === 'open' && this.#probesLeft > 0 && lanes.running < PROBE_MESSAGES) {
      if (!mayProbe()) return;
      // Before the call: a message that ends within it may give its try back.
      this.#probesLeft -= 1;
      const work = lanes.runOne(this.#isTurnOfNewest ? 'newest' : 'oldest');
      if (work === undefined) {
        this.#probesLeft += 1;
        return;
      }
      this.#isTurnOfNewest = !this.#isTurnOfNewest;
    }
  }
}
