import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeadLetters } from '../../../../shared/messaging/handler/dead-letter.ts';
import { DEADLINE_SKEW_MS } from '../../../../shared/messaging/handler/request-deadline.ts';
import { type Request } from '../../../../shared/messaging/handler/request.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import type { Priority } from '../../../../shared/notification/notification-command.ts';
import { createCommandCheck } from '../../../../shared/notification/command-proof.ts';
import type { NotificationState } from '../../../../shared/notification/notification-state.ts';
import { InfrastructureError, MessagingError } from '../../../../shared/platform/errors.ts';
import type { QuotaDecision, Quotas } from '../../../../shared/quotas/quotas.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import {
  CommandDelivery,
  type CommandDeliveryOptions,
} from '../../../../workers/notification/delivery/deliver-copy.ts';
import type { DeliveryLog } from '../../../../workers/notification/state/delivery-log.ts';
import { readCopy } from '../../../../workers/notification/retry/command-copy.ts';
import { anSms } from '../../../support/builders/outbound-messages.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';
import { virtualTime } from '../../../support/fakes/virtual-time.ts';
import {
  permanent,
  SENT,
  type ScriptedProvider,
  scriptedProviders,
  transient,
  unknown,
} from '../../../support/fakes/scripted-providers.ts';

const NOW = 1_700_000_000_000;
const START_MS = 5_000;
const ID = '0b1f2f2e-6f5a-4c59-8a8e-0d6a1d0c7a11';
const { signal } = new AbortController();

function world(over: Partial<CommandDeliveryOptions> = {}, known?: NotificationState) {
  const { time, pass: _pass, ...ports } = virtualTime({ wallMs: NOW, elapsedMs: START_MS });
  const done: string[] = [];
  const note = async (step: string) => void done.push(step);
  const written: NotificationState[] = [];
  const providers = scriptedProviders();
  const copies = new FakePublisher();
  copies.onPublish = ([message]) => note(`publish ${message?.topic}`);
  const write = (how: string) => async (state: NotificationState) => {
    done.push(`${how} ${state.status}`);
    written.push(state);
    return true;
  };
  const deliveryLog = {
    find: () => known,
    mayMiss: () => false,
    claim: write('claim'),
    settle: write('settle'),
    declare: write('declare'),
  } as unknown as DeliveryLog;
  const order: CommandDeliveryOptions['orders']['normal'] = {
    enqueue: () => Promise.resolve('first-in-line'),
    setFirst: () => note('set first'),
  };
  const deadLetters = {
    write: (_: unknown, { code }: { code: string }) => note(`dead letter ${code}`),
  } as unknown as DeadLetters;
  const delivery = new CommandDelivery({
    channel: 'sms',
    deliveryLog,
    orders: { normal: order, urgent: order },
    providers,
    copies,
    deadLetters: { normal: deadLetters, urgent: deadLetters },
    plan: { tiersMs: [10_000], timeLimitMs: 600_000 },
    unknownPolicy: 'park',
    checkText: createCommandCheck(undefined),
    suppressions: { isKeyed: true, faultsOf: () => [], unsubscribeUrl: () => undefined },
    tierTopic: (delayMs) => `tier-${delayMs}`,
    ...ports,
    sendTimeoutMs: 1_000,
    self: 'self',
    closing: signal,
    onAttempt: ({ name }, { kind }) => done.push(`${name} ${kind}`),
    onOutcome: (_, status, code) => done.push(`count ${status} ${code}`),
    onDeadLetter: (code) => done.push(`count dead letter ${code}`),
    log: silentLog,
    ...over,
  });
  const deliver = (headers = {}, deadlineMs?: number, id = ID, priority: Priority = 'normal') => {
    const message = fakeMessage(7, { headers, timestampMs: NOW });
    const context = { signal, deadlineMs } as Request;
    return delivery.deliver(readCopy(message, NOW, id, priority), anSms(), context);
  };
  return { ...ports, time, done, written, providers, copies, deliveryLog, delivery, deliver };
}

