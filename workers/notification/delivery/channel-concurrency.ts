import { PRIORITIES, type Priority } from '../../../shared/notification/command.ts';
import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import type { Timers } from '../../../shared/platform/timers.ts';

/** Rounds per call that a provider can serve: one is being sent while the intents and outcomes of the others are written. */
const ROUNDS_PER_CALL = 3;
/** As many more are reserved for urgent rounds, which therefore do not wait for normal ones. */
const URGENT_ROUNDS_PER_CALL = 1;

/** A round that wants a slot. */
export interface SlotRequest {
  readonly providers: readonly GuardedProvider[];
  readonly priority: Priority;
  /** Longest wait in milliseconds. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Limits the concurrent rounds of a channel to three times the concurrency of its largest provider, and as many again as its
 * concurrency for urgent ones. Without the limit, all deliveries would write intents and then queue inside the provider, and a
 * crash of the process would leave all their outcomes unknown. Waiting urgent rounds are served first, and those of one
 * priority in the order of their arrival.
 */
export class ChannelConcurrency {
  readonly #timers: Timers;
  readonly #waiting: Readonly<Record<Priority, Set<(isGranted: boolean) => void>>> = {
    normal: new Set(),
    urgent: new Set(),
  };
  readonly #busy: Record<Priority, number> = { normal: 0, urgent: 0 };

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Waits for a slot. False after the time limit or on abort. Each granted slot must be released by leave(). */
  enter({ providers, priority, limitMs, signal }: SlotRequest): Promise<boolean> {
    const waiting = this.#waiting[priority];
    if (waiting.size === 0 && this.#hasRoom(priority, providers)) {
      this.#busy[priority] += 1;
      return Promise.resolve(true);
    }
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (isGranted: boolean): void => {
        cancel();
        signal.removeEventListener('abort', giveUp);
        waiting.delete(end);
        resolve(isGranted);
      };
      const giveUp = (): void => end(false);
      const cancel = this.#timers.schedule(giveUp, limitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(end);
    });
  }

  /** Releases a slot and grants free slots: to urgent rounds first, then to those that have waited longest. */
  leave(providers: readonly GuardedProvider[], priority: Priority): void {
    this.#busy[priority] -= 1;
    for (const next of PRIORITIES.toReversed()) {
      const waiting = this.#waiting[next];
      while (waiting.size > 0 && this.#hasRoom(next, providers)) {
        const [first] = waiting;
        this.#busy[next] += 1;
        first?.(true);
      }
    }
  }

  /** Urgent rounds may use the slots of normal ones too, but not the reverse. */
  #hasRoom(priority: Priority, providers: readonly GuardedProvider[]): boolean {
    const calls = concurrencyOf(providers);
    const { normal, urgent } = this.#busy;
    const all = calls * (ROUNDS_PER_CALL + URGENT_ROUNDS_PER_CALL);
    if (priority === 'urgent') return normal + urgent < all;
    return normal < calls * ROUNDS_PER_CALL && normal + urgent < all;
  }
}

/** Unlimited if a provider declares no concurrency, or if there is no provider. */
function concurrencyOf(providers: readonly GuardedProvider[]): number {
  const most = Math.max(0, ...providers.map(({ concurrency = Infinity }) => concurrency));
  return most === 0 ? Infinity : most;
}
