import type { Channel } from './command.ts';

/**
 * The status of a notification. `sending`: an intent was written, and a provider may have got the message (the outcome is
 * unknown if nothing follows by the end of the lease). `retrying`: a copy waits on a retry tier. The others are final until
 * a redrive by an operator: `sent`, `failed` (rejected permanently, or out of time), `parked` (outcome unknown, never
 * retried automatically).
 */
export type NotificationStatus = 'sending' | 'retrying' | 'sent' | 'failed' | 'parked';

/** One call of one provider. No personal data. */
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
  /** Of an unknown outcome: identifies the provider that recognises the id, with its settings; no other may be called. */
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
  /** While sending: the owning process, and until when (epoch milliseconds) its outcome may still follow. */
  readonly owner: string | undefined;
  readonly leaseUntil: number | undefined;
  /** While sending: names of the providers that may be called in this round. */
  readonly providers?: readonly string[] | undefined;
  /** While sending, where there is only one provider and it recognises ids: identifies it with its settings. */
  readonly repeatableBy?: string | undefined;
}

/** What an ingress has accepted. Payload of message type NotificationAcceptance; key of its record is the id. */
export interface NotificationAcceptance {
  readonly notificationId: string;
  readonly channel: Channel;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
  /** Hash of the caller's subject: no other caller may query it. */
  readonly owner: string;
  /** HMAC of the body: a repeat of the same Idempotency-Key with another body is a conflict (N3). */
  readonly bodyHash: string;
}