const UNKNOWN_BEFORE = { attempt: 1, at: NOW, provider: 'one', result: 'unknown', repeatableBy: 'one' };
const WAIT_SOON = { kind: 'retry', afterMs: 100 };
const DOWN = () => ({ kind: 'open', afterMs: 60_000, code: 'down' }) as const;
/** What was done, in its order. */
const stepsOf = (done: readonly string[]) => done.join(', ');
const SENT_STEPS = 'claim sending, one sent, settle sent, count sent undefined';
const endsAs = (status: string, code: string, how = 'settle') =>
  `${how} ${status}, count ${status} ${code}, dead letter ${code}, count dead letter ${code}`;
const REFUSED: QuotaDecision = { kind: 'refused', quota: 'quota-receiver', resetsAtMs: 0 };
const FAILED_STEPS = endsAs('failed', 'quota-receiver');
const quotasThat = (decision: QuotaDecision) => ({ admit: () => decision }) as unknown as Quotas;

it.each(['parked', 'sending'] as const)(
  'a copy of the round after one that is known as %s waits until the log is read, then for its outcome, a retry',
  async (status) => {
    const assumed = { status, attempt: 1, channel: 'sms', owner: 'another' } as unknown as NotificationState;
    const { providers, done, deliveryLog, deliver } = world({}, assumed);
    providers.add('one');
    const behind = new MessagingError('tail-behind', 'not read', { canRetry: true });
    deliveryLog.caughtUp = () => Promise.reject(behind);
    await expect(deliver({ 'plat-attempt': '2' })).rejects.toBe(behind);
    expect(done).toEqual([]);
    deliveryLog.caughtUp = async () => {
      deliveryLog.find = () => ({ status: 'retrying', attempt: 1, channel: 'sms' });
    };
    await deliver({ 'plat-attempt': '2' });
    expect(stepsOf(done)).toBe(SENT_STEPS);
  },
);

const RETRIED = 'settle retrying, count retrying busy, publish tier-10000, set first';
it.each([
  ['sent', SENT, SENT_STEPS],
  ['transient', transient(), `claim sending, one transient, ${RETRIED}`],
  ['permanent', permanent(), `claim sending, one permanent, ${endsAs('failed', 'refused')}`],
  ['unknown', unknown(), `claim sending, one unknown, ${endsAs('parked', 'outcome-unknown')}`],
])('performs the steps of a delivery in order when the round is %s', async (_, result, expected) => {
  const { providers, done, deliver, delivery } = world();
  providers.add('one').answer = () => result;
  expect(await deliver()).toEqual({ kind: 'done' });
  expect(stepsOf(done)).toBe(expected);
  expect(delivery.inProgress.size).toBe(0);
});

it.each<[string, readonly Partial<ScriptedProvider>[], Partial<NotificationState>]>([
  ['a provider that recognises ids', [{ isIdempotent: true }], { repeatableBy: 'p0' }],
  ['its settings', [{ isIdempotent: true, identity: 'a1b2' }], { repeatableBy: 'a1b2' }],
  ['no provider that recognises ids', [{}], { repeatableBy: undefined }],
  ['two providers', [{ isIdempotent: true }, { isIdempotent: true }], { repeatableBy: undefined }],
  ['those after one that is down', [{ admission: DOWN }, {}, {}], { providers: ['p1', 'p2'] }],
])('writes an intent with owner, lease and %s', async (_, given, expected) => {
  const { providers, written, deliver } = world();
  for (const [index, more] of given.entries()) providers.add(`p${index}`, more);
  await deliver();
  const names = expected.providers ?? given.map((_one, index) => `p${index}`);
  expect(written[0]).toEqual({
    notificationId: ID,
    channel: 'sms',
    status: 'sending',
    attempt: 1,
    attempts: [],
    updatedAt: NOW,
    owner: 'self',
    leaseUntil: NOW + 1_500 * names.length + 5_000,
    providers: names,
    category: 'transactional',
    ...expected,
  });
});

