import { monotonicClock, type MonotonicClock } from '../../../shared/platform/clock.ts';
import type { DeliveryState } from '../state/delivery-state.ts';

type Step = DeliveryState['step'];

/** The notifications that this process is delivering, and since when each is in its present state. */
export class DeliveriesInProgress {
  readonly #monotonic: MonotonicClock;
  readonly #deliveries = new Map<string, { step: Step; sinceMs: number }>();
  #awaitedProviderMs = -Infinity;

  constructor(monotonic: MonotonicClock = monotonicClock) {
    this.#monotonic = monotonic;
  }

  get size(): number {
    return this.#deliveries.size;
  }

  has(id: string): boolean {
    return this.#deliveries.has(id);
  }

  /** The delivery has entered a state, or has made progress within it. */
  enter(id: string, step: Step): void {
    const sinceMs = this.#monotonic.elapsedMs();
    if (step === 'acquiring') this.#awaitedProviderMs = sinceMs;
    this.#deliveries.set(id, { step, sinceMs });
  }

  leave(id: string): void {
    this.#deliveries.delete(id);
  }

  /** Whether a provider is waited for now, or was within `withinMs`: a delivery that waits pauses between two looks. */
  isProviderAwaited(withinMs: number): boolean {
    return this.#monotonic.elapsedMs() - this.#awaitedProviderMs <= withinMs;
  }

  /** The delivery that has made no progress for the longest time, in milliseconds. */
  slowest(): { readonly step: Step; readonly stalledMs: number } | undefined {
    let slowest: { readonly step: Step; readonly sinceMs: number } | undefined;
    for (const delivery of this.#deliveries.values()) {
      if (slowest === undefined || delivery.sinceMs < slowest.sinceMs) slowest = delivery;
    }
    if (slowest === undefined) return undefined;
    return { step: slowest.step, stalledMs: this.#monotonic.elapsedMs() - slowest.sinceMs };
  }
}
