import { expect, it, onTestFinished } from 'vitest';
import type { ProcessingResult } from '../../../../shared/messaging/outcome.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import type { Publisher } from '../../../../shared/messaging/ports.ts';
import type { Priority } from '../../../../shared/notification/notification-command.ts';
import { monotonicClock, systemTimers } from '../../../../shared/platform/system-ports.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { QUEUE_LIMITS, type HoldLimits } from '../../../../shared/platform/queue-limits.ts';
import { holdKey, HoldTopic } from '../../../../workers/notification/order/hold-topic.ts';
import {
  isAwaited,
  isResumeMessage,
  ReceiverOrder,
  type ReceiverOrderOptions,
} from '../../../../workers/notification/order/receiver-order.ts';
import { readCopy } from '../../../../workers/notification/retry/command-copy.ts';
import type { LogEntry } from '../../../../workers/notification/state/delivery-log.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';

const HOLD = 'hold';
const COMMANDS = 'commands';
const OWNED = [{ topic: COMMANDS, partition: 0 }];
const { signal } = new AbortController();

const messageOf = (id: string, offset: number, more = {}) =>
  fakeMessage(offset, { key: 'k', headers: { [HEADER.notificationId]: id, ...more } });
const copyOfFirst = () => messageOf('first', 9, { [HEADER.attempt]: '2' });

type Known = Pick<LogEntry, 'status' | 'attempt' | 'nextAttemptAt'>;

async function world(
  offsets: readonly number[],
  ends: Readonly<Record<string, ProcessingResult>> = {},
  limits: Partial<HoldLimits> = {},
) {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([HOLD, COMMANDS].map((topic) => ({ topic, partitions: 1 })));
  const publisher = broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  const time = { passedMs: 0 };
  const clock = { now: () => Date.now() + time.passedMs };
  const log = silentLog;
  const names = { topic: HOLD, clientId: 'test', self: 'test' };
  const own = { timers: systemTimers, log, clock, limits: { ...QUEUE_LIMITS.hold, ...limits } };
  const hold = new HoldTopic({ broker, publisher, ...names, ...own });
  await hold.start(1_000);
  const key = holdKey({ channel: 'sms', priority: 'normal' }, fakeMessage(0, { key: 'k', partition: 0 }));
  if (key === undefined) throw new Error('the message has a key');
  const held = () => hold.get(key.name);
  const states = new Map<string, Known>([['first', { status: 'retrying', attempt: 1 }]]);
  await hold.setFirst(key, 'first', { sinceMs: Date.now() });
  const value = Buffer.from('x');
  for (const offset of offsets) {
    const headers = { [HEADER.notificationId]: `id-${offset}` };
    await hold.keep(key, { offset, id: `id-${offset}`, value, headers, timestampMs: 1 });
  }
  const deliveryLog = { find: (id: string) => states.get(id) };
  const plan = { tiersMs: [1, 60_000], timeLimitMs: 60_000 };
  const counted: string[] = [];
  const common = { channel: 'sms', commandTopic: COMMANDS, hold, deliveryLog, plan, clock, log } as const;
  const orderOf = (priority: Priority, copies: Publisher = publisher) =>
    new ReceiverOrder({
      ...common,
      priority,
      copies,
      tierTopic: (delayMs) => `tier ${delayMs}`,
      monotonic: monotonicClock,
      onHeld: (channel) => counted.push(`held ${channel}`),
      onUnordered: (channel) => counted.push(`unordered ${channel}`),
    });
  const order = orderOf('normal');
  const resumes: LogMessage[] = [];
  const tail = broker.createTail({ clientId: 'resumes', topics: [COMMANDS], from: 'earliest' });
  await tail.start((message) => resumes.push(message));
  const processed: string[] = [];
  const meanwhile = { run: () => Promise.resolve() };
  const process = order.inOrder(async (message) => {
    const id = String(message.headers[HEADER.notificationId]);
    processed.push(id);
    await meanwhile.run();
    return ends[id] ?? 'settled';
  });
  const handle = (message: LogMessage) => process(message, 1, signal);
  return { time, hold, key, held, states, order, orderOf, counted, resumes, processed, meanwhile, handle };
}

const commandOf = (id: string, key: string, offset = 5) =>
  readCopy(fakeMessage(offset, { key, headers: { [HEADER.notificationId]: id } }), 1, undefined);
const idAt = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;

it('keeps the order of each key, an empty one too, within a priority, and counts what waits once', async () => {
  const { order, orderOf, states, held, counted } = await world([]);
  const first = commandOf(idAt(1), '', 1);
  states.set(first.id, { status: 'retrying', attempt: 1 });
  await order.setFirst(first);
  for (const [id, key, result] of [
    [idAt(2), '', 'queued'],
    [idAt(1), '', 'first-in-line'],
    [idAt(2), '', 'queued'],
    [idAt(3), 'k', 'queued'],
    [idAt(4), 'another', 'first-in-line'],
  ] as const) {
    expect(await order.enqueue(commandOf(id, key))).toBe(result);
  }
  expect(counted).toEqual(['held sms', 'held sms']);
  expect(held()?.waiting).toMatchObject([{ id: idAt(3), offset: 5, timestampMs: 1_700_000_000_005 }]);
  expect(await orderOf('urgent').enqueue(commandOf(idAt(5), 'k'))).toBe('first-in-line');
});