describe('the quota of an upstream command', () => {
  const record = { topic: 'usage', key: ID, value: null };
  const known = { status: 'retrying', attempt: 1, channel: 'sms' } as unknown as NotificationState;

  it.each<[string, QuotaDecision, object, NotificationState | undefined, string]>([
    ['is counted with a record', { kind: 'admitted', record }, {}, undefined, `publish usage, ${SENT_STEPS}`],
    ['was counted', { kind: 'admitted', record: undefined }, {}, undefined, SENT_STEPS],
    ['is used up', REFUSED, {}, undefined, FAILED_STEPS],
    ['was counted by the ingress', REFUSED, { [HEADER.quotaCounted]: 'true' }, undefined, SENT_STEPS],
    ['is not asked for a copy', REFUSED, { [HEADER.attempt]: '2' }, undefined, SENT_STEPS],
    ['is not asked for a known one', REFUSED, {}, { ...known, attempt: 0 }, SENT_STEPS],
  ])('%s', async (...[, decision, headers, entry, expected]) => {
    const { providers, done, deliver } = world({ quotas: quotasThat(decision) }, entry);
    providers.add('one');
    expect(await deliver(headers)).toEqual({ kind: 'done' });
    expect(stepsOf(done)).toBe(expected);
  });

  it('lets the command be received again while it is not known', async () => {
    const { done, deliver } = world({ quotas: quotasThat({ kind: 'unknown' }) });
    await expect(deliver()).rejects.toMatchObject({ code: 'quotas-unknown', canRetry: true });
    expect(done).toEqual([]);
  });
});

it('ends the notification of a copy that cannot be read, and never one of another text', async () => {
  const { done, delivery } = world();
  const copy = readCopy(fakeMessage(7, { headers: {}, timestampMs: NOW }), NOW, ID);
  expect(await delivery.reject(copy, 'undecodable-message', signal)).toEqual({ kind: 'done' });
  expect(stepsOf(done)).toBe(endsAs('failed', 'undecodable-message'));
  const foreign = readCopy(fakeMessage(7), NOW, ID.replace('-4c', '-8c'));
  done.length = 0;
  expect(await delivery.reject(foreign, 'invalid-request', signal, anSms())).toEqual({ kind: 'done' });
  expect(stepsOf(done)).toBe('dead letter foreign-id, count dead letter foreign-id');
});

it('refuses a command after the deadline, which other clocks may have', async () => {
  const { providers, done, deliver } = world();
  providers.add('one');
  expect(await deliver({}, NOW - DEADLINE_SKEW_MS - 1)).toMatchObject({ kind: 'refused' });
  expect(done).toEqual([]);
  expect(await deliver({}, NOW - DEADLINE_SKEW_MS)).toMatchObject({ kind: 'done' });
  expect(stepsOf(done)).toBe(SENT_STEPS);
});

it('does not send if the lease is too short after a slow claim, and delivers later', async () => {
  const { time, providers, done, deliveryLog, deliver } = world();
  providers.add('one');
  deliveryLog.claim = () => {
    time.elapsedMs += 5_001;
    return Promise.resolve(true);
  };
  expect(await deliver()).toMatchObject(WAIT_SOON);
  expect(done).toEqual([]);
  deliveryLog.claim = () => Promise.resolve(true);
  expect(await deliver()).toEqual({ kind: 'done' });
});

describe('an intent without an outcome', () => {
  const intent = { status: 'sending', attempt: 1, channel: 'sms', owner: 'self' } as NotificationState;

  it('is retried later if another outcome precedes it on the log', async () => {
    const { done, deliveryLog, deliver } = world({}, { ...intent, owner: 'another' });
    deliveryLog.declare = () => Promise.resolve(false);
    expect(await deliver()).toMatchObject({ kind: 'retry' });
    expect(done).toEqual([]);
  });

  it('is parked if the delivery log may have lost its entry, unless an operator accepts a second send', async () => {
    const { providers, done, deliveryLog, deliver } = world();
    providers.add('one');
    deliveryLog.mayMiss = (originTimestampMs) => originTimestampMs === NOW;
    await deliver();
    expect(stepsOf(done)).toBe(endsAs('parked', 'outcome-unknown', 'declare'));
    done.length = 0;
    await deliver({ 'plat-redrive-unknown': 'true', 'plat-redrive-count': '1', 'plat-attempt': '2' });
    expect(done).toContain('settle sent');
  });
});

