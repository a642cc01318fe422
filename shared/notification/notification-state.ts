import type { Channel, NotificationCategory } from './notification-command.ts';

/**
 * `scheduled`: a copy waits for its sendAt. `sending`: an intent is on the log, so a provider may have the message. If
 * its lease ends without an outcome, the outcome is unknown. `retrying`: a copy waits on a retry tier. `sent`,
 * `suppressed` and `cancelled` are final. `failed` (such as rejected or too late) and `parked` (outcome unknown) last
 * until an operator redrives the notification or a late outcome arrives.
 */
export const DELIVERY_STATUSES = [
  'scheduled',
  'sending',
  'retrying',
  'sent',
  'failed',
  'parked',
  'suppressed',
  'cancelled',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What a provider reported after it had accepted a message, from the weakest to the strongest (N7). */
export const RECEIPT_STATUSES = ['undelivered', 'delivered', 'bounced', 'complained'] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

export function isReceipt(status: string): status is ReceiptStatus {
  return (RECEIPT_STATUSES as readonly string[]).includes(status);
}

export type NotificationStatus = DeliveryStatus | ReceiptStatus;

/** Code of notifications that may have been sent. They are parked and never retried automatically. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';

/** One call to a provider, without personal data. */
export interface AttemptRecord {
  /** Round of delivery, counted from 1. The attempts of a round share its number. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly provider: string;
  readonly result: 'sent' | 'transient' | 'permanent' | 'misconfigured' | 'unknown';
  /** Stable code of the result, such as `smtp-452-4.2.2`; with `sent` only if a copy (cc, bcc) was rejected. */
  readonly code: string | undefined;
  /** After an unknown outcome: identity of the provider, if it recognises the id. Others could send a second time. */
  readonly repeatableBy?: string | undefined;
}

/** A state of a notification; the message key is the id, of a receipt `<id>/<status>`. Payload of message type NotificationState. */
export interface NotificationState {
  readonly notificationId: string;
  readonly channel: Channel;
  readonly status: NotificationStatus;
  /** Round of delivery, counted from 1. */
  readonly attempt: number;
  readonly attempts: readonly AttemptRecord[];
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  /** While retrying or scheduled: when the next round is due, in epoch milliseconds. */
  readonly nextAttemptAt: number | undefined;
  readonly providerMessageId: string | undefined;
  readonly code: string | undefined;
  /** While sending: the process that owns the round. */
  readonly owner: string | undefined;
  /** While sending: the end of the owner's lease, in epoch milliseconds. */
  readonly leaseUntil: number | undefined;
  /** While sending: names of the providers that may be called in this round. */
  readonly providers?: readonly string[] | undefined;
  /** While sending with a single provider that recognises ids: its identity. */
  readonly repeatableBy?: string | undefined;
  /** Who sent it: the hash of the caller (see hashSubject), or what an upstream command names in `plat-sender`. */
  readonly sender?: string | undefined;
  readonly category?: NotificationCategory | undefined;
  /** Keyed hash of the receiver. Absent without a secret on Kafka. */
  readonly receiverHash?: string | undefined;
}

export const BLANK_STATE = {
  nextAttemptAt: undefined,
  providerMessageId: undefined,
  code: undefined,
  owner: undefined,
  leaseUntil: undefined,
} as const;

/** Returns the earliest time in a state, in epoch milliseconds. Retries and redrives keep the earlier attempts. */
export function earliestTime(state: Pick<NotificationState, 'updatedAt' | 'attempts'>): number {
  return Math.min(state.updatedAt, ...state.attempts.map(({ at }) => at));
}

/** A notification that an ingress has accepted. Payload of message type NotificationAcceptance. */
export interface NotificationAcceptance {
  readonly notificationId: string;
  readonly channel: Channel;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
  /** Hash of the caller's subject. Apart from operators, only this caller may query the notification. */
  readonly owner: string;
  /** HMAC of the command; empty without an Idempotency-Key. The same key with another hash is a conflict (N3). */
  readonly bodyHash: string;
  readonly category?: NotificationCategory | undefined;
  /** As in NotificationState. */
  readonly receiverHash?: string | undefined;
}
