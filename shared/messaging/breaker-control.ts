import { Breaker, type BreakerOptions, type BreakerState } from './breaker.ts';
import type { Lanes } from './lanes.ts';
import type { OwnedPartitions } from './owned-partitions.ts';
import type { Work } from './work.ts';

export interface BreakerParts {
  readonly lanes: Lanes;
  readonly owned: OwnedPartitions;
  /** Called after each change; lanes may be started when `closed`. */
  readonly onChange: (state: BreakerState) => void;
}

/**
 * Acts on the breaker: open, all partitions are paused, nothing is started, and the message that opened it stays not
 * done, so that nothing beyond it is committed; the membership stays alive. Every probe interval one message is tried
 * (the opening one, while it is still ours); its success closes the breaker.
 */
export class BreakerControl {
  readonly #breaker: Breaker;
  readonly #parts: BreakerParts;
  #timer: NodeJS.Timeout | undefined;
  /** The message that is being tried. */
  #probe: Work | undefined;
  #startingProbe = false;
  /** Nothing waits to be tried: the partitions flow until the next delivery. */
  #awaitingDelivery = false;

  constructor(parts: BreakerParts, options: BreakerOptions | undefined) {
    this.#parts = parts;
    this.#breaker = new Breaker(options);
  }

  get state(): BreakerState {
    return this.#breaker.state;
  }

  /** Counts how a work ended, and says whether it is done with or stays first in its lane. */
  judge(work: Work, failed: boolean): 'next' | 'again' {
    if (this.#breaker.state === 'closed') {
      if (!this.#breaker.record(failed)) return 'next';
      this.#open();
      return 'again';
    }
    const wasProbe = this.#startingProbe || work === this.#probe;
    if (wasProbe) this.#probe = undefined;
    if (failed) return 'again';
    if (wasProbe) this.#close();
    return 'next';
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
    this.#parts.owned.pauseAll();
    this.#timer = setInterval(() => this.#tryOne(), this.#breaker.probeIntervalMs);
    this.#parts.onChange('open');
  }

  #close(): void {
    this.stop();
    this.#breaker.close();
    this.#awaitingDelivery = false;
    this.#parts.owned.resumeAll();
    this.#parts.onChange('closed');
  }

  #tryOne(): void {
    if (this.#probe?.state === 'running') return;
    this.#startingProbe = true;
    const work = this.#parts.lanes.runOne();
    this.#startingProbe = false;
    if (work === undefined) {
      this.#awaitingDelivery = true;
      this.#parts.owned.resumeAll();
    } else if (work.state === 'running') this.#probe = work;
  }
}
