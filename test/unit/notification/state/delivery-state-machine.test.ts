import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptRecord } from '../../../../shared/notification/notification-state.ts';
import {
  advance,
  RECEIVED,
  type Conclusion,
  type DeliveryContext,
  type DeliveryCopy,
  type DeliveryEvent,
  type DeliveryState,
  type DeliveryStep,
  type Failure,
  type RoundResult,
  type Situation,
} from '../../../../workers/notification/state/delivery-state-machine.ts';
import type { LedgerEntry } from '../../../../workers/notification/state/ledger-entry.ts';

const NOW = 1_700_000_000_000;
const SELF = 'this-process';
const MINUTE = 60_000;
const LIMIT = 10 * MINUTE;
const TIERS = [10_000, MINUTE];
const TURN = { providers: [], first: 0 };
const WAITS = { detail: 'the notification waits' };
const TIMES = { nowMs: NOW, ageMs: 1_000 };
const LATE = { nowMs: NOW, ageMs: LIMIT + 1 };

const attempt = (
  result: AttemptRecord['result'],
  at = NOW,
  more: Partial<AttemptRecord> = {},
): AttemptRecord => ({
  attempt: 1,
  at,
  provider: 'one',
  result,
  code: 'busy',
  ...more,
});
const UNKNOWN_BEFORE = { history: [attempt('unknown')] };

const deliveryOf = (
  copy: Partial<DeliveryCopy> = {},
  unknownPolicy: DeliveryContext['unknownPolicy'] = 'park',
): DeliveryContext => ({
  copy: {
    attempt: 2,
    isOriginal: false,
    redriveUnknown: false,
    timeLimitFromMs: NOW - 1_000,
    history: [],
    ...copy,
  },
  plan: { tiersMs: TIERS, timeLimitMs: LIMIT },
  unknownPolicy,
});
const situationOf = (known: LedgerEntry | undefined, more: Partial<Situation> = {}): Situation => ({
  known,
  channel: 'sms',
  self: SELF,
  elapsedMs: 1_000,
  times: TIMES,
  isInProgress: false,
  hasBegun: false,
  isDeadlineOver: false,
  repeatable: [],
  ...more,
});
const read = (known: LedgerEntry | undefined, more: Partial<Situation> = {}): DeliveryEvent => ({
  kind: 'copy-read',
  situation: situationOf(known, more),
});
const notSent = (failure: Failure, isRepeatable = false): RoundResult => ({
  kind: 'not-sent',
  attempts: [attempt('transient')],
  failure,
  isRepeatable,
});
const ended = (round: RoundResult, times = TIMES): DeliveryEvent => ({ kind: 'round-ended', round, times });

/** A step in one line: its state and its effects. */
function shown({ state, effects }: DeliveryStep): string {
  const did = effects.map((effect) => {
    if (effect.kind === 'write-outcome') {
      const { conclusion, isOwnRound } = effect;
      return `write ${textOf(conclusion)}${isOwnRound ? '' : ' by log order'}`;
    }
    if (effect.kind === 'count-outcome') return `count ${effect.conclusion.status}`;
    if (effect.kind === 'write-dead-letter') return `dead letter ${effect.code}`;
    if (effect.kind === 'write-retry-copy') return `retry copy ${effect.attempt}`;
    return effect.kind;
  });
  const { step } = state;
  if (step !== 'ended') return [step, ...did].join(', ');
  const { outcome } = state;
  const result = outcome.kind === 'retry' ? `again in ${outcome.afterMs}` : outcome.kind;
  return [step, ...did, result].join(', ');
}

const textOf = (conclusion: Conclusion): string =>
  conclusion.status === 'sent' ? 'sent' : `${conclusion.status} ${conclusion.code}`;

const sending = (owner: string, leaseEndsMs: number, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  status: 'sending',
  attempt: 2,
  channel: 'sms',
  owner,
  leaseEndsMs,
  ...more,
});
const OURS = sending(SELF, 30_000);
const THEIRS = sending('another', 30_000);
const LOST = sending('another', 999);
const RETRYING: LedgerEntry = { status: 'retrying', attempt: 2, nextAttemptAt: NOW + 5_000 };
const FAILED: LedgerEntry = { status: 'failed', attempt: 2, code: 'smtp-550' };
const PARKED: LedgerEntry = { status: 'parked', attempt: 2, code: 'outcome-unknown' };
const SENT: LedgerEntry = { status: 'sent', attempt: 2 };

