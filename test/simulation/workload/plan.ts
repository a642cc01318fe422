import type { TopicKey } from '../../../shared/messaging/topics/topic-list.ts';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import { Picks } from '../../support/random/pick.ts';
import { chooseActionBody, chooseLastBodies, INVALID_BODIES } from './action-bodies.ts';

/** The ids of the calls when everything has settled begin so: these must succeed. */
const LAST = 'last-';

export function isLastCall(id: string): boolean {
  return id.startsWith(LAST);
}

/** Callers and upstream systems begin their work during this time, in simulated milliseconds. */
export const ARRIVAL_MS = 40_000;
/** Much of it comes in bursts, at multiples of this time. */
export const BURST_EVERY_MS = 8_000;
const BURST_MS = 50;
/** Reply topics of upstream systems; each has a reader of its own. */
export const REPLY_TOPICS = ['upstream.one.replies', 'upstream.two.replies'] as const;
/** Receivers are few, so that notifications to the same receiver overlap. */
const RECEIVERS = 4;
export const REQUESTS = [
  'scheduleRequests',
  'scheduleBulkRequests',
  'productRequests',
  'simulationRequests',
] as const;
const MAX_REPEATS = 3;
const URGENT_EVERY = 5;
const FLOOD = 220;
/** Clocks of upstream systems: behind by more than all time limits, ahead by less than what a run waits for. */
const MAX_BEHIND_MS = 7_200_000;
const MAX_AHEAD_MS = 60_000;

type Planned<Kind extends string, Draft> = Draft & {
  readonly kind: Kind;
  readonly id: string;
  readonly atMs: number;
};
export type ActionCall = Planned<'action', ReturnType<typeof draftAction>>;
export type NotificationCall = Planned<'notification', ReturnType<typeof draftNotification>>;
export type UpstreamRequest = Planned<'request', ReturnType<typeof draftRequest>>;
export type UpstreamCommand = Planned<'command', ReturnType<typeof draftCommand>>;
/** A message that cannot be handled, and must become a dead letter without holding back others. */
export type PoisonMessage = Planned<'poison', ReturnType<typeof draftPoison>>;
export type VerificationCall = Planned<'verification', ReturnType<typeof draftVerification>>;
export type Redrive = Planned<'redrive', { readonly acceptDuplicates: boolean }>;

export type Activity =
  | ActionCall
  | NotificationCall
  | UpstreamRequest
  | UpstreamCommand
  | PoisonMessage
  | VerificationCall
  | Redrive;

/** Every activity is complete in itself, so that any of them can be left out without changing the others. */
export function planActivities(seed: number): readonly Activity[] {
  const picks = new Picks(seed);
  const scale = picks.of(1, 1, 1, 2);
  const counts = {
    action: scale * picks.whole(6, 16),
    notification: scale * picks.whole(6, 16),
    request: scale * picks.whole(3, 8),
    command: picks.whole(1, 5),
    poison: picks.whole(0, 4),
    redrive: picks.of(0, 1, 2),
  };
  const own = new Picks(seed ^ 0x51ed270b);
  const activities = [
    ...(Object.keys(counts) as (keyof typeof counts)[]).flatMap((kind) =>
      Array.from({ length: counts[kind] }, (_, index) => draft(picks, kind, index + 1)),
    ),
    ...Array.from({ length: own.whole(1, 3) }, (_, index) => draft(own, 'verification', index + 1)),
  ];
  return activities.toSorted((one, other) => one.atMs - other.atMs || (one.id < other.id ? -1 : 1));
}

export function planLastCalls(): readonly (ActionCall | NotificationCall)[] {
  return [0, 1].flatMap((ingress) => {
    const actions = chooseLastBodies(ingress).map((body, index): ActionCall => {
      const id = `${LAST}action-${ingress + 1}-${index + 1}`;
      return { kind: 'action', id, atMs: 0, ingress, form: 'direct', isAsync: false, ...body };
    });
    const plain = { isValid: true, isUrgent: false, repeats: [], looksAfterMs: [], key: undefined };
    const notifications = (['sms', 'email'] as const).map((channel): NotificationCall => {
      const id = `${LAST}${channel}-${ingress + 1}`;
      return { kind: 'notification', id, atMs: 0, ingress, channel, receiver: 1, ...plain };
    });
    return [...actions, ...notifications];
  });
}

function draft(picks: Picks, kind: Activity['kind'], number: number): Activity {
  // Bursts make messages overlap; the rest is spread.
  const atMs = picks.chance(40)
    ? picks.whole(0, 4) * BURST_EVERY_MS + picks.whole(0, BURST_MS)
    : picks.whole(0, ARRIVAL_MS);
  const planned = { id: `${kind}-${number}`, atMs };
  switch (kind) {
    case 'action':
      return { ...planned, kind, ...draftAction(picks, number) };
    case 'notification':
      return { ...planned, kind, ...draftNotification(picks, number) };
    case 'request':
      return { ...planned, kind, ...draftRequest(picks, number) };
    case 'command':
      return { ...planned, kind, ...draftCommand(picks, number) };
    case 'poison':
      return { ...planned, kind, ...draftPoison(picks) };
    case 'verification':
      return { ...planned, kind, ...draftVerification(picks) };
    case 'redrive':
      planned.atMs = ARRIVAL_MS + picks.whole(0, ARRIVAL_MS);
      return { ...planned, kind, acceptDuplicates: picks.chance(30) };
    default:
      return kind satisfies never;
  }
}

