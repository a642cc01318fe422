import type { Channel } from './command.ts';

/**
 * How far a notification has come. `sending`: an intent was written, a provider may have got it (the outcome is unknown
 * should nothing follow by the end of the lease). `retrying`: a copy waits on a retry tier. The others are final until an
 * operator sends it again: `failed` (refused for good, or out of time), `parked` (outcome unknown, never repeated blindly).
 */
export type NotificationStatus = 'sending' | 'retrying' | 'sent' | 'failed' | 'parked';

/** One try with one provider. No personal data. */
export interface AttemptRecord {
  /** Round of delivery, counted from 1; providers tried in one round share it. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Name of the provider in the configuration. */
  readonly provider: string;
  readonly result: 'sent' | 'transient' | 'permanent' | 'misconfigured' | 'unknown';
  /** Stable code of the result, such as `smtp-452-4.2.2`; absent when sent. */
  readonly code: string | undefined;
  /** Of an unknown outcome: the provider that knows the id again, as its settings were; nobody else may be asked again. */
  readonly repeatableBy?: string | undefined;
}

/** The latest state of a notification. Payload of message type NotificationState; key of its record is the id. */
export interface NotificationState {
  readonly notificationId: string;
  readonly channel: Channel;
  readonly status: NotificationStatus;
  /** Round of delivery that this state is about, counted from 1. States never go back to a lower one. */
  readonly attempt: number;
  /** Newest last, 20 at most. */
  readonly attempts: readonly AttemptRecord[];
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  /** Epoch milliseconds at which a retrying one is tried again. */
  readonly nextAttemptAt: number | undefined;
  /** The provider's own id of a sent one. */
  readonly providerMessageId: string | undefined;
  /** Why it is failed, parked or retrying: a stable code. */
  readonly code: string | undefined;
  /** While sending: the process that has it, and until when (epoch milliseconds) its outcome may still come. */
  readonly owner: string | undefined;
  readonly leaseUntil: number | undefined;
  /** While sending: names of the providers that may be asked in this round. */
  readonly providers?: readonly string[] | undefined;
  /** While sending, where there is but one and it knows ids again: that provider, as its settings were. */
  readonly repeatableBy?: string | undefined;
}

/** What an ingress has accepted. Payload of message type NotificationAcceptance; key of its record is the id. */
export interface NotificationAcceptance {
  readonly notificationId: string;
  readonly channel: Channel;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
  /** Hash of the caller's subject: nobody else may ask for it. */
  readonly owner: string;
  /** HMAC of the body: a repeat of the same Idempotency-Key with another body is a conflict (N3). */
  readonly bodyHash: string;
}