const BEGINS = 'queueing, check-order';

describe('after reading a copy', () => {
  it.each<[string, LedgerEntry | undefined, number, string]>([
    ['nothing is known', undefined, 1, BEGINS],
    ['it was sent', SENT, 1, 'ended, done'],
    ['it was sent in this round', SENT, 2, 'ended, done'],
    ['it was sent, and is redriven', SENT, 3, 'ended, done'],
    ['an intent of this process was not followed by a call', OURS, 2, BEGINS],
    [
      'an intent of this process was not followed by a call, and the copy is of a later round',
      OURS,
      3,
      BEGINS,
    ],
    ['an intent of this process is of a later round', OURS, 1, 'ended, done'],
    ['another process may be sending it', THEIRS, 2, 'ended, again in 1000'],
    ['another process may be sending it, in an earlier round', THEIRS, 3, 'ended, again in 1000'],
    ['another process may be sending a later round', THEIRS, 1, 'ended, done'],
    ['the lease of another process ends soon', sending('another', 1_300), 2, 'ended, again in 301'],
    ['the lease of another process ends now', sending('another', 1_000), 2, 'ended, again in 1'],
    ['a lease has expired', LOST, 2, 'recording, write parked outcome-unknown by log order'],
    ['a lease of a later round has expired', LOST, 1, 'ended, done'],
    [
      'a lease has expired, and the copy is of a later round',
      LOST,
      3,
      'recording, write parked outcome-unknown by log order',
    ],
    [
      'an intent has no lease',
      { status: 'sending', attempt: 2 },
      2,
      'recording, write parked outcome-unknown by log order',
    ],
    ['an earlier round ended in a retry', RETRYING, 3, BEGINS],
    ['this round ended in a retry', RETRYING, 2, 'following-up, retry copy 3'],
    ['a later round ended in a retry', RETRYING, 1, 'ended, done'],
    ['it failed in this round', FAILED, 2, 'following-up, dead letter smtp-550'],
    ['it failed without a code', { status: 'failed', attempt: 2 }, 2, 'following-up, dead letter failed'],
    ['it failed in a later round', FAILED, 1, 'ended, done'],
    ['it failed, and is redriven', FAILED, 3, BEGINS],
    ['it is parked', PARKED, 2, 'following-up, dead letter outcome-unknown'],
    ['it is parked in a later round', PARKED, 1, 'ended, done'],
    [
      'it is parked, and redriven without accepting a second send',
      PARKED,
      3,
      'following-up, dead letter outcome-unknown',
    ],
  ])('takes the expected step when %s', (_, known, round, expected) => {
    expect(shown(advance(deliveryOf({ attempt: round }), RECEIVED, read(known)))).toBe(expected);
  });

  it('records a new notification beyond a quota as failed, and continues a known one', () => {
    const quota = 'quota-receiver';
    expect(shown(advance(deliveryOf(), RECEIVED, read(undefined, { quota })))).toBe(
      `recording, write failed ${quota}`,
    );
    const known = { status: 'retrying', attempt: 1 } as const;
    const retried = deliveryOf({ attempt: 2, isOriginal: false });
    expect(shown(advance(retried, RECEIVED, read(known, { quota })))).toBe(BEGINS);
  });

  it('writes a dead letter if its id belongs to the other channel', () => {
    for (const known of [OURS, RETRYING, FAILED, PARKED, SENT]) {
      const event = read({ ...known, channel: 'email' });
      expect(shown(advance(deliveryOf(), RECEIVED, event))).toBe('following-up, dead letter duplicate-id');
    }
  });

  it.each<[string, Partial<DeliveryCopy>, LedgerEntry | undefined, string]>([
    ['an original', { isOriginal: true, attempt: 1 }, undefined, 'ended, refused'],
    [
      'a copy that was attempted',
      { isOriginal: true, attempt: 3 },
      RETRYING,
      'recording, write failed deadline-exceeded',
    ],
    ['a copy from a tier', { isOriginal: false }, undefined, 'recording, write failed deadline-exceeded'],
    ['a copy that may have been sent', UNKNOWN_BEFORE, undefined, 'recording, write parked outcome-unknown'],
  ])('takes the expected step after the deadline of %s', (_, copy, known, expected) => {
    const event = read(known, { isDeadlineOver: true });
    expect(shown(advance(deliveryOf(copy), RECEIVED, event))).toBe(expected);
  });

  it('fails after its time limit only with an attempt since the start of the limit', () => {
    const event = read(undefined, { times: LATE });
    const from = NOW - LIMIT - 1;
    const at = (time: number) => ({ timeLimitFromMs: from, history: [attempt('transient', time)] });
    expect(shown(advance(deliveryOf(at(from)), RECEIVED, event))).toBe(
      'recording, write failed time-limit-exceeded',
    );
    expect(advance(deliveryOf(at(from - 1)), RECEIVED, event).state).toEqual({
      step: 'queueing',
      isOverdue: true,
    });
    const onTime = read(undefined, { times: { ...TIMES, ageMs: LIMIT } });
    expect(advance(deliveryOf(at(from)), RECEIVED, onTime).state).toEqual({
      step: 'queueing',
      isOverdue: false,
    });
  });
});

