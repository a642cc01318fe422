import { expect, it, onTestFinished, vi } from 'vitest';
import { HEADER } from '../../../../shared/messaging/header-names.ts';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/broker.ts';
import { systemClock } from '../../../../shared/platform/clock.ts';
import { InfrastructureError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import type { HoldLimits } from '../../../../shared/platform/queues/queue-limits.ts';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import { holdKey } from '../../../../workers/notification/ordering/hold-records.ts';
import { HoldTopic } from '../../../../workers/notification/ordering/hold-topic.ts';
import {
  isAwaited,
  ReceiverOrder,
  type ReceiverOrderOptions,
} from '../../../../workers/notification/ordering/receiver-order.ts';
import { readCopy } from '../../../../workers/notification/state/command-copy.ts';
import type { LedgerEntry } from '../../../../workers/notification/state/ledger-entry.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const LOST_AFTER_MS = 15 * MINUTE;
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const HEAD = idOf(1);
const copyOf = (number: number, key: string | null = 'k') =>
  readCopy(fakeMessage(number, { key, timestampMs: NOW }), NOW, idOf(number));

/** The order of one receiver with a retrying head, and room for two whole followers and three positions. */
async function world(more: Partial<HoldLimits> = {}) {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([{ topic: 'hold', partitions: 1 }]);
  const publisher = broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  const limits = { followersPerKey: 2, placesPerKey: 3, ...more };
  const names = { topic: 'hold', clientId: 'test', self: 'test' };
  const hold = new HoldTopic({
    broker,
    publisher,
    ...names,
    clock: systemClock,
    timers: systemTimers,
    log: silentLog,
    limits,
  });
  await hold.start(1_000);
  const copies = new FakePublisher();
  const states = new Map<string, LedgerEntry>([
    [HEAD, { status: 'retrying', attempt: 1, nextAttemptAt: NOW + 30_000 }],
  ]);
  const held: string[] = [];
  const unordered: string[] = [];
  const logged: unknown[] = [];
  const order = new ReceiverOrder({
    channel: 'sms',
    priority: 'normal',
    commandTopic: 'commands',
    hold,
    ledger: { find: (id) => states.get(id) },
    plan: { tiersMs: [10_000, MINUTE], timeLimitMs: MINUTE },
    tierTopic: (delayMs) => `tier-${delayMs}`,
    copies,
    clock: { now: () => NOW },
    monotonic: { elapsedMs: () => 0 },
    onHeld: (channel, kind) => held.push(`${channel} ${kind}`),
    onUnordered: (channel) => unordered.push(channel),
    log: { ...silentLog, warn: (fields: unknown) => logged.push(fields) },
  });
  const key = holdKey({ channel: 'sms', priority: 'normal' }, fakeMessage(0, { key: 'k' })) ?? '';
  return { hold, key, copies, states, held, unordered, logged, order };
}

it('does not queue the first notification of a receiver, a notification without a key, or the head itself', async () => {
  const { order, hold, copies } = await world();
  expect(await order.enqueue(copyOf(5))).toBe('first-in-line');
  await order.setHead(copyOf(1), 2);
  expect(await order.enqueue(copyOf(1))).toBe('first-in-line');
  expect(await order.enqueue(copyOf(5, null))).toBe('first-in-line');
  expect(await order.enqueue(copyOf(5, 'other'))).toBe('first-in-line');
  expect([hold.figures().followers, copies.sent.length]).toEqual([0, 0]);
});

it('records the next round of a head, but no head for a message without a key', async () => {
  const { order, hold, key } = await world();
  await order.setHead(copyOf(1), 4);
  await order.setHead(copyOf(2, null), 4);
  expect(hold.get(key)?.head).toEqual({ id: HEAD, attempt: 4, isDeferred: false, sinceMs: NOW });
  expect(hold.figures().keys).toBe(1);
});

it('stores followers whole, then only their positions, then reports a full queue, and ignores duplicates', async () => {
  const { order, hold, key, copies, held } = await world();
  await order.setHead(copyOf(1), 2);
  expect(await order.enqueue(copyOf(5))).toBe('queued');
  expect(await order.enqueue(copyOf(5))).toBe('queued');
  expect(await order.enqueue(copyOf(6))).toBe('queued');
  expect(copies.sent).toEqual([]);
  expect(await order.enqueue(copyOf(7))).toBe('queued');
  expect(await order.enqueue(copyOf(8))).toBe('queue-full');
  expect(held).toEqual(['sms whole', 'sms whole', 'sms place']);
  expect(hold.get(key)?.followers.map(({ id, value }) => [id, value?.toString()])).toEqual([
    [idOf(5), 'value-5'],
    [idOf(6), 'value-6'],
    [idOf(7), undefined],
  ]);
  const due = copies.sent[0]?.headers?.[HEADER.dueAt];
  // It is due after the head and the two followers before it.
  expect(Number(due)).toBe(NOW + 30_000 + 2 * 20);
  expect(copies.sent[0]).toMatchObject({ topic: 'tier-60000', headers: { [HEADER.attempt]: '1' } });
  expect(await order.enqueue(copyOf(7))).toBe('queued');
  expect(copies.sent).toHaveLength(2);
});

it('delays a follower stored by position by at least the first tier if its head has no due time', async () => {
  const { order, copies, states } = await world();
  await order.setHead(copyOf(1), 2);
  for (const number of [5, 6]) await order.enqueue(copyOf(number));
  states.set(HEAD, { status: 'sending', attempt: 2, leaseEndsMs: 0 });
  await order.enqueue(copyOf(7));
  expect(copies.sent[0]).toMatchObject({
    topic: 'tier-60000',
    headers: { [HEADER.dueAt]: String(NOW + 10_040) },
  });
});

it('retries a failed wake message at the next search for lost heads', async () => {
  const { order, hold, states, copies, logged } = await world();
  await order.setHead(copyOf(1), 2);
  states.set(HEAD, { status: 'failed', attempt: 2 });
  const owned = [{ topic: 'commands', partition: 0 }];
  copies.onPublish = () => Promise.reject(new Error('away'));
  await order.wakeLost(owned);
  expect(logged).toEqual([{ topic: 'commands', reason: 'away' }]);
  copies.onPublish = () => Promise.resolve();
  await hold.setHead('email/0/6b', 0, { id: HEAD, attempt: 2, isDeferred: false, sinceMs: NOW });
  await order.wakeLost([{ topic: 'commands', partition: 1 }]);
  expect(copies.sent).toEqual([]);
  await order.wakeLost(owned);
  await order.wakeLost(owned);
  expect(copies.sent).toEqual([
    {
      topic: 'commands',
      partition: 0,
      key: Buffer.from('k'),
      value: null,
      headers: { [HEADER.holdWake]: 'true' },
    },
  ]);
});

it('searches for lost heads again after the ledger could not be read', async () => {
  const { order, states, copies, logged } = await world();
  await order.setHead(copyOf(1), 2);
  states.set(HEAD, { status: 'failed', attempt: 2 });
  vi.spyOn(states, 'get').mockImplementationOnce(() => {
    throw new InfrastructureError('index-unavailable', 'the index cannot be read');
  });
  const owned = [{ topic: 'commands', partition: 0 }];
  await order.wakeLost(owned);
  expect(logged).toEqual([{ topic: 'commands', reason: 'the index cannot be read' }]);
  await order.wakeLost(owned);
  expect(copies.sent).toHaveLength(1);
});

it('makes the first follower the head, even if only its position is stored, and awaits its copy', async () => {
  const { order, hold, key, states } = await world();
  await order.setHead(copyOf(1), 2);
  const headers = { [HEADER.attempt]: '3' };
  await hold.keep(key, 0, { offset: 5, id: idOf(5), value: undefined, headers, timestampMs: NOW });
  await hold.keep(key, 0, { offset: 6, id: idOf(6), value: Buffer.from('x'), headers, timestampMs: NOW });
  states.set(HEAD, { status: 'sent', attempt: 2 });
  const processed: string[] = [];
  const process = order.inOrder(
    ({ headers: { [HEADER.notificationId]: id } }) => {
      processed.push(String(id));
      return 'settled';
    },
    () => true,
  );
  const other = fakeMessage(9, { key: 'k', headers: { [HEADER.notificationId]: 'other' } });
  expect(await process(other, 1, new AbortController().signal)).toBe('settled');
  expect(processed).toEqual(['other']);
  expect(hold.get(key)).toMatchObject({ head: { id: idOf(5), attempt: 3, isDeferred: true, sinceMs: NOW } });
  expect(hold.get(key)?.followers.map(({ id }) => id)).toEqual([idOf(6)]);
});

it('sets no head without room for it, so that later messages of the receiver do not wait', async () => {
  const { order, hold, key, unordered } = await world({ keys: 1 });
  await order.setHead(copyOf(2, 'other'), 2);
  await order.setHead(copyOf(1), 2);
  expect([hold.has(key), unordered]).toEqual([false, ['sms']]);
  expect(await order.enqueue(copyOf(5))).toBe('first-in-line');
  expect(await order.enqueue({ ...copyOf(1), attempt: 2 })).toBe('first-in-line');
  // The head of the other receiver is replaced.
  await order.setHead(copyOf(2, 'other'), 3);
  expect(await order.enqueue(copyOf(6, 'other'))).toBe('queued');
  expect(unordered).toEqual(['sms']);
});

it('processes a copy that has no head once, behind another head that its receiver has when it returns', async () => {
  const { order, hold, key, states } = await world({ keys: 1 });
  await order.setHead(copyOf(2, 'other'), 2);
  await order.setHead(copyOf(1), 2);
  await hold.endHead(key.replace('/6b', `/${Buffer.from('other').toString('hex')}`), 0);
  states.set(idOf(5), { status: 'retrying', attempt: 1, nextAttemptAt: NOW + 30_000 });
  await order.setHead(copyOf(5), 2);
  const returned = fakeMessage(6, { key: 'k', headers: { [HEADER.attempt]: '2' } });
  const copy = readCopy(returned, NOW, HEAD);
  // The copy, and one that a crash has repeated.
  expect([await order.enqueue(copy), await order.enqueue(copy)]).toEqual(['queued', 'queued']);
  expect(hold.get(key)).toMatchObject({ head: { id: idOf(5) }, followers: [{ id: HEAD }] });
  states.set(idOf(5), { status: 'sent', attempt: 2 });
  const processed: string[] = [];
  const process = order.inOrder(
    ({ headers }) => {
      processed.push(`${String(headers[HEADER.notificationId])} ${String(headers[HEADER.attempt])}`);
      return 'settled';
    },
    () => true,
  );
  const last = { [HEADER.notificationId]: idOf(5), [HEADER.attempt]: '2' };
  await process(fakeMessage(7, { key: 'k', headers: last }), 1, new AbortController().signal);
  expect(processed.toSorted()).toEqual([`${HEAD} 2`, `${idOf(5)} 2`]);
  expect(hold.has(key)).toBe(false);
});

it('does not queue a follower behind a head that is not awaited', async () => {
  const { order, states } = await world();
  await order.setHead(copyOf(1), 2);
  states.set(HEAD, { status: 'failed', attempt: 2 });
  expect(await order.enqueue(copyOf(5))).toBe('first-in-line');
});

it.each<[string, LedgerEntry | undefined, { isDeferred?: boolean; attempt?: number }, boolean]>([
  ['that retries', { status: 'retrying', attempt: 1 }, {}, true],
  ['that was sent', { status: 'sent', attempt: 1 }, { isDeferred: true }, false],
  ['that failed', { status: 'failed', attempt: 1 }, {}, false],
  ['that is parked', { status: 'parked', attempt: 1 }, {}, false],
  ['that is being sent', { status: 'sending', attempt: 2, leaseEndsMs: -LOST_AFTER_MS + 1 }, {}, true],
  ['whose lease expired long ago', { status: 'sending', attempt: 2, leaseEndsMs: -LOST_AFTER_MS }, {}, false],
  ['whose lease is unknown', { status: 'sending', attempt: 2 }, {}, true],
  ['that this process has not read in the ledger yet', undefined, {}, true],
  ['that is stored by position only', undefined, { isDeferred: true }, true],
  ['whose redrive waits on a tier', { status: 'failed', attempt: 1 }, { isDeferred: true }, true],
  ['whose redrive has failed', { status: 'failed', attempt: 2 }, { isDeferred: true }, false],
])('a head %s is awaited: %s', (...[, known, given, expected]) => {
  const parts = {
    ledger: { find: () => known },
    plan: { tiersMs: [], timeLimitMs: MINUTE },
    clock: { now: () => NOW },
    monotonic: { elapsedMs: () => 0 },
  } satisfies Partial<ReceiverOrderOptions>;
  const head = { id: HEAD, attempt: 2, isDeferred: false, sinceMs: NOW, ...given };
  expect(isAwaited(head, parts)).toBe(expected);
  expect(isAwaited(undefined, parts)).toBe(false);
  expect(isAwaited({ ...head, sinceMs: NOW - MINUTE - LOST_AFTER_MS }, parts)).toBe(expected);
  expect(isAwaited({ ...head, sinceMs: NOW - MINUTE - LOST_AFTER_MS - 1 }, parts)).toBe(false);
});
