/** Notifications in the operations interface: how a call finds one, its timeline, and the sent messages. */

import { z } from 'zod';
import {
  DELIVERY_STATUSES,
  RECEIPT_STATUSES,
  type AttemptRecord,
  type NotificationAcceptance,
  type NotificationState,
} from '../../notification/notification-state.ts';
import { oneOf } from '../../platform/json-kinds.ts';
import { dateTime, described, fieldsOf, namedObject } from '../json/field-kinds.ts';
import { isoText, notificationAttempt } from '../notification/answers.ts';
import {
  channelName,
  line,
  numberFrom,
  OPERATIONS_LIMITS as LIMIT,
  named,
  TEXTS,
} from './operation-fields.ts';

const STATUSES = ['accepted', ...DELIVERY_STATUSES, ...RECEIPT_STATUSES] as const;

/** A place in the list: epoch milliseconds, and the number of the record. */
const CURSOR = /^\d{1,15}\.\d{1,15}$/;

export const cursor = () => line().regex(CURSOR, { error: 'must be the nextCursor of the previous page' });

export const notificationQuery = fieldsOf(TEXTS.notificationQuery, {
  reference: line().optional(),
  caller: line().optional(),
  status: oneOf(STATUSES).optional(),
  channel: channelName().optional(),
  limit: numberFrom(1, LIMIT.pageNotifications).optional(),
  cursor: cursor().optional(),
});

const { attempt: roundNumber, ...attemptFields } = notificationAttempt.shape;

const timelineEvent = z
  .discriminatedUnion('event', [
    namedObject('AcceptedEvent', { event: z.literal('accepted'), at: dateTime() }).describe(
      'The ingress has stored it.',
    ),
    namedObject('AttemptEvent', {
      event: z.literal('attempt'),
      round: roundNumber,
      ...attemptFields,
    }).describe('A call of a provider.'),
    named('SendingEvent', {
      event: z.literal('sending'),
      at: dateTime(),
      round: roundNumber,
      providers: z.array(z.string()),
      until: dateTime().optional(),
    }).describe('A round is in progress.'),
    named('RetryEvent', {
      event: z.literal('retry'),
      at: dateTime(),
      round: roundNumber,
    }).describe('It waits for the next round.'),
    namedObject('EndEvent', {
      event: z.enum(['sent', 'failed', 'parked', 'suppressed', 'cancelled', ...RECEIPT_STATUSES]),
      at: dateTime(),
      code: z.string().optional(),
      providerMessageId: z.string().optional(),
    }).describe('How it ended. `parked`: the provider may have sent it; an operator decides.'),
  ])
  .meta({ id: 'TimelineEvent' });
export type TimelineEvent = z.infer<typeof timelineEvent>;

const foundNotification = named('FoundNotification', {
  notificationId: z.string().meta({ format: 'uuid' }),
  channel: z.enum(['sms', 'email']),
  status: z.enum(STATUSES),
  code: z.string().optional(),
  updatedAt: dateTime(),
  provider: z.string().optional(),
  category: z.enum(['transactional', 'campaign']).optional(),
  receiverHash: z.string().optional(),
});
export type FoundNotification = z.infer<typeof foundNotification>;

export const notificationTimeline = named('NotificationTimeline', {
  ...foundNotification.shape,
  events: z.array(timelineEvent),
  hasEarlierAttempts: z.boolean(),
  deadLetters: z.string().optional(),
});
export type NotificationTimeline = z.infer<typeof notificationTimeline>;

export const foundNotifications = named('FoundNotifications', {
  notifications: z.array(foundNotification),
  nextCursor: z.string().optional(),
});
export type FoundNotifications = z.infer<typeof foundNotifications>;