const effectOf = (known: LedgerEntry, repeatable: readonly string[], delivery = deliveryOf()) =>
  advance(delivery, RECEIVED, read(known, { repeatable })).effects[0];

describe('a round without an outcome', () => {
  const intent = sending('gone', 0, { providers: ['one'], repeatableBy: 'hash' });
  it('records the provider only if no other one could have been called', () => {
    const lost = { attempt: 2, at: NOW, result: 'unknown', code: 'lease-over' };
    expect(effectOf(intent, [])).toMatchObject({
      attempts: [{ ...lost, provider: 'one', repeatableBy: 'hash' }],
    });
    expect(effectOf({ ...intent, providers: ['one', 'two'] }, [])).toEqual({
      kind: 'write-outcome',
      conclusion: { status: 'parked', code: 'outcome-unknown' },
      attempts: [{ ...lost, provider: '-' }],
      isOwnRound: false,
    });
    const { repeatableBy: _, ...forgetful } = intent;
    expect(effectOf(forgetful, [])).toMatchObject({ attempts: [{ ...lost, provider: 'one' }] });
  });

  it('is repeated only by that provider with unchanged settings, or by any if a second send is accepted', () => {
    const retrying = { conclusion: { status: 'retrying', code: 'lease-over' } };
    const parked = { conclusion: { status: 'parked' } };
    expect(effectOf(intent, ['other', 'hash'])).toMatchObject(retrying);
    expect(effectOf(intent, ['other'])).toMatchObject(parked);
    expect(effectOf({ ...intent, providers: ['one', 'two'] }, ['hash'])).toMatchObject(parked);
    expect(effectOf(intent, [], deliveryOf({}, 'resend'))).toMatchObject(retrying);
    expect(effectOf(intent, [], deliveryOf({ redriveUnknown: true }))).toMatchObject(retrying);
  });
});

const QUEUEING: DeliveryState = { step: 'queueing', isOverdue: false };
const ACQUIRING: DeliveryState = { step: 'acquiring', isOverdue: false };
const OVERDUE: DeliveryState = { step: 'acquiring', isOverdue: true };
const CLAIMING: DeliveryState = { step: 'claiming', turn: TURN };
const SENDING: DeliveryState = { step: 'sending' };
const recording = (conclusion: Conclusion): DeliveryState => ({
  step: 'recording',
  conclusion,
  attempts: [],
});
const RECORDING = recording({ status: 'sent', providerMessageId: undefined });
const FOLLOWING_UP: DeliveryState = { step: 'following-up' };
const ENDED: DeliveryState = { step: 'ended', outcome: { kind: 'done' } };

const sentRound: RoundResult = { kind: 'sent', attempts: [attempt('sent')], providerMessageId: 'abc' };
const EVENTS: readonly DeliveryEvent[] = [
  read(undefined),
  { kind: 'first-in-line' },
  { kind: 'queued' },
  { kind: 'no-send-slot' },
  { kind: 'no-eligible-provider' },
  { kind: 'no-provider', isUnserved: false },
  { kind: 'eligible-unavailable', afterMs: 30_000, nowMs: NOW },
  { kind: 'provider-acquired', turn: TURN },
  { kind: 'claimed', leaseEndsMs: 9 },
  { kind: 'claim-lost' },
  { kind: 'nothing-sent' },
  ended(sentRound),
  { kind: 'outcome-recorded' },
  { kind: 'outcome-superseded' },
  { kind: 'follow-up-written' },
  { kind: 'retry-copy-rejected', code: 'message-too-large', attempt: 2, attempts: [] },
];

