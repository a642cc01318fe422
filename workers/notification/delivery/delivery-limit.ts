import type { GuardedProvider } from '../../../shared/notification/provider.ts';

/** Rounds for each call that a provider can serve: one is sent, the intents and outcomes of the others are written. */
const ROUNDS_PER_CALL = 3;

/**
 * Limits the rounds of a channel that are in progress to three times what its largest provider can serve. Otherwise all
 * lanes would write intents and then queue inside the provider, and the death of the process would leave the outcome of
 * all of them unknown. First come, first served.
 */
export class SendGate {
  readonly #waiting = new Set<(isGranted: boolean) => void>();
  #busy = 0;

  /** Whether a slot was granted within the time; each slot has to be given back by leave(). */
  enter(providers: readonly GuardedProvider[], limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#waiting.size === 0 && this.#busy < capacityOf(providers)) {
      this.#busy += 1;
      return Promise.resolve(true);
    }
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isGranted: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(end);
        resolve(isGranted);
      };
      const giveUp = (): void => end(false);
      const timer = setTimeout(giveUp, limitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(end);
    });
  }

  /** Gives a slot back; while the limit allows, it goes to the round that has waited longest. */
  leave(providers: readonly GuardedProvider[]): void {
    this.#busy -= 1;
    while (this.#waiting.size > 0 && this.#busy < capacityOf(providers)) {
      const [next] = this.#waiting;
      this.#busy += 1;
      next?.(true);
    }
  }
}

/** Unlimited where a provider does not say what it can serve, or where there is no provider. */
function capacityOf(providers: readonly GuardedProvider[]): number {
  const most = Math.max(0, ...providers.map(({ concurrency = Infinity }) => concurrency));
  return most === 0 ? Infinity : most * ROUNDS_PER_CALL;
}