describe('waiting for a provider', () => {
  it.each([
    ['an hour forward', 3_600_000],
    ['an hour back', -3_600_000],
    ['correctly', 0],
  ])('ends after ten seconds when the clock is set %s', async (_, jumpMs) => {
    const { time, timers, done, providers, deliver } = world();
    timers.schedule(() => void (time.wallMs += jumpMs), 5_000);
    providers.add('one', { admission: jumpMs === 0 ? () => ({ kind: 'wait', afterMs: 20 }) : DOWN });
    if (jumpMs === 0) providers.add('two');
    expect(await deliver()).toMatchObject(WAIT_SOON);
    expect(time.elapsedMs).toBe(START_MS + 10_000);
    expect(done).toEqual([]);
  });

  it('ends immediately for an overdue copy if no provider was available during the whole time limit', async () => {
    const { time, done, providers, deliver } = world();
    providers.add('one', { condition: 'degraded', admission: DOWN });
    time.wallMs += 600_001;
    time.elapsedMs = START_MS + 600_000;
    expect(await deliver()).toMatchObject(WAIT_SOON);
    time.elapsedMs = START_MS + 600_001;
    await deliver();
    expect(done.slice(0, 1)).toEqual(['settle failed']);
    expect(time.elapsedMs).toBe(START_MS + 600_001);
  });

  it('ends when earlier rounds have their results, before their outcomes are written', async () => {
    const { providers, deliveryLog, deliver } = world();
    const written = Promise.withResolvers<void>();
    deliveryLog.settle = () => written.promise;
    providers.add('one', { concurrency: 1 });
    const ids = [1, 2, 3, 4].map((number) => ID.replace(/1$/, String(number)));
    const ends = ids.map((id) => deliver({}, undefined, id));
    await expect.poll(() => providers.calls.length).toBe(4);
    written.resolve();
    expect(await Promise.all(ends)).toEqual(ids.map(() => ({ kind: 'done' })));
  });

  it('begins three rounds for each call that a provider serves at once, and one more if it is urgent', async () => {
    const { done, providers, deliver } = world();
    const answer = Promise.withResolvers<typeof SENT>();
    providers.add('one', { concurrency: 1, answer: () => answer.promise });
    const [urgent, ...ends] = [0, 1, 2, 3, 4, 5].map((number) =>
      deliver({}, undefined, ID.replace(/1$/, String(number)), number === 0 ? 'urgent' : 'normal'),
    );
    const waits = { kind: 'retry', afterMs: 1_000 };
    expect(await Promise.all(ends.slice(3))).toMatchObject([waits, waits]);
    answer.resolve(SENT);
    for (const end of [urgent, ...ends.slice(0, 3)]) expect(await end).toEqual({ kind: 'done' });
    expect(done.filter((step) => step === 'claim sending')).toHaveLength(4);
  });

  const BOUND = { 'plat-attempt': '2', 'plat-attempt-history': JSON.stringify([UNKNOWN_BEFORE]) };

  it.each([
    ['immediately if it is down', { kind: 'open', afterMs: 20_000, code: 'down' }, 0, 60_000],
    ['after ten seconds if its rate limit is exhausted', { kind: 'wait', afterMs: 5_000 }, 10_000, 10_000],
  ] as const)(
    'moves a copy that only one of the providers may send to a retry tier %s, with the same attempt',
    async (_, admission, waitMs, tierMs) => {
      const plan = { tiersMs: [10_000, 60_000], timeLimitMs: 600_000 };
      const { time, done, providers, copies, delivery, deliver } = world({ plan });
      providers.add('one', { isIdempotent: true, admission: () => admission });
      providers.add('two');
      expect(await deliver(BOUND)).toEqual({ kind: 'done' });
      expect(time.elapsedMs).toBe(START_MS + waitMs);
      expect(done).toEqual([`publish tier-${tierMs}`, 'set first']);
      expect(copies.sent[0]?.headers).toMatchObject({
        'plat-attempt': '2',
        'plat-due-at': String(NOW + waitMs + tierMs),
        'plat-attempt-history': BOUND['plat-attempt-history'],
      });
      expect(delivery.inProgress.size).toBe(0);
    },
  );
});

