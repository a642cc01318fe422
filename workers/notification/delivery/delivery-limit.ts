import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import type { Timers } from '../../../shared/platform/timers.ts';

/** Rounds per call that a provider can serve: one is being sent while the intents and outcomes of the others are written. */
const ROUNDS_PER_CALL = 3;

/**
 * Limits the concurrent rounds of a channel to three times the concurrency of its largest provider. Without the limit, all
 * deliveries would write intents and then queue inside the provider, and a crash of the process would leave all their
 * outcomes unknown. Waiting rounds are served in the order of their arrival.
 */
export class SendGate {
  readonly #timers: Timers;
  readonly #waiting = new Set<(isGranted: boolean) => void>();
  #busy = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Waits for a slot. False after the time in milliseconds or on abort. Each granted slot must be released by leave(). */
  enter(providers: readonly GuardedProvider[], limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#waiting.size === 0 && this.#busy < capacityOf(providers)) {
      this.#busy += 1;
      return Promise.resolve(true);
    }
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isGranted: boolean): void => {
        cancel();
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(end);
        resolve(isGranted);
      };
      const giveUp = (): void => end(false);
      const cancel = this.#timers.schedule(giveUp, limitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(end);
    });
  }

  /** Releases a slot and grants free slots to the rounds that have waited longest. */
  leave(providers: readonly GuardedProvider[]): void {
    this.#busy -= 1;
    while (this.#waiting.size > 0 && this.#busy < capacityOf(providers)) {
      const [next] = this.#waiting;
      this.#busy += 1;
      next?.(true);
    }
  }
}

/** Unlimited if a provider declares no concurrency, or if there is no provider. */
function capacityOf(providers: readonly GuardedProvider[]): number {
  const most = Math.max(0, ...providers.map(({ concurrency = Infinity }) => concurrency));
  return most === 0 ? Infinity : most * ROUNDS_PER_CALL;
}