it('lets a message for which there is no room wait on a tier, at least as long as those before it', async () => {
  const { orderOf, states, held, counted } = await world([1], {}, { followersPerKey: 1 });
  const copies = new FakePublisher();
  const now = Date.now();
  states.set('first', { status: 'retrying', attempt: 1, nextAttemptAt: now + 100_000 });
  const order = orderOf('normal', copies);
  expect(await order.enqueue(commandOf(idAt(2), 'k'))).toBe('queued');
  states.set('first', { status: 'retrying', attempt: 1 });
  expect(await order.enqueue(commandOf(idAt(2), 'k'))).toBe('queued');
  const due = copies.sent.map(({ headers = {} }) => Number(headers[HEADER.dueAt]) - now);
  expect(due[0]).toBe(100_000);
  expect(due[1]).toBeLessThan(60_000);
  expect(copies.sent[0]).toMatchObject({ topic: 'tier 60000', headers: { [HEADER.attempt]: '1' } });
  expect(copies.sent[1]?.topic).toBe('tier 1');
  expect([counted, held()?.waiting.length]).toEqual([['unordered sms', 'unordered sms'], 1]);
});

it('lets no later message wait for a first notification for which there is no room', async () => {
  const { order, hold, states, counted } = await world([], {}, { keys: 1 });
  const first = commandOf(idAt(1), 'other');
  states.set(first.id, { status: 'retrying', attempt: 1 });
  await order.setFirst(first);
  expect(counted).toEqual(['unordered sms']);
  expect(await order.enqueue(commandOf(idAt(2), 'other'))).toBe('first-in-line');
  expect([...hold.keys()]).toEqual(['sms/0/6b']);
});

it('awaits each notification of a key that is retried, also of a process that has lost the partition', async () => {
  const { held, order, states, processed, handle } = await world([5]);
  const late = readCopy(fakeMessage(3, { key: 'k', headers: {} }), 1, undefined);
  states.set(late.id, { status: 'retrying', attempt: 1 });
  for (const _ of [1, 2]) await order.setFirst(late);
  expect([...(held()?.firsts.keys() ?? [])]).toEqual(['first', late.id]);
  states.set('first', { status: 'failed', attempt: 1 });
  await handle(messageOf('other', 8));
  expect([processed, held()?.waiting.length]).toEqual([['other'], 1]);
  states.set(late.id, { status: 'failed', attempt: 2 });
  await handle(messageOf('last', 9));
  expect([processed, held()]).toEqual([['other', 'id-5', 'last'], undefined]);
});

it('keeps messages waiting if another one with the key fails or the first is retried again', async () => {
  const { states, processed, handle } = await world([1]);
  await handle(messageOf('other', 8));
  states.set('first', { status: 'retrying', attempt: 2 });
  await handle(copyOfFirst());
  expect(processed).toEqual(['other', 'first']);
});

it.each<[string, ProcessingResult, Known | undefined, boolean]>([
  ['failed unexpectedly', 'failed', { status: 'retrying', attempt: 2 }, true],
  ['was rejected before it was in the log', 'settled', undefined, true],
  ['was followed by another copy', 'settled', { status: 'retrying', attempt: 2 }, false],
])(
  'when the copy of a first notification %s, waiting messages continue: %s',
  async (...[, end, known, continues]) => {
    const { states, processed, handle } = await world([1], { first: end });
    if (known === undefined) states.delete('first');
    else states.set('first', known);
    await handle(copyOfFirst());
    expect(processed).toEqual(continues ? ['first', 'id-1'] : ['first']);
  },
);

it('awaits a notification that another process sets while its copy goes back to a tier', async () => {
  const { hold, key, held, meanwhile, processed, handle } = await world([1]);
  meanwhile.run = () => hold.setFirst(key, 'again', { sinceMs: Date.now() });
  await handle(messageOf('again', 9));
  expect(held()?.firsts.has('again')).toBe(true);
  expect(processed).toEqual(['again']);
});

it('writes one resume message for a key that waits for nothing, and then processes its messages', async () => {
  const { held, states, order, resumes, processed, handle } = await world([1, 2]);
  await order.resumeLost(OWNED);
  states.set('first', { status: 'failed', attempt: 1 });
  await order.resumeLost([{ topic: 'another', partition: 0 }]);
  expect(resumes).toHaveLength(0);
  await order.resumeLost(OWNED);
  await order.resumeLost(OWNED);
  await expect.poll(() => resumes.length).toBe(1);
  expect(resumes.map(isResumeMessage)).toEqual([true]);
  expect(resumes[0]).toMatchObject({ key: Buffer.from('k'), partition: 0 });
  // After a rebalance another process may have received the resume message.
  order.forgetInHand();
  await order.resumeLost(OWNED);
  await expect.poll(() => resumes.length).toBe(2);
  for (const resume of resumes) expect(await handle(resume)).toBe('settled');
  expect(processed).toEqual(['id-1', 'id-2']);
  expect(held()).toBe(undefined);
});