it('a normal delivery does not wait while an urgent one waits for a provider that may be called', async () => {
  const { time, providers, deliver } = world();
  const asked = Promise.withResolvers<void>();
  const one = providers.add('one');
  one.admission = () => {
    asked.resolve();
    one.admission = () => ({ kind: 'go' });
    return DOWN();
  };
  const urgent = deliver({}, undefined, ID, 'urgent');
  await asked.promise;
  expect(await deliver({}, undefined, ID.replace(/1$/, '2'))).toEqual({ kind: 'done' });
  expect(time.elapsedMs).toBe(START_MS);
  expect(await urgent).toEqual({ kind: 'done' });
});

it.each([
  ['broker-refused', false, 'retry copy', 'retrying'],
  ['broker-unavailable', true, 'retry copy', 'retrying'],
  ['broker-refused', false, 'dead letter', 'failed'],
])('%s (canRetry %s) of a %s is transient: the copy is received again', async (...row) => {
  const [code, canRetry, , status] = row;
  const fault = new MessagingError(code, 'no', { canRetry });
  const refusing = { write: () => Promise.reject(fault) } as unknown as DeadLetters;
  const deadLetters = { normal: refusing, urgent: refusing };
  const { providers, copies, written, deliver } = world({ deadLetters });
  providers.add('one').answer = () => (status === 'failed' ? permanent() : transient());
  copies.onPublish = () => Promise.reject(fault);
  await expect(deliver()).rejects.toMatchObject({ code, canRetry: true });
  expect(written).toMatchObject([{ status: 'sending' }, { status }]);
});

describe.each(['message-too-large', 'invalid-message'])('a retry copy that is rejected as %s', (code) => {
  const rejected = new MessagingError(code, 'no', { canRetry: false });

  it('ends its notification as failed', async () => {
    const { providers, copies, done, written, deliver } = world();
    providers.add('one').answer = () => transient();
    copies.onPublish = () => Promise.reject(rejected);
    expect(await deliver()).toEqual({ kind: 'done' });
    const letter = `dead letter ${code}, count dead letter ${code}`;
    expect(stepsOf(done.slice(2))).toBe(
      `settle retrying, count retrying busy, ${letter}, declare failed, count failed ${code}`,
    );
    const attempts = [{ provider: 'one', result: 'transient' }];
    expect(written.at(-1)).toMatchObject({ attempt: 2, attempts });
  });

  const history = { [HEADER.attemptHistory]: JSON.stringify([UNKNOWN_BEFORE]) };
  it.each([
    ['in this round', {}, 2],
    ['in an earlier round', { [HEADER.attempt]: '2', ...history }, 3],
  ])('parks it if the message may have been sent %s', async (_, headers, attempt) => {
    const letters = new FakePublisher();
    const clock = { now: () => NOW };
    const normal = new DeadLetters({ publisher: letters, topic: 'x', groupId: 'g', clock });
    const { providers, copies, written, deliver } = world({ deadLetters: { normal, urgent: normal } });
    providers.add('one', { isIdempotent: true }).answer = () => unknown();
    copies.onPublish = () => Promise.reject(rejected);
    expect(await deliver(headers)).toEqual({ kind: 'done' });
    expect(written.map(({ status }) => status)).toEqual(['sending', 'retrying', 'parked']);
    expect(written.at(-1)).toMatchObject({ attempt, code: 'outcome-unknown' });
    expect(letters.sent).toMatchObject([
      { headers: { [HEADER.attempt]: String(attempt), [HEADER.deadLetterCode]: 'outcome-unknown' } },
    ]);
  });
});

