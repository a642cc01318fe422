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
import { dateTime, namedIn } from '../json/field-kinds.ts';
import TEXTS from './field-texts.json' with { type: 'json' };

const named = namedIn(TEXTS);

/** What a caller sees: in place of `sending`, `accepted` in the first round and `retrying` in later rounds. */
type ShownStatus = 'accepted' | Exclude<NotificationStatus, 'sending'>;

const STATUSES: readonly ShownStatus[] = [
  'accepted',
  ...DELIVERY_STATUSES.filter((status) => status !== 'sending'),
  ...RECEIPT_STATUSES,
];
const id = () => z.string().meta({ format: 'uuid' }).describe('Id of the notification.');

export const acceptedReply = named('AcceptedNotification', {
  notificationId: id(),
  status: z.literal('accepted'),
});

const batchResult = named('NotificationBatchResult', {
  status: z.enum(['accepted', 'refused', 'unknown']),
  notificationId: id().optional(),
  problem: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(faultShape).readonly().optional(),
});
export type BatchResult = z.infer<typeof batchResult>;

export const batchReply = named('NotificationBatchReply', {
  results: z.array(batchResult),
});

export const notificationAttempt = named('NotificationAttempt', {
  attempt: wholeNumber('Round of delivery, counted from 1; all attempts of a round share it.', 1),
  at: dateTime(),
  provider: z.string(),
  result: z.enum(['sent', 'transient', 'permanent', 'misconfigured', 'unknown']),
  code: z.string().optional(),
});

export const notificationReply = named('Notification', {
  notificationId: id(),
  status: z.enum(STATUSES),
  channel: z.enum(['sms', 'email']),
  attempts: z.array(notificationAttempt),
  updatedAt: dateTime(),
  nextAttemptAt: dateTime().optional(),
  code: z.string().optional(),
  providerMessageId: z.string().optional(),
});

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
