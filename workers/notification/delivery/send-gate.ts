import type { GuardedProvider } from '../../../shared/notification/provider.ts';

/** Rounds begun ahead of each call that a provider can serve: their intents are written while it serves the ones before. */
const ROUNDS_PER_CALL = 3;

/**
 * How many rounds of a channel may be under way: what its largest provider can serve, and twice as many more whose intents
 * and outcomes are being written. Without it all lanes would write intents and then queue inside the provider, and the death of the process
 * would leave the outcome of all of them unknown. First come, first served.
 */
export class SendGate {
  readonly #waiting = new Set<(granted: boolean) => void>();
  #busy = 0;

  /** Answers whether a place was got within the time; it is to be given back then. */
  enter(providers: readonly GuardedProvider[], limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#waiting.size === 0 && this.#busy < capacityOf(providers)) {
      this.#busy += 1;
      return Promise.resolve(true);
    }
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (granted: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(end);
        resolve(granted);
      };
      const giveUp = (): void => end(false);
      const timer = setTimeout(giveUp, limitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(end);
    });
  }

  /** Gives a place back; whoever waits longest gets it, as long as so many are still allowed. */
  leave(providers: readonly GuardedProvider[]): void {
    this.#busy -= 1;
    while (this.#waiting.size > 0 && this.#busy < capacityOf(providers)) {
      const [next] = this.#waiting;
      this.#busy += 1;
      next?.(true);
    }
  }
}

/** No bound where one of them does not say what it can serve, or where there is none to serve. */
function capacityOf(providers: readonly GuardedProvider[]): number {
  const most = Math.max(0, ...providers.map(({ concurrency = Infinity }) => concurrency));
  return most === 0 ? Infinity : most * ROUNDS_PER_CALL;
}