describe('an unexpected failure', () => {
  const bug = new TypeError('a bug');

  it('before a provider is called ends the notification as failed, which is not counted as a round', async () => {
    const { providers, done, written, deliver } = world();
    providers.add('one').admission = () => {
      throw bug;
    };
    await expect(deliver()).rejects.toBe(bug);
    expect(done).toEqual(['declare failed']);
    expect(written).toMatchObject([{ status: 'failed', code: 'unexpected', attempt: 1 }]);
  });

  it('after a provider was called parks the notification, or is received again while that is impossible', async () => {
    const { providers, written, deliveryLog, deliver } = world();
    providers.add('one');
    deliveryLog.settle = () => Promise.reject(bug);
    await expect(deliver()).rejects.toBe(bug);
    const attempts = [{ result: 'unknown' }];
    expect(written.at(-1)).toMatchObject({ status: 'parked', code: 'outcome-unknown', attempts });
    const down = new InfrastructureError('down', 'no broker');
    deliveryLog.declare = () => Promise.reject(down);
    await expect(deliver()).rejects.toBe(down);
  });
});

describe('any run of deliveries of one notification', () => {
  const steps = fc.record({
    /** Whether it is a copy of the round after the known one. */
    isNext: fc.boolean(),
    self: fc.constantFrom<'one' | 'another'>('one', 'one', 'another'),
    result: fc.constantFrom('sent', 'transient', 'transient', 'permanent', 'unknown', 'broken'),
    failing: fc.constantFrom('none', 'none', 'claim', 'settle', 'settle', 'declare', 'publish'),
    error: fc.constantFrom(new InfrastructureError('down', 'no broker'), new TypeError('a bug')),
    deadlineMs: fc.constantFrom(undefined, undefined, undefined, 0),
  });

  it('calls the provider once per intent, not again once it may have sent, and then never fails', async () => {
    const run = fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 8 }), async (taken) => {
      const log: NotificationState[] = [];
      const events: string[] = [];
      const processes = { one: world({ self: 'one' }), another: world({ self: 'another' }) };
      for (const { isNext, self, result, failing, error, deadlineMs } of taken) {
        const { providers, copies, deliveryLog, deliver } = processes[self];
        providers.list = [];
        providers.add('provider').answer = () => {
          events.push(`call ${result}`);
          if (result === 'broken') throw new TypeError('a bug');
          return { sent: SENT, transient: transient(), permanent: permanent(), unknown: unknown() }[result];
        };
        const write = (how: string) => (state: NotificationState) => {
          if (failing === how) return how === 'claim' ? Promise.resolve(false) : Promise.reject(error);
          log.push(state);
          events.push(`write ${state.status}`);
          return Promise.resolve(true);
        };
        const methods = { claim: write('claim'), settle: write('settle'), declare: write('declare') };
        Object.assign(deliveryLog, methods, { find: () => log.at(-1), caughtUp: () => Promise.resolve() });
        copies.onPublish = () => (failing === 'publish' ? Promise.reject(error) : Promise.resolve());
        const attempt = (log.at(-1)?.attempt ?? 1) + (isNext ? 1 : 0);
        await deliver({ [HEADER.attempt]: String(attempt) }, deadlineMs).catch(() => undefined);
      }
      const sentAt = events.findIndex((event) => /call (?:sent|unknown|broken)/.test(event));
      const after = sentAt === -1 ? [] : events.slice(sentAt + 1);
      expect(after.filter((event) => event === 'write failed' || event.startsWith('call'))).toEqual([]);
      const unclaimed = events.filter(
        (event, at) => event.startsWith('call') && events[at - 1] !== 'write sending',
      );
      expect(unclaimed).toEqual([]);
    });
    await fc.assert(run, { numRuns: 500 });
  });
});
