import { expect, it, onTestFinished } from 'vitest';
import type { ProcessingResult } from '../../../../shared/messaging/outcome.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import type { LogMessage } from '../../../../shared/messaging/message.ts';
import { monotonicClock } from '../../../../shared/platform/clock.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import { HoldTopic } from '../../../../workers/notification/ordering/hold-topic.ts';
import { headRecord, holdKey } from '../../../../workers/notification/ordering/hold-records.ts';
import {
  isAwaited,
  isWakeMessage,
  ReceiverOrder,
  type ReceiverOrderOptions,
} from '../../../../workers/notification/ordering/receiver-order.ts';
import { readCopy } from '../../../../workers/notification/state/command-copy.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';

const HOLD = 'hold';
const COMMANDS = 'commands';
const OWNED = [{ topic: COMMANDS, partition: 0 }];
const { signal } = new AbortController();

const copyOfHead = () =>
  fakeMessage(9, { key: 'k', headers: { [HEADER.notificationId]: 'head', [HEADER.attempt]: '2' } });

/** A hold topic with the head `head` and followers with these offsets; messages are processed with the results in `ends`. */
async function world(offsets: readonly number[], ends: Readonly<Record<string, ProcessingResult>> = {}) {
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([HOLD, COMMANDS].map((topic) => ({ topic, partitions: 1 })));
  const publisher = broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  const time = { passedMs: 0 };
  const clock = { now: () => Date.now() + time.passedMs };
  const log = silentLog;
  const hold = new HoldTopic({
    broker,
    publisher,
    topic: HOLD,
    clientId: 'test',
    self: 'test',
    timers: systemTimers,
    log,
    clock,
  });
  await hold.start(1_000);
  const key =
    holdKey({ channel: 'sms', priority: 'normal' }, fakeMessage(0, { key: 'k', partition: 0 })) ?? '';
  const states = new Map<string, { status: 'retrying' | 'failed'; attempt: number }>([
    ['head', { status: 'retrying', attempt: 1 }],
  ]);
  await hold.setHead(key, 0, { id: 'head', attempt: 2, sinceMs: Date.now() });
  const value = Buffer.from('x');
  for (const offset of offsets) {
    const headers = { [HEADER.notificationId]: `id-${offset}` };
    await hold.keep(key, 0, { offset, id: `id-${offset}`, value, headers, timestampMs: 1 });
  }
  const ledger = { find: (id: string) => states.get(id) } as unknown as ReceiverOrderOptions['ledger'];
  const plan = { tiersMs: [1], timeLimitMs: 60_000 };
  const order = new ReceiverOrder({
    channel: 'sms',
    priority: 'normal',
    commandTopic: COMMANDS,
    hold,
    ledger,
    plan,
    tierTopic: () => 'tier',
    copies: publisher,
    clock,
    monotonic: monotonicClock,
    onHeld: () => undefined,
    onUnordered: () => undefined,
    log,
  });
  const wakes: LogMessage[] = [];
  const tail = broker.createTail({ clientId: 'wakes', topics: [COMMANDS], from: 'earliest' });
  await tail.start((message) => wakes.push(message));
  const processed: string[] = [];
  /** What another process does while a message is processed. */
  const meanwhile = { run: () => Promise.resolve() };
  const process = order.inOrder(async (message) => {
    const id = String(message.headers[HEADER.notificationId]);
    processed.push(id);
    await meanwhile.run();
    return ends[id] ?? 'settled';
  });
  const handle = (message: LogMessage) => process(message, 1, signal);
  return { publisher, time, hold, key, states, order, wakes, processed, meanwhile, handle };
}

it('keeps an awaited head while another message is retried', async () => {
  const { hold, key, order } = await world([5]);
  const copy = readCopy(fakeMessage(3, { key: 'k', headers: {} }), 1, undefined);
  for (const _ of [1, 2]) await order.setHead(copy, 2);
  expect(hold.get(key)).toMatchObject({ head: { id: 'head' }, followers: [{ offset: 5 }] });
});