/** What is known of a notification: its acceptance, its state, or both. */
export interface KnownNotification {
  readonly notificationId: string;
  /** Absent for upstream commands and after its retention; a later notification's if the Idempotency-Key was reused. */
  readonly acceptance: NotificationAcceptance | undefined;
  readonly state: NotificationState | undefined;
  /** The strongest receipt of a provider (N7). */
  readonly receipt?: NotificationState | undefined;
}

/** Whom a notification concerns, from its state or its acceptance; each is undefined if unknown. */
export function partiesOf({ state, acceptance }: KnownNotification) {
  return {
    sender: state?.sender ?? acceptance?.owner,
    category: state?.category ?? acceptance?.category,
    receiverHash: state?.receiverHash ?? acceptance?.receiverHash,
  };
}

/** One line of a list. */
export function describeFound(known: KnownNotification): FoundNotification {
  const { notificationId, acceptance, state, receipt } = known;
  const { channel = acceptance?.channel ?? 'sms', status = 'accepted', code } = receipt ?? state ?? {};
  const { sender: _, ...parties } = partiesOf(known);
  return {
    notificationId,
    channel,
    status,
    code,
    updatedAt: isoText((receipt ?? state)?.updatedAt ?? acceptance?.acceptedAt ?? 0),
    provider: state?.attempts.at(-1)?.provider,
    ...parties,
  };
}

/** The timeline, without texts and addresses of the message. `deadLetters`: the URL that lists its dead letters. */
export function describeTimeline(known: KnownNotification, deadLetters: string): NotificationTimeline {
  const { notificationId, acceptance, state, receipt } = known;
  const shown = describeFound(known);
  const accepted: TimelineEvent[] =
    acceptance?.notificationId === notificationId
      ? [{ event: 'accepted', at: isoText(acceptance.acceptedAt) }]
      : [];
  const { attempts = [] } = state ?? {};
  return {
    ...shown,
    events: [
      ...accepted,
      ...attempts.map(describeAttempt),
      ...[state, receipt].flatMap((one) => (one === undefined ? [] : [describeStatus(one)])),
    ],
    hasEarlierAttempts: (attempts[0]?.attempt ?? 1) > 1,
    ...(['failed', 'parked'].includes(shown.status) && { deadLetters }),
  };
}

function describeAttempt({ attempt, at, provider, result, code }: AttemptRecord): TimelineEvent {
  return { event: 'attempt', at: isoText(at), round: attempt, provider, result, code };
}

function describeStatus(state: NotificationState): TimelineEvent {
  const { status, attempt, code, nextAttemptAt, leaseUntil, providers = [], providerMessageId } = state;
  const at = isoText(state.updatedAt);
  if (status === 'sending') {
    const until = leaseUntil === undefined ? undefined : isoText(leaseUntil);
    return { event: 'sending', at, round: attempt, providers: [...providers], until };
  }
  if (status === 'retrying' || status === 'scheduled') {
    const round = status === 'scheduled' ? attempt : attempt + 1;
    return { event: 'retry', at: nextAttemptAt === undefined ? at : isoText(nextAttemptAt), round };
  }
  return { event: status, at, code, providerMessageId };
}

const message = z.object(
  described(TEXTS.message, {
    id: z.string().meta({ format: 'uuid' }),
    channel: z.enum(['sms', 'email']),
    sender: z.string(),
    receiver: z.string(),
    subject: z.string(),
  }),
);

export const outboxList = namedObject('OutboxMessages', {
  messages: z.array(
    message
      .extend({ writtenAt: dateTime(), bytes: z.int().nonnegative() })
      .meta({ id: 'ListedOutboxMessage' }),
  ),
});
export type OutboxList = z.infer<typeof outboxList>;

export const outboxMessage = message
  .extend(
    described(TEXTS.outboxMessage, {
      headers: z.array(z.string()),
      text: z.string(),
      htmlAddress: z.string().optional(),
      files: z.array(z.string()),
    }),
  )
  .meta({ id: 'OutboxMessage' });
export type OutboxReply = z.infer<typeof outboxMessage>;
