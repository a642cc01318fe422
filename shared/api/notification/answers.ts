/** The answers of the notification endpoints (N3): that a notification is accepted, and its status. */

import { z } from 'zod';
import {
  DELIVERY_STATUSES,
  RECEIPT_STATUSES,
  type NotificationAcceptance,
  type NotificationState,
  type NotificationStatus,
} from '../../notification/notification-state.ts';
import { wholeNumber } from '../../platform/json-kinds.ts';
import { faultShape } from '../json/problem-document.ts';
import { dateTime, namedObject } from '../json/field-kinds.ts';

/** What a caller sees: in place of `sending`, `accepted` in the first round and `retrying` in later rounds. */
type ShownStatus = 'accepted' | Exclude<NotificationStatus, 'sending'>;

const STATUSES: readonly ShownStatus[] = [
  'accepted',
  ...DELIVERY_STATUSES.filter((status) => status !== 'sending'),
  ...RECEIPT_STATUSES,
];
const id = () => z.string().meta({ format: 'uuid' }).describe('Id of the notification.');

export const acceptedReply = namedObject('AcceptedNotification', {
  notificationId: id(),
  status: z.literal('accepted').describe('The notification is stored and will be sent to a provider.'),
});

const batchResult = namedObject('NotificationBatchResult', {
  status: z
    .enum(['accepted', 'refused', 'unknown'])
    .describe('`unknown`: it may be stored; repeat the call with its Idempotency-Key.'),
  notificationId: id().optional().describe('Id of an accepted notification.'),
  problem: z.string().optional().describe('Code of the problem that the single call would answer.'),
  detail: z.string().optional().describe('What the code does not say.'),
  errors: z.array(faultShape).readonly().optional().describe('Its first 10 faults.'),
});
export type BatchResult = z.infer<typeof batchResult>;

export const batchReply = namedObject('NotificationBatchReply', {
  results: z.array(batchResult).describe('One for each notification, in the order of the call.'),
});

export function renderBatch(results: readonly BatchResult[]): string {
  return JSON.stringify({ results });
}

export const notificationAttempt = namedObject('NotificationAttempt', {
  attempt: wholeNumber('Round of delivery, counted from 1; all attempts of a round share it.', 1),
  at: dateTime().describe('Time of its end.'),
  provider: z.string().describe('Name of the provider in the configuration.'),
  result: z
    .enum(['sent', 'transient', 'permanent', 'misconfigured', 'unknown'])
    .describe('`unknown`: the provider may or may not have sent the message.'),
  code: z
    .string()
    .optional()
    .describe('Stable code of the result, such as `smtp-452-4.2.2`; absent when sent.'),
});

export const notificationReply = namedObject('Notification', {
  notificationId: id(),
  status: z
    .enum(STATUSES)
    .describe(
      '`accepted`: stored. `retrying`: an attempt failed and another one follows. `sent`: a provider accepted it. `failed`: rejected permanently, or expired. `parked`: the provider may have sent it; an operator decides whether to retry. `suppressed`: the receiver does not want or get such messages. `scheduled`, `cancelled`: waits for its sendAt, or was cancelled before. `undelivered`, `delivered`, `bounced`, `complained`: what the provider reported later.',
    ),
  channel: z.enum(['sms', 'email']).describe('Channel of the notification.'),
  attempts: z.array(notificationAttempt).describe('The last attempts, at most 20, newest last.'),
  updatedAt: dateTime().describe('Time of the last change of the status.'),
  nextAttemptAt: dateTime()
    .optional()
    .describe('While retrying or scheduled: earliest time of the next attempt.'),
  code: z
    .string()
    .optional()
    .describe('Stable code of the reason for retrying, failed, parked, undelivered or bounced.'),
  providerMessageId: z
    .string()
    .optional()
    .describe("The provider's own id of the message, once the provider reported about it (N7)."),
});

export function renderAccepted(notificationId: string): string {
  return JSON.stringify({ notificationId, status: 'accepted' });
}

/** The status as JSON text. `state` is undefined until the first round begins, `receipt` until a provider reports. */
export function renderNotification(
  known: NotificationAcceptance | NotificationState,
  { state, receipt }: Partial<Record<'state' | 'receipt', NotificationState | undefined>>,
): string {
  const { notificationId, channel } = known;
  const updatedAt = 'acceptedAt' in known ? known.acceptedAt : known.updatedAt;
  const attempts = state?.attempts ?? [];
  const next =
    state?.status === 'retrying' || state?.status === 'scheduled' ? state.nextAttemptAt : undefined;
  return JSON.stringify({
    notificationId,
    status: receipt?.status ?? shownStatus(state),
    channel,
    attempts: attempts.map(({ attempt: round, at, provider, result, code }) => {
      return { attempt: round, at: isoText(at), provider, result, code };
    }),
    updatedAt: isoText((receipt ?? state)?.updatedAt ?? updatedAt),
    nextAttemptAt: next === undefined || receipt !== undefined ? undefined : isoText(next),
    code: (receipt ?? state)?.code,
    providerMessageId: receipt?.providerMessageId,
  });
}

export function shownStatus(state: NotificationState | undefined): ShownStatus {
  if (state?.status !== 'sending') return state?.status ?? 'accepted';
  return state.attempt > 1 ? 'retrying' : 'accepted';
}

export function isoText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