it('replaces a head that is no longer awaited', async () => {
  const { hold, key, order, states } = await world([]);
  const copy = readCopy(fakeMessage(3, { key: 'k', headers: {} }), 1, undefined);
  states.set('head', { status: 'failed', attempt: 1 });
  await order.setHead(copy, 2);
  expect(hold.get(key)?.head).toMatchObject({ id: copy.id, attempt: 2 });
});

it('keeps followers waiting if another message with the key fails or their head is retried again', async () => {
  const { states, processed, handle } = await world([1]);
  await handle(fakeMessage(8, { key: 'k', headers: { [HEADER.notificationId]: 'other' } }));
  states.set('head', { status: 'retrying', attempt: 2 });
  await handle(copyOfHead());
  expect(processed).toEqual(['other', 'head']);
});

it.each<[string, ProcessingResult, { status: 'retrying' | 'failed'; attempt: number } | undefined, boolean]>([
  ['failed unexpectedly', 'failed', { status: 'retrying', attempt: 2 }, true],
  ['was rejected before it was in the ledger', 'settled', undefined, true],
  ['was followed by another copy', 'settled', { status: 'retrying', attempt: 2 }, false],
])('when the copy of a head %s, followers continue: %s', async (...[, end, known, continues]) => {
  const { states, processed, handle } = await world([1], { head: end });
  if (known === undefined) states.delete('head');
  else states.set('head', known);
  await handle(copyOfHead());
  expect(processed).toEqual(continues ? ['head', 'id-1'] : ['head']);
});

it('does not end a head that another process sets while its copy goes back to a tier', async () => {
  const { hold, key, meanwhile, processed, handle } = await world([1]);
  meanwhile.run = () => hold.setHead(key, 0, { id: 'place', attempt: 1, sinceMs: Date.now() });
  await handle(fakeMessage(9, { key: 'k', headers: { [HEADER.notificationId]: 'place' } }));
  expect(hold.get(key)?.head?.id).toBe('place');
  expect(processed).toEqual(['place']);
});

it('writes one wake message for a key without an awaited head, and then processes the followers', async () => {
  const { hold, key, states, order, wakes, processed, handle } = await world([1, 2]);
  await order.wakeLost(OWNED);
  states.set('head', { status: 'failed', attempt: 1 });
  await order.wakeLost([{ topic: 'another', partition: 0 }]);
  expect(wakes).toHaveLength(0);
  await order.wakeLost(OWNED);
  await order.wakeLost(OWNED);
  await expect.poll(() => wakes.length).toBe(1);
  expect(wakes.map(isWakeMessage)).toEqual([true]);
  expect(wakes[0]).toMatchObject({ key: Buffer.from('k'), partition: 0 });
  // After a rebalance another process may have received the wake message.
  order.forgetInHand();
  await order.wakeLost(OWNED);
  await expect.poll(() => wakes.length).toBe(2);
  for (const wake of wakes) expect(await handle(wake)).toBe('settled');
  expect(processed).toEqual(['id-1', 'id-2']);
  expect(hold.has(key)).toBe(false);
});

it.each([
  ['with the right clock', 0],
  ['with a clock that is a year ahead', 365 * 24 * 3_600_000],
])(
  'awaits a head for its time limit and 15 minutes when compaction kept it of an ended writer %s, but not its end',
  async (_, aheadMs) => {
    const { publisher, time, hold, order, wakes, states, processed, handle } = await world([]);
    states.set('head', { status: 'failed', attempt: 1 });
    await handle(copyOfHead());
    const place = { key: 'sms/0/6c617465', partition: 0 };
    const late = { id: 'ended', attempt: 2, sinceMs: Date.now() + aheadMs };
    const record = headRecord(HOLD, place, late, undefined);
    await publisher.publish([{ ...record, headers: { ...record.headers, [HEADER.write]: 'gone/3' } }]);
    await hold.caughtUp(1_000);
    const headers = { [HEADER.notificationId]: 'follower' };
    await order.enqueue(readCopy(fakeMessage(5, { key: 'late', headers }), 1, undefined));
    expect(hold.get(place.key)?.followers).toHaveLength(1);
    time.passedMs = 15.9 * 60_000;
    await order.wakeLost(OWNED);
    expect(wakes).toEqual([]);
    time.passedMs = 16.1 * 60_000;
    await order.wakeLost(OWNED);
    await expect.poll(() => wakes.length).toBe(1);
    await handle(wakes[0] ?? fakeMessage(0));
    expect(processed.slice(1)).toHaveLength(1);
    expect(hold.has(place.key)).toBe(false);
  },
);