it.each([
  ['with the right clock', 0],
  ['with a clock that is a year ahead', 365 * 24 * 3_600_000],
])(
  'awaits one of an ended writer %s, of which nothing else is known, for its time limit and 15 minutes',
  async (_, aheadMs) => {
    const { time, hold, order, resumes, states, processed, handle } = await world([]);
    states.set('first', { status: 'failed', attempt: 1 });
    await handle(copyOfFirst());
    const late = { name: 'sms/0/6c617465', partition: 0 };
    await hold.setFirst(late, 'ended', { sinceMs: Date.now() + aheadMs });
    const headers = { [HEADER.notificationId]: 'waiting' };
    await order.enqueue(readCopy(fakeMessage(5, { key: 'late', headers }), 1, undefined));
    expect(hold.get(late.name)?.waiting).toHaveLength(1);
    time.passedMs = 15.9 * 60_000;
    await order.resumeLost(OWNED);
    expect(resumes).toEqual([]);
    time.passedMs = 16.1 * 60_000;
    await order.resumeLost(OWNED);
    await expect.poll(() => resumes.length).toBe(1);
    await handle(resumes[0] ?? fakeMessage(0));
    expect(processed.slice(1)).toHaveLength(1);
    expect(hold.get(late.name)).toBe(undefined);
  },
);

it('does not resume a key whose waiting message is retried', async () => {
  const { states, order, resumes, processed, handle } = await world([1], { 'id-1': { retryAfterMs: 5 } });
  states.set('first', { status: 'failed', attempt: 1 });
  expect(await handle(fakeMessage(8, { key: 'k' }))).toEqual({ retryAfterMs: 5 });
  expect(processed).toEqual(['id-1']);
  await order.resumeLost(OWNED);
  expect(resumes).toHaveLength(0);
});

it('does not process a head again whose follower is retried, but resumes the key, in the order of its messages', async () => {
  const ends: Record<string, ProcessingResult> = { first: 'failed', 'id-1': { retryAfterMs: 5 } };
  const { held, order, resumes, processed, handle } = await world([1, 2], ends);
  expect(await handle(copyOfFirst())).toBe('failed');
  await expect.poll(() => resumes.filter(isResumeMessage).length).toBe(1);
  await order.resumeLost(OWNED);
  expect(resumes).toHaveLength(1);
  // A message that precedes the resume message waits for the others.
  const later = messageOf('later', 8);
  expect(await handle(later)).toEqual({ retryAfterMs: 5 });
  for (const resume of resumes) expect(await handle(resume)).toEqual({ retryAfterMs: 5 });
  ends['id-1'] = 'settled';
  for (const message of [later, ...resumes]) expect(await handle(message)).toBe('settled');
  expect(processed).toEqual(['first', 'id-1', 'id-1', 'id-1', 'id-1', 'id-2', 'later']);
  expect(held()).toBe(undefined);
});

it('distinguishes commands from resume messages and ignores one without a key', async () => {
  const { processed, handle } = await world([]);
  const headers = { [HEADER.holdWake]: 'true', [HEADER.notificationId]: 'a command' };
  await handle(fakeMessage(7, { key: null, headers }));
  expect(processed).toEqual(['a command']);
  expect(await handle({ ...fakeMessage(8, { key: null, headers }), value: null })).toBe('settled');
  expect(processed).toEqual(['a command']);
});

it.each([60_000, -60_000])(
  'awaits a notification that is being sent until its lease expires when the clock is set by %s ms',
  (jumpMs) => {
    const time = { wallMs: Date.now(), elapsedMs: 0 };
    const parts = {
      deliveryLog: { find: () => ({ status: 'sending', attempt: 1, leaseEndsMs: 1_000 }) },
      plan: { tiersMs: [10_000], timeLimitMs: 10 * 60_000 },
      clock: { now: () => time.wallMs },
      monotonic: { elapsedMs: () => time.elapsedMs },
    } as unknown as ReceiverOrderOptions;
    const first = { sinceMs: time.wallMs };
    const lostAt = { sinceMs: time.wallMs - 25 * 60_000 };
    expect([lostAt, { sinceMs: lostAt.sinceMs - 1 }].map((one) => isAwaited('id', one, parts))).toEqual([
      true,
      false,
    ]);
    time.wallMs += jumpMs;
    expect(isAwaited('id', first, parts)).toBe(true);
    time.elapsedMs += 16 * 60_000;
    time.wallMs += 16 * 60_000;
    expect(isAwaited('id', first, parts)).toBe(false);
  },
);
