import type { Channel } from './notification-command.ts';

/**
 * The status of a notification. `sending`: an intent was written, and a provider may have received the message (the outcome
 * is unknown if no outcome follows before the lease expires). `retrying`: a copy waits on a retry tier. The others are final
 * unless an operator redrives: `sent`, `failed` (rejected permanently, or time limit exceeded), `parked` (outcome unknown,
 * never retried automatically).
 */
export type NotificationStatus = 'sending' | 'retrying' | 'sent' | 'failed' | 'parked';

/** Code of notifications that may have been sent: they are parked and never retried automatically. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';

/** One call of one provider. No personal data. */
export interface AttemptRecord {
  /** Round of delivery, counted from 1; the attempts of one round share it. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Name of the provider in the configuration. */
  readonly provider: string;
  readonly result: 'sent' | 'transient' | 'permanent' | 'misconfigured' | 'unknown';
  /** Stable code of the result, such as `smtp-452-4.2.2`; absent when sent. */
  readonly code: string | undefined;
  /** For an unknown outcome: identity of the provider that recognises the id; no other provider may be called. */
  readonly repeatableBy?: string | undefined;
}

/** The latest state of a notification. Payload of message type NotificationState; key of its record is the id. */
export interface NotificationState {
  readonly notificationId: string;
  readonly channel: Channel;
  readonly status: NotificationStatus;
  /** Round of delivery, counted from 1; it never decreases. */
  readonly attempt: number;
  /** Newest last, at most 20. */
  readonly attempts: readonly AttemptRecord[];
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  /** While retrying: time of the next attempt, in epoch milliseconds. */
  readonly nextAttemptAt: number | undefined;
  /** The id that the provider assigned to a sent message. */
  readonly providerMessageId: string | undefined;
  /** Stable code of the reason why it failed, is parked or is retrying. */
  readonly code: string | undefined;
  /** While sending: the process that owns the round, and the end of its lease in epoch milliseconds. */
  readonly owner: string | undefined;
  readonly leaseUntil: number | undefined;
  /** While sending: names of the providers that may be called in this round. */
  readonly providers?: readonly string[] | undefined;
  /** While sending with a single provider that recognises ids: its identity. */
  readonly repeatableBy?: string | undefined;
}

/** The fields of a state that only some have. */
export const BLANK_STATE = {
  nextAttemptAt: undefined,
  providerMessageId: undefined,
  code: undefined,
  owner: undefined,
  leaseUntil: undefined,
} as const;

/**
 * The earliest time that a state has, in epoch milliseconds: of its attempts, or of itself. Unlike its own it does not change when
 * the notification is attempted again later, by a retry or by an operator.
 */
export function earliestTime({
  updatedAt,
  attempts,
}: Pick<NotificationState, 'updatedAt' | 'attempts'>): number {
  return Math.min(updatedAt, ...attempts.map(({ at }) => at));
}

/** A notification that an ingress has accepted. Payload of message type NotificationAcceptance; key of its record is the id. */
export interface NotificationAcceptance {
  readonly notificationId: string;
  readonly channel: Channel;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
  /** Hash of the caller's subject; only this caller may query the notification. */
  readonly owner: string;
  /** HMAC of the body; the same Idempotency-Key with a different body is a conflict (N3). */
  readonly bodyHash: string;
}