/** The step that follows an event, or the error text if it is impossible. */
function after(state: DeliveryState, event: DeliveryEvent): string {
  try {
    return shown(advance(deliveryOf(), state, event));
  } catch (error) {
    return (error as Error).message;
  }
}

/** The possible events of each state and the steps that follow them. */
const TRANSITIONS: readonly (readonly [
  DeliveryState,
  Readonly<Partial<Record<DeliveryEvent['kind'], string>>>,
])[] = [
  [RECEIVED, { 'copy-read': BEGINS }],
  [
    QUEUEING,
    {
      queued: 'ended, done',
      'first-in-line': 'acquiring, acquire-provider',
    },
  ],
  [
    ACQUIRING,
    {
      'no-send-slot': 'ended, again in 1000',
      'no-provider': 'ended, release-send-slot, again in 100',
      'eligible-unavailable': 'following-up, release-send-slot, retry copy 2',
      'no-eligible-provider': 'recording, release-send-slot, write parked outcome-unknown',
      'provider-acquired': 'claiming, write-intent',
    },
  ],
  [CLAIMING, { claimed: 'sending, call-providers', 'claim-lost': 'ended, release-send-slot, again in 100' }],
  [
    SENDING,
    {
      'nothing-sent': 'ended, release-send-slot, again in 100',
      'round-ended': 'recording, release-send-slot, write sent',
    },
  ],
  [RECORDING, { 'outcome-recorded': 'ended, count sent, done', 'outcome-superseded': 'ended, again in 100' }],
  [
    FOLLOWING_UP,
    {
      'follow-up-written': 'ended, done',
      'retry-copy-rejected':
        'recording, dead letter message-too-large, write failed message-too-large by log order',
    },
  ],
  [ENDED, {}],
];

describe('every event in every state', () => {
  it.each(TRANSITIONS)('%o', (state, expected) => {
    for (const event of EVENTS) {
      const impossible = `event ${event.kind} is impossible in state ${state.step}`;
      expect(after(state, event)).toBe(expected[event.kind] ?? impossible);
    }
  });

  it('retries with the problem not-ready', () => {
    const { state } = advance(deliveryOf(), ACQUIRING, { kind: 'no-send-slot' });
    expect(state).toMatchObject({ outcome: { problem: WAITS } });
  });
});

describe('waiting for a provider', () => {
  it.each([
    [ACQUIRING, true, 'ended, release-send-slot, again in 100'],
    [OVERDUE, false, 'ended, release-send-slot, again in 100'],
    [OVERDUE, true, 'recording, release-send-slot, write failed time-limit-exceeded'],
  ])('in %o with isUnserved %s leads to: %s', (state, isUnserved, expected) => {
    expect(shown(advance(deliveryOf(), state, { kind: 'no-provider', isUnserved }))).toBe(expected);
  });
});

describe('the end of a round', () => {
  const timeout: Failure = { kind: 'unknown', code: 'timeout' };
  it.each<[string, RoundResult, DeliveryContext, string, typeof TIMES?]>([
    ['a rejection fails', notSent({ kind: 'permanent', code: 'gone' }), deliveryOf(), 'failed gone'],
    [
      'a rejection parks a notification that may have been sent',
      notSent({ kind: 'permanent', code: 'gone' }),
      deliveryOf(UNKNOWN_BEFORE),
      'parked outcome-unknown',
    ],
    [
      'a transient failure is retried',
      notSent({ kind: 'transient', code: 'busy' }),
      deliveryOf(),
      'retrying busy',
    ],
    [
      'a transient failure after the time limit fails',
      notSent({ kind: 'transient', code: 'busy' }),
      deliveryOf(),
      'failed time-limit-exceeded',
      LATE,
    ],
    [
      'a transient failure after the time limit parks a notification that may have been sent',
      notSent({ kind: 'transient', code: 'busy' }),
      deliveryOf(UNKNOWN_BEFORE),
      'parked outcome-unknown',
      LATE,
    ],
    ['an unknown outcome is parked', notSent(timeout), deliveryOf(), 'parked outcome-unknown'],
    [
      'an unknown outcome is retried by policy',
      notSent(timeout),
      deliveryOf({}, 'resend'),
      'retrying timeout',
    ],
    [
      'an unknown outcome is retried if an operator accepts a second send',
      notSent(timeout),
      deliveryOf({ redriveUnknown: true }),
      'retrying timeout',
    ],
    [
      'an unknown outcome is retried if the provider recognises the id',
      notSent(timeout, true),
      deliveryOf(),
      'retrying timeout',
    ],
    [
      'an unknown outcome after the time limit is parked',
      notSent(timeout, true),
      deliveryOf({}, 'resend'),
      'parked outcome-unknown',
      LATE,
    ],
  ])('%s', (...[, round, delivery, expected, times]) => {
    expect(shown(advance(delivery, SENDING, ended(round, times)))).toBe(
      `recording, release-send-slot, write ${expected}`,
    );
  });
});