function draftAction(picks: Picks, number: number) {
  const ingress = picks.whole(0, 3);
  /** The direct form, or the generic one with its input as an object or as text (E2). */
  const form = picks.of('direct', 'direct', 'object', 'text');
  const isAsync = picks.chance(30);
  if (!picks.chance(10)) return { ingress, form, isAsync, ...chooseActionBody(picks, number) };
  const body: object | string = picks.of(...INVALID_BODIES);
  const requestType = 'CalculateRepaymentScheduleRequest';
  return { ingress, requestType, body, form: 'direct' as const, isAsync };
}

function draftNotification(picks: Picks, number: number) {
  const isValid = !picks.chance(6);
  const hasKey = picks.chance(60);
  const repeats = hasKey && isValid ? picks.whole(0, MAX_REPEATS) : 0;
  return {
    ingress: picks.whole(0, 3),
    channel: picks.of<Channel>('sms', 'sms', 'sms', 'sms', 'email'),
    // One receiver gets most, so that notifications wait for earlier ones.
    receiver: picks.of(1, 1, 1, 1, 1, picks.whole(1, RECEIVERS)),
    key: hasKey ? `key-${number}` : undefined,
    isValid,
    /** Sent with `Urgency: high` (N5). */
    isUrgent: number % URGENT_EVERY === 0,
    /** Later calls with the same key; `isOther`: with another text, which must be refused. */
    repeats: Array.from({ length: repeats }, () => ({
      afterMs: picks.of(0, picks.whole(0, 500), picks.whole(0, ARRIVAL_MS)),
      ingress: picks.whole(0, 3),
      isOther: picks.chance(15),
    })),
    looksAfterMs: Array.from({ length: picks.whole(0, 3) }, () => picks.whole(0, ARRIVAL_MS)),
  };
}

function draftRequest(picks: Picks, number: number) {
  const isBatch = picks.chance(35);
  const isBulk = isBatch || picks.chance(20);
  const items = Array.from({ length: isBatch ? picks.whole(1, 8) : 1 }, (_, index) =>
    chooseActionBody(picks, number * 100 + index, isBulk ? 'calculations' : 'all'),
  );
  const [first] = items;
  // The items of a batch in JSON have one type.
  const ofOneType = items.filter(({ requestType }) => requestType === first?.requestType);
  const format = picks.of<'json' | 'avro'>('json', 'avro');
  const topic: TopicKey = isBulk ? 'scheduleBulkRequests' : topicOf(first?.requestType ?? '');
  return {
    topic,
    format,
    replyTopic: picks.of(...REPLY_TOPICS),
    key: picks.of('one', 'two', `key-${number}`),
    copies: picks.of(1, 1, 1, 2, 3),
    isBatch,
    items: format === 'json' ? ofOneType : items,
  };
}

function topicOf(requestType: string): TopicKey {
  if (requestType === 'SimulateRequest') return 'simulationRequests';
  return requestType.startsWith('Get') ? 'productRequests' : 'scheduleRequests';
}

function draftCommand(picks: Picks, number: number) {
  return {
    channel: picks.of<Channel>('sms', 'email'),
    receiver: picks.whole(1, RECEIVERS),
    isUrgent: number % URGENT_EVERY === 0,
    format: picks.of<'json' | 'avro'>('json', 'avro'),
    copies: picks.of(1, 1, 2),
    /** How far the clock of the upstream system is off, in milliseconds; negative: it is behind. */
    clockErrorMs: picks.of(0, 0, picks.whole(-MAX_BEHIND_MS, MAX_AHEAD_MS)),
  };
}

function draftVerification(picks: Picks) {
  return {
    ingress: picks.whole(0, 3),
    channel: picks.of<Channel>('sms', 'email'),
    receiver: picks.whole(1, RECEIVERS),
    steps: Array.from({ length: picks.whole(1, 8) }, () => ({
      afterMs: picks.of(3_000, picks.whole(0, ARRIVAL_MS)),
      ingress: picks.whole(0, 3),
      what: picks.of<'newest' | 'oldest' | 'wrong' | 'resend'>(
        'newest',
        'newest',
        'oldest',
        'wrong',
        'wrong',
        'resend',
      ),
    })),
  };
}

function draftPoison(picks: Picks) {
  const key = picks.of('one', 'two', 'three');
  // A copy of a command that can never return from its retry tier.
  if (picks.chance(10)) return { topic: 'retryTier', fault: 'no-origin', key, count: 1 } as const;
  if (picks.chance(15)) {
    const topic = picks.of('productRequests', 'scheduleBulkRequests', 'scheduleRequests');
    return { topic, fault: 'unknown-reply-topic', key, count: FLOOD } as const;
  }
  const fault = picks.of('garbage', 'no-type', 'no-address', 'unknown-reply-topic');
  // A command needs no reply address.
  const isRequest = fault === 'no-address' || fault === 'unknown-reply-topic';
  const topic = picks.of<TopicKey>(
    ...REQUESTS,
    ...(isRequest ? [] : (['smsCommands', 'emailCommands'] as const)),
  );
  return { topic, fault, key, count: 1 };
}
