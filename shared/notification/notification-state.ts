import type { Channel } from './notification-command.ts';

/**
 * `sending`: an intent is on the log, so a provider may have the message; if the lease ends first, the outcome is unknown.
 * `retrying`: a copy waits on a retry tier. `sent`, `failed` (rejected or too late) and `parked` (outcome unknown) are
 * final unless an operator redrives.
 */
export type NotificationStatus = 'sending' | 'retrying' | 'sent' | 'failed' | 'parked';

/** Code of notifications that may have been sent. They are parked and never retried automatically. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';

/** One call of a provider, without personal data. */
export interface AttemptRecord {
  /** Round of delivery, counted from 1. The attempts of a round share its number. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly provider: string;
  readonly result: 'sent' | 'transient' | 'permanent' | 'misconfigured' | 'unknown';
  /** Stable code of the result, such as `smtp-452-4.2.2`; absent when sent. */
  readonly code: string | undefined;
  /** With an unknown outcome: identity of the provider that recognises the id. No other provider may be called. */
  readonly repeatableBy?: string | undefined;
}

/** The latest state of a notification, under its id. Payload of message type NotificationState. */
export interface NotificationState {
  readonly notificationId: string;
  readonly channel: Channel;
  readonly status: NotificationStatus;
  /** Round of delivery, counted from 1. It never decreases. */
  readonly attempt: number;
  readonly attempts: readonly AttemptRecord[];
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  /** While retrying: time of the next attempt, in epoch milliseconds. */
  readonly nextAttemptAt: number | undefined;
  readonly providerMessageId: string | undefined;
  readonly code: string | undefined;
  /** While sending: the process that owns the round, and the end of its lease (`leaseUntil`) in epoch milliseconds. */
  readonly owner: string | undefined;
  readonly leaseUntil: number | undefined;
  /** While sending: names of the providers that may be called in this round. */
  readonly providers?: readonly string[] | undefined;
  /** While sending with a single provider that recognises ids: its identity. */
  readonly repeatableBy?: string | undefined;
}

export const BLANK_STATE = {
  nextAttemptAt: undefined,
  providerMessageId: undefined,
  code: undefined,
  owner: undefined,
  leaseUntil: undefined,
} as const;

/** Returns the earliest time of a state and its attempts, in epoch milliseconds. A retry or redrive does not change it. */
export function earliestTime(state: Pick<NotificationState, 'updatedAt' | 'attempts'>): number {
  return Math.min(state.updatedAt, ...state.attempts.map(({ at }) => at));
}

/** A notification that an ingress has accepted, under its id. Payload of message type NotificationAcceptance. */
export interface NotificationAcceptance {
  readonly notificationId: string;
  readonly channel: Channel;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
  /** Hash of the caller's subject. Only this caller may query the notification. */
  readonly owner: string;
  /** HMAC of the body. The same Idempotency-Key with another body is a conflict (N3). */
  readonly bodyHash: string;
}
