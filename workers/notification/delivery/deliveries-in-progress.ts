import type { MonotonicClock } from '../../../shared/platform/clock.ts';
import type { DeliveryState } from '../state/delivery-state-machine.ts';

type Step = DeliveryState['step'];

interface Delivery {
  readonly step: Step;
  /** When it entered the state or last made progress within it, on the monotonic clock. */
  readonly sinceMs: number;
  /** Whether it has started a round, rather than only repeated effects of an earlier one. */
  readonly isRound: boolean;
}

/** The notifications that this process is delivering, with their states and the time of their last progress. */
export class DeliveriesInProgress {
  readonly #monotonic: MonotonicClock;
  readonly #deliveries = new Map<string, Delivery>();
  /** End of the last round, on the monotonic clock. */
  #roundEndedMs = -Infinity;

  constructor(monotonic: MonotonicClock) {
    this.#monotonic = monotonic;
  }

  get size(): number {
    return this.#deliveries.size;
  }

  has(id: string): boolean {
    return this.#deliveries.has(id);
  }

  /** Records that a delivery has entered a state or made progress within it. A round starts with the state `queueing`. */
  enter(id: string, step: Step): void {
    const isRound = step === 'queueing' || this.#deliveries.get(id)?.isRound === true;
    this.#deliveries.set(id, { step, sinceMs: this.#monotonic.elapsedMs(), isRound });
  }

  leave(id: string): void {
    if (this.#deliveries.get(id)?.isRound === true) this.#roundEndedMs = this.#monotonic.elapsedMs();
    this.#deliveries.delete(id);
  }

  /** Whether a round is in progress or ended within `withinMs`: a notification that waits pauses between two checks. */
  hasRound(withinMs: number): boolean {
    return (
      [...this.#deliveries.values()].some(({ isRound }) => isRound) ||
      this.#monotonic.elapsedMs() - this.#roundEndedMs <= withinMs
    );
  }

  /** The delivery that has made no progress for the longest time, in milliseconds. */
  slowest(): { readonly step: Step; readonly stalledMs: number } | undefined {
    let slowest: Delivery | undefined;
    for (const delivery of this.#deliveries.values()) {
      if (slowest === undefined || delivery.sinceMs < slowest.sinceMs) slowest = delivery;
    }
    if (slowest === undefined) return undefined;
    return { step: slowest.step, stalledMs: this.#monotonic.elapsedMs() - slowest.sinceMs };
  }
}
