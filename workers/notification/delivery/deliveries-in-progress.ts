import { monotonicClock, type MonotonicClock } from '../../../shared/platform/clock.ts';
import type { DeliveryState } from '../state/delivery-state.ts';

type Step = DeliveryState['step'];

interface Delivery {
  readonly step: Step;
  /** When it entered the state, or last made progress within it, on the monotonic clock. */
  readonly sinceMs: number;
  /** It has started a round, rather than only repeating effects of an earlier one. */
  readonly isRound: boolean;
}

/** The notifications that this process is delivering, and since when each is in its present state. */
export class DeliveriesInProgress {
  readonly #monotonic: MonotonicClock;
  readonly #deliveries = new Map<string, Delivery>();
  /** End of the last round, on the monotonic clock. */
  #roundEndedMs = -Infinity;

  constructor(monotonic: MonotonicClock = monotonicClock) {
    this.#monotonic = monotonic;
  }

  get size(): number {
    return this.#deliveries.size;
  }

  has(id: string): boolean {
    return this.#deliveries.has(id);
  }

  /** The delivery has entered a state, or has made progress within it. A round begins with the state `queueing`. */
  enter(id: string, step: Step): void {
    const isRound = step === 'queueing' || this.#deliveries.get(id)?.isRound === true;
    this.#deliveries.set(id, { step, sinceMs: this.#monotonic.elapsedMs(), isRound });
  }

  leave(id: string): void {
    if (this.#deliveries.get(id)?.isRound === true) this.#roundEndedMs = this.#monotonic.elapsedMs();
    this.#deliveries.delete(id);
  }

  /** Whether there is a round now, or was within `withinMs`: a notification that waits pauses between two looks. */
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
