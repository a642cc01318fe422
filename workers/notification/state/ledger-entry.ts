import type {
  NotificationState,
  NotificationStatus,
} from '../../../shared/notification/notification-state.ts';

/** What the log says of a notification; as much of its state as decisions need. */
export type LedgerEntry = Pick<NotificationState, 'status' | 'attempt'> &
  Partial<
    Pick<
      NotificationState,
      | 'channel'
      | 'owner'
      | 'leaseUntil'
      | 'nextAttemptAt'
      | 'code'
      | 'attempts'
      | 'providers'
      | 'repeatableBy'
    >
  > & {
    /** While sending: when its lease is over, on this process's monotonic clock. */
    readonly leaseEndsMs?: number;
  };

/** Whether the id is that of a notification of the other channel. */
export function isOfOtherChannel(channel: LedgerEntry['channel'], known: LedgerEntry | undefined): boolean {
  return channel !== undefined && known?.channel !== undefined && known.channel !== channel;
}

/** Of two states of one round the one that knows more: a guess that the outcome is unknown gives way to an outcome. */
const RANK: Readonly<Record<NotificationStatus, number>> = {
  sending: 0,
  parked: 1,
  retrying: 2,
  failed: 3,
  sent: 4,
};

/**
 * Whether a state that was read from the log replaces the known one; all readers end with the same state, whatever the
 * order in which outcomes arrive. `sent` is never replaced and replaces everything; else the later round counts, and
 * within a round the outcome. Of two intents of one round by different processes the first on the log counts, and the
 * other process must not send. An id belongs to the channel that had it first.
 */
export function supersedes(next: LedgerEntry, known: LedgerEntry | undefined): boolean {
  if (known === undefined) return true;
  if (isOfOtherChannel(next.channel, known)) return false;
  if (known.status === 'sent') return false;
  if (next.status === 'sent') return true;
  if (next.attempt !== known.attempt) return next.attempt > known.attempt;
  if (next.status === 'sending' && known.status === 'sending') return next.owner === known.owner;
  return RANK[next.status] > RANK[known.status];
}