describe('after an outcome', () => {
  it.each<[Conclusion, string]>([
    [
      { status: 'retrying', code: 'busy', nextAttemptAt: NOW + 1, tierMs: 10_000 },
      'following-up, count retrying, retry copy 3',
    ],
    [{ status: 'failed', code: 'gone' }, 'following-up, count failed, dead letter gone'],
    [
      { status: 'parked', code: 'outcome-unknown' },
      'following-up, count parked, dead letter outcome-unknown',
    ],
  ])('%o', (conclusion, expected) => {
    expect(shown(advance(deliveryOf(), recording(conclusion), { kind: 'outcome-recorded' }))).toBe(expected);
  });
});

describe('any run', () => {
  const result = fc.constantFrom<AttemptRecord['result']>('transient', 'unknown');
  const deliveries = fc
    .record({
      attempt: fc.integer({ min: 1, max: 4 }),
      isOriginal: fc.boolean(),
      redriveUnknown: fc.boolean(),
      history: fc.array(
        result.map((one) => attempt(one)),
        { maxLength: 2 },
      ),
    })
    .chain((copy) =>
      fc
        .constantFrom<DeliveryContext['unknownPolicy']>('park', 'resend')
        .map((policy) => deliveryOf(copy, policy)),
    );
  const reads = fc
    .record({
      known: fc.constantFrom(undefined, OURS, THEIRS, LOST, RETRYING, FAILED, PARKED, SENT),
      times: fc.constantFrom(TIMES, LATE),
      isDeadlineOver: fc.boolean(),
      hasBegun: fc.boolean(),
    })
    .map(({ known, ...more }) => read(known, more));
  const failures: readonly Failure[] = [
    { kind: 'transient', code: 'busy' },
    { kind: 'permanent', code: 'gone' },
    { kind: 'unknown', code: 'timeout' },
  ];
  const events: readonly DeliveryEvent[] = [
    ...EVENTS.slice(1),
    ...failures.flatMap((failure) => [ended(notSent(failure)), ended(notSent(failure, true))]),
  ];
  const possibleIn = ({ step }: DeliveryState): readonly DeliveryEvent[] => {
    const [, next = {}] = TRANSITIONS.find(([state]) => state.step === step) ?? [];
    return events.filter(({ kind }) => kind in next);
  };

  it('calls providers at most once, after its intent, and never fails a notification that may have been sent', () => {
    fc.assert(
      fc.property(
        deliveries,
        reads,
        fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
        (delivery, first, choices) => {
          let step = advance(delivery, RECEIVED, first);
          const steps = [step];
          for (const choice of choices) {
            const possible = possibleIn(step.state);
            const event = possible[choice % possible.length];
            if (event === undefined) break;
            step = advance(delivery, step.state, event);
            steps.push(step);
          }
          const kinds = steps.flatMap(({ effects }) => effects.map(({ kind }) => kind));
          const position = (kind: string) => kinds.indexOf(kind as (typeof kinds)[number]);
          expect(kinds.filter((kind) => kind === 'call-providers').length).toBeLessThanOrEqual(1);
          const isCallClaimed =
            position('call-providers') < 0 || position('write-intent') < position('call-providers');
          const hasFailed = steps.some(
            ({ state }) => state.step === 'recording' && state.conclusion.status === 'failed',
          );
          const mayHaveBeenSent = delivery.copy.history.some(({ result: one }) => one === 'unknown');
          const isDone = step.state.step === 'ended' && step.state.outcome.kind === 'done';
          const isFollowedUp =
            !isDone || position('write-outcome') < 0 || position('count-outcome') > position('write-outcome');
          expect({ isCallClaimed, isParked: !(hasFailed && mayHaveBeenSent), isFollowedUp }).toEqual({
            isCallClaimed: true,
            isParked: true,
            isFollowedUp: true,
          });
        },
      ),
      { numRuns: 500 },
    );
  });
});
