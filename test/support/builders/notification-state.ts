import type { NotificationState } from '../../../shared/notification/notification-state.ts';

/** The state of an SMS notification with the given fields; by default, an intent for the first round. */
export function notificationState(
  notificationId: string,
  fields: Partial<NotificationState> = {},
): NotificationState {
  return {
    notificationId,
    channel: 'sms',
    status: 'sending',
    attempt: 1,
    attempts: [],
    updatedAt: 1_700_000_000_000,
    nextAttemptAt: undefined,
    providerMessageId: undefined,
    code: undefined,
    owner: undefined,
    leaseUntil: undefined,
    ...fields,
  };
}
