import type { NotificationState } from '../../../shared/notification/notification-state.ts';

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
