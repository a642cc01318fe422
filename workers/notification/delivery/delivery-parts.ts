import type { DeadLetters } from '../../../shared/messaging/handler/dead-letter.ts';
import type { Publisher } from '../../../shared/messaging/ports.ts';
import type { Channel } from '../../../shared/notification/command.ts';
import type { NotificationStatus } from '../../../shared/notification/notification-state.ts';
import type { GuardedProvider, Providers, SendResult } from '../../../shared/notification/provider.ts';
import type { RetryPlan } from '../../../shared/notification/retry-plan.ts';
import type { Clock, MonotonicClock } from '../../../shared/platform/clock.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Hold } from '../ordering/hold-topic.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Told what happens, for metrics. Must not throw. */
export interface DeliveryObserver {
  readonly onAttempt: (provider: GuardedProvider, result: SendResult) => void;
  readonly onOutcome: (channel: Channel, status: NotificationStatus, code: string | undefined) => void;
  readonly onDeadLetter: (code: string) => void;
  /** A message was put behind the waiting head of its key: itself, or only its place. */
  readonly onHeld: (channel: Channel, kind: 'whole' | 'place') => void;
}

/** What the delivery of one channel works with. */
export interface DeliveryParts {
  readonly channel: Channel;
  readonly ledger: Ledger;
  readonly hold: Hold;
  readonly providers: Providers;
  /** Carries copies to the retry tiers. */
  readonly copies: Publisher;
  readonly deadLetters: DeadLetters;
  readonly plan: RetryPlan;
  readonly unknownPolicy: 'park' | 'resend';
  /** Longest time that one provider takes, in milliseconds. */
  readonly sendTimeoutMs: number;
  /** Name of the tier topic for a delay. */
  readonly tierTopic: (delayMs: number) => string;
  /** Dates what is written. */
  readonly clock: Clock;
  /** Measures durations and waits. */
  readonly monotonic: MonotonicClock;
  /** Judges how old a notification is. */
  readonly ageClock: Clock;
  /** Resolves after the time, or as soon as the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** This process, as owner of intents. */
  readonly self: string;
  /** Aborted when the worker takes no new work. */
  readonly closing: AbortSignal;
  readonly observer: DeliveryObserver;
  readonly log: Log;
}
