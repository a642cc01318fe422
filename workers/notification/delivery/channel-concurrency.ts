import type { Priority } from '../../../shared/notification/command.ts';
import type { GuardedProvider } from '../../../shared/notification/provider.ts';
import { openDeadline } from '../../../shared/platform/deadline.ts';
import type { Timers } from '../../../shared/platform/timers.ts';
import { PrioritySlots, type SlotLimits } from '../providers/common/priority-slots.ts';

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
 * crash of the process would leave all their outcomes unknown.
 */
export class ChannelConcurrency {
  readonly #slots = new PrioritySlots();
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Waits for a slot. False after the time limit or on abort. Each granted slot must be released by leave(). */
  async enter({ providers, priority, limitMs, signal }: SlotRequest): Promise<boolean> {
    using deadline = openDeadline(signal, limitMs, this.#timers);
    return await this.#slots.enter({ limits: limitsOf(providers), priority, signal: deadline.signal });
  }

  /** Releases a slot and grants free slots: to urgent rounds first, then to those that have waited longest. */
  leave(providers: readonly GuardedProvider[], priority: Priority): void {
    this.#slots.leave(limitsOf(providers), priority);
  }
}

/** Unlimited if a provider declares no concurrency, or if there is no provider. */
function limitsOf(providers: readonly GuardedProvider[]): SlotLimits {
  const most = Math.max(0, ...providers.map(({ concurrency = Infinity }) => concurrency));
  const calls = most === 0 ? Infinity : most;
  return { normal: calls * ROUNDS_PER_CALL, all: calls * (ROUNDS_PER_CALL + URGENT_ROUNDS_PER_CALL) };
}
