/** The answers of the notification addresses (N3): the acceptance, and the status of a notification. */

import { z } from 'zod';
import type {
  AttemptRecord,
  NotificationAcceptance,
  NotificationState,
  NotificationStatus,
} from '../../notification/notification-state.ts';

/** The status that a caller sees: while a message is being sent, the status before. */
type ShownStatus = 'accepted' | Exclude<NotificationStatus, 'sending'>;

const STATUSES = [
  'accepted',
  'retrying',
  'sent',
  'failed',
  'parked',
] as const satisfies readonly ShownStatus[];
const moment = () => z.string().meta({ format: 'date-time' });
const id = () => z.string().meta({ format: 'uuid' }).describe('Id of the notification.');

/** The 202 answer. */
export const acceptedReply = z.object({
  notificationId: id(),
  status: z.literal('accepted').describe('The notification is on the log and will be handed to a provider.'),
});

const attempt = z.object({
  attempt: z
    .int()
    .describe('Round of delivery, counted from 1; providers that were tried in one round share it.'),
  at: moment().describe('When it ended.'),
  provider: z.string().describe('Name of the provider in the configuration.'),
  result: z
    .enum(['sent', 'transient', 'permanent', 'misconfigured', 'unknown'])
    .describe('`unknown`: it may or may not have been sent.'),
  code: z
    .string()
    .optional()
    .describe('Stable code of the result, such as `smtp-452-4.2.2`; absent when sent.'),
});

/** The answer of GET. */
export const notificationReply = z.object({
  notificationId: id(),
  status: z
    .enum(STATUSES)
    .describe(
      '`accepted`: stored. `retrying`: tried, and tried again later. `sent`: a provider took it. `failed`: refused permanently, or out of time. `parked`: it is unknown whether it was sent; an operator decides.',
    ),
  channel: z.enum(['sms', 'email']).describe('Channel of the notification.'),
  attempts: z.array(attempt).describe('The last tries, newest last, 20 at most.'),
  updatedAt: moment().describe('When the status last changed.'),
  nextAttemptAt: moment().optional().describe('While retrying: when it is tried again at the earliest.'),
  code: z.string().optional().describe('Why it is retrying, failed or parked: a stable code.'),
});

/** JSON text of the 202 answer. */
export function renderAccepted(notificationId: string): string {
  return JSON.stringify({ notificationId, status: 'accepted' });
}

/** JSON text of the status of a notification; `state` is undefined before the first try. */
export function renderNotification(
  known: NotificationAcceptance | NotificationState,
  state: NotificationState | undefined,
): string {
  const { notificationId, channel } = known;
  if (state === undefined) {
    const updatedAt = isoText('acceptedAt' in known ? known.acceptedAt : known.updatedAt);
    return JSON.stringify({ notificationId, status: 'accepted', channel, attempts: [], updatedAt });
  }
  return JSON.stringify({
    notificationId,
    status: shownStatus(state),
    channel,
    attempts: state.attempts.map(renderAttempt),
    updatedAt: isoText(state.updatedAt),
    nextAttemptAt:
      state.status === 'retrying' && state.nextAttemptAt !== undefined
        ? isoText(state.nextAttemptAt)
        : undefined,
    code: state.code,
  });
}

function shownStatus({ status, attempt: round }: NotificationState): ShownStatus {
  if (status !== 'sending') return status;
  return round > 1 ? 'retrying' : 'accepted';
}

function renderAttempt({ attempt: round, at, provider, result, code }: AttemptRecord): object {
  return { attempt: round, at: isoText(at), provider, result, code };
}

function isoText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
