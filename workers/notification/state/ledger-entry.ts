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
    /** Recognises another text under the id; absent if the record does not have it. */
    readonly textHash?: string | undefined;
    /** While sending: the end of its lease on the monotonic clock of this process. */
    readonly leaseEndsMs?: number;
  };