it('does not wake a key whose follower is retried', async () => {
  const { states, order, wakes, processed, handle } = await world([1], { 'id-1': { retryAfterMs: 5 } });
  states.set('head', { status: 'failed', attempt: 1 });
  expect(await handle(fakeMessage(8, { key: 'k' }))).toEqual({ retryAfterMs: 5 });
  expect(processed).toEqual(['id-1']);
  await order.wakeLost(OWNED);
  expect(wakes).toHaveLength(0);
});

it('does not process a head again whose follower is retried, but wakes the key, in the order of its messages', async () => {
  const ends: Record<string, ProcessingResult> = { head: 'failed', 'id-1': { retryAfterMs: 5 } };
  const { hold, key, order, wakes, processed, handle } = await world([1, 2], ends);
  expect(await handle(copyOfHead())).toBe('failed');
  await expect.poll(() => wakes.filter(isWakeMessage).length).toBe(1);
  await order.wakeLost(OWNED);
  expect(wakes).toHaveLength(1);
  // A message that precedes the wake message waits for the followers.
  const later = fakeMessage(8, { key: 'k', headers: { [HEADER.notificationId]: 'later' } });
  expect(await handle(later)).toEqual({ retryAfterMs: 5 });
  for (const wake of wakes) expect(await handle(wake)).toEqual({ retryAfterMs: 5 });
  ends['id-1'] = 'settled';
  for (const message of [later, ...wakes]) expect(await handle(message)).toBe('settled');
  expect(processed).toEqual(['head', 'id-1', 'id-1', 'id-1', 'id-1', 'id-2', 'later']);
  expect(hold.has(key)).toBe(false);
});

it('distinguishes commands from wake messages and ignores a wake message without a key', async () => {
  const { processed, handle } = await world([]);
  const headers = { [HEADER.holdWake]: 'true', [HEADER.notificationId]: 'a command' };
  await handle(fakeMessage(7, { key: null, headers }));
  expect(processed).toEqual(['a command']);
  expect(await handle({ ...fakeMessage(8, { key: null, headers }), value: null })).toBe('settled');
  expect(processed).toEqual(['a command']);
});

const NOW = 1_700_000_000_000;

it.each([
  ['a minute forward', 60_000],
  ['a minute back', -60_000],
])('awaits a head that is being sent until its lease expires when the clock is set %s', (_, jumpMs) => {
  const time = { wallMs: NOW, elapsedMs: 0 };
  const clock = { now: () => time.wallMs };
  const monotonic = { elapsedMs: () => time.elapsedMs };
  const parts = {
    ledger: {
      find: () => ({ status: 'sending', attempt: 1, leaseUntil: NOW + 1_000, leaseEndsMs: 1_000 }),
    },
    plan: { tiersMs: [10_000], timeLimitMs: 10 * 60_000 },
    clock,
    monotonic,
  } as unknown as ReceiverOrderOptions;
  const head = { id: 'id', attempt: 1, sinceMs: NOW };
  time.wallMs += jumpMs;
  expect(isAwaited(head, parts)).toBe(true);
  time.elapsedMs += 16 * 60_000;
  time.wallMs += 16 * 60_000;
  expect(isAwaited(head, parts)).toBe(false);
});
