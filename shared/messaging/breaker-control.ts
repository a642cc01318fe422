import { Breaker, type BreakerOptions, type BreakerState } from './breaker.ts';
import type { Clock } from '../platform/clock.ts';
import type { WorkEnd } from './disposition.ts';
import type { Lanes } from './lanes.ts';
import type { OwnedPartitions } from './owned-partitions.ts';
import type { Work } from './work.ts';

export interface BreakerParts {
  readonly lanes: Lanes;
  readonly owned: OwnedPartitions;
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

/**
 * Acts on the breaker: open, all partitions are paused, nothing is started, and the membership stays alive. Every probe
 * interval one message is tried; its success closes the breaker. Where failures are kept, the message that opened it
 * stays not done, so that nothing beyond it is committed, and is the one that is tried while it is still ours; where they
 * pass (BreakerOptions.onFailure, or a failure that was stored as a dead letter), each probe takes another one.
 */
export class BreakerControl {
  readonly #breaker: Breaker;
  readonly #parts: BreakerParts;
  readonly #keepsFailures: boolean;
  #openSinceMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The message that is being tried. */
  #probe: Work | undefined;
  #startingProbe = false;
  /** Nothing waits to be tried: the partitions flow until the next delivery. */
  #awaitingDelivery = false;

  constructor(parts: BreakerParts, options: BreakerOptions | undefined) {
    this.#parts = parts;
    this.#breaker = new Breaker(options);
    this.#keepsFailures = options?.onFailure !== 'pass';
  }

  get state(): BreakerState {
    return this.#breaker.state;
  }

  /** While open: since when (epoch milliseconds), and how often a message is tried. */
  get openState(): OpenBreaker | undefined {
    const { probeIntervalMs } = this.#breaker;
    return this.#openSinceMs === undefined ? undefined : { sinceMs: this.#openSinceMs, probeIntervalMs };
  }

  /** Counts how a work ended, and says whether it is done with or stays first in its lane. */
  judge(work: Work, end: WorkEnd): 'next' | 'again' {
    const failed = end !== 'settled';
    const failure = end === 'failed' && this.#keepsFailures ? 'again' : 'next';
    if (this.#breaker.state === 'closed') {
      if (!this.#breaker.record(failed)) return 'next';
      this.#open();
      return failure;
    }
    const wasProbe = this.#startingProbe || work === this.#probe;
    if (wasProbe) this.#probe = undefined;
    if (failed) return failure;
    if (wasProbe) this.#close();
    return 'next';
  }

  /** Counts the end of work that is no message of its own; while open it says nothing. */
  count(end: WorkEnd): BreakerState {
    if (this.#breaker.state === 'closed' && this.#breaker.record(end !== 'settled')) this.#open();
    return this.#breaker.state;
  }

  /** Messages have come: one of them may be what a probe waits for. */
  delivered(): void {
    if (!this.#awaitingDelivery) return;
    this.#awaitingDelivery = false;
    this.#parts.owned.pauseAll();
    this.#tryOne();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #open(): void {
    this.#openSinceMs = this.#parts.clock.now();
    this.#parts.owned.pauseAll();
    this.#timer = setInterval(() => this.#tryOne(), this.#breaker.probeIntervalMs);
    this.#parts.onChange('open');
  }

  #close(): void {
    this.stop();
    this.#openSinceMs = undefined;
    this.#breaker.close();
    this.#awaitingDelivery = false;
    this.#parts.owned.resumeAll();
    this.#parts.onChange('closed');
  }

  #tryOne(): void {
    if (this.#probe?.state === 'running' || !this.#parts.mayProbe()) return;
    this.#startingProbe = true;
    const work = this.#parts.lanes.runOne();
    this.#startingProbe = false;
    if (work === undefined) {
      this.#awaitingDelivery = true;
      this.#parts.owned.resumeAll();
    } else if (work.state === 'running') this.#probe = work;
  }
}
