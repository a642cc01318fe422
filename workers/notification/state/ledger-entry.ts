import type {
  NotificationState,
  NotificationStatus,
} from '../../../shared/notification/notification-state.ts';

/** The part of a notification's state on the log on which decisions depend. */
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
    /** While sending: the end of its lease on the monotonic clock of this process. */
    readonly leaseEndsMs?: number;
  };

/** Whether the id belongs to a notification of the other channel. */
export function isOfOtherChannel(channel: LedgerEntry['channel'], known: LedgerEntry | undefined): boolean {
  return channel !== undefined && known?.channel !== undefined && known.channel !== channel;
}

/** Precedence of the states of one round: a known outcome replaces the assumption that it is unknown. */
const RANK: Readonly<Record<NotificationStatus, number>> = {
  sending: 0,
  parked: 1,
  retrying: 2,
  failed: 3,
  sent: 4,
};

/**
 * Whether a state that was read from the log replaces the known one. All readers end with the same state, whatever the
 * order of the outcomes. `sent` replaces any state and is never replaced; otherwise the later round wins, and within a
 * round the state of the higher rank, such as an outcome over an intent. Of two intents of one round by different processes
 * the first on the log wins, and the other process must not send. An id belongs to the channel that used it first.
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
