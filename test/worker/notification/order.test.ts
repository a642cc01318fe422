import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { HoldTopic } from '../../../workers/notification/order/hold-topic.ts';
import { systemClock, systemTimers } from '../../../shared/platform/system-ports.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { idOf, notificationWorld, type NotificationWorld } from '../../support/worlds/notification-world.ts';
import { SENT, transient, unknown } from '../../support/fakes/scripted-providers.ts';

/** Long enough for the first half of a test on a busy machine. */
const LONG_TIER_MS = 6_000;
const END_MS = 10_000;

const deliveredIds = (world: NotificationWorld) =>
  world.providers.calls.filter(({ result }) => result.kind === 'sent').map(({ id }) => id);
const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => idOf(from + index));

/** The number of heads and followers that remain on the hold topic. */
async function leftOnHold(world: NotificationWorld): Promise<number> {
  const hold = new HoldTopic({
    broker: world.broker,
    publisher: world.broker.createPublisher({ clientId: 'test-reader' }),
    topic: TOPIC.notificationHold,
    clientId: 'test-reader',
    self: 'test-reader',
    clock: systemClock,
    timers: systemTimers,
    log: silentLog,
  });
  await hold.start(5_000);
  const { keys, followers } = hold.figures();
  await hold.stop(1_000);
  return keys + followers;
}

it.concurrent('queues followers without delaying other receivers, and sends them in order after their head', async ({
  expect,
  onTestFinished,
}) => {
  const world = await notificationWorld({ onTestFinished, tiersMs: [LONG_TIER_MS] });
  let isFirst = true;
  world.providers.add('only').answer = ({ id }) => {
    if (id !== idOf(1) || !isFirst) return SENT;
    isFirst = false;
    return transient();
  };
  const worker = await world.worker();
  for (const id of ids(1, 5)) await world.sms({ id, partition: 0, key: 'same' });
  for (const id of ids(6, 9)) await world.sms({ id, partition: 0, key: id });
  const beforeRetry = { timeout: LONG_TIER_MS };
  await expect.poll(() => deliveredIds(world), beforeRetry).toEqual(expect.arrayContaining(ids(6, 9)));
  expect(deliveredIds(world)).toHaveLength(4);
  // The followers are on the hold topic, so their offsets are committed.
  await expect
    .poll(
      async () =>
        (await world.broker.admin.committed('plat.notification.sms', [TOPIC.smsCommands])).find(
          ({ partition }) => partition === 0,
        )?.offset,
      beforeRetry,
    )
    .toBe(9);
  expect(await world.metrics.text()).toContain('plat_notification_hold{figure="followers"} 4');
  await eventually('all deliveries', END_MS, () => deliveredIds(world).length === 9);
  expect(deliveredIds(world).slice(4)).toEqual(ids(1, 5));
  await worker.stop(1_000);
  await expect.poll(() => leftOnHold(world), { timeout: END_MS }).toBe(0);
});

it.concurrent('keeps the order when a partition moves to another worker', async ({
  expect,
  onTestFinished,
}) => {
  const world = await notificationWorld({ onTestFinished, tiersMs: [LONG_TIER_MS] });
  let isFirst = true;
  world.providers.add('only').answer = () => {
    const result = isFirst ? transient() : SENT;
    isFirst = false;
    return result;
  };
  const first = await world.worker();
  for (const id of ids(1, 4)) await world.sms({ id, key: 'same' });
  await expect
    .poll(() => world.metrics.text(), { timeout: LONG_TIER_MS })
    .toContain('plat_notification_hold{figure="followers"} 3');
  await first.stop(1_000);
  await world.worker();
  for (const id of ids(5, 7)) await world.sms({ id, key: 'same' });
  await eventually('all deliveries', END_MS, () => deliveredIds(world).length === 7);
  expect(deliveredIds(world)).toEqual(ids(1, 7));
});

it.concurrent('sends the messages beyond the limits once too, without delaying other receivers', async ({
  expect,
  onTestFinished,
}) => {
  const count = 130;
  const world = await notificationWorld({
    onTestFinished,
    tiersMs: [60],
    holdLimits: { followersPerKey: 100 },
  });
  let untilMs = Number.POSITIVE_INFINITY;
  world.providers.add('only').answer = ({ id }) =>
    id === idOf(1) && Date.now() < untilMs ? transient() : SENT;
  await world.worker();
  for (const id of ids(1, count)) await world.sms({ id, partition: 3, key: 'same' });
  await world.sms({ id: idOf(count + 1), partition: 3, key: 'other' });
  await expect.poll(() => deliveredIds(world), { timeout: 5_000 }).toEqual([idOf(count + 1)]);
  await expect.poll(() => world.metrics.text()).toContain('plat_notification_held_total{channel="sms"} 100');
  untilMs = Date.now();
  await eventually('all deliveries', 25_000, () => deliveredIds(world).length === count + 1);
  expect(deliveredIds(world).slice(1, 102)).toEqual(ids(1, 101));
  expect(deliveredIds(world).toSorted()).toEqual(ids(1, count + 1));
  await expect.poll(() => leftOnHold(world)).toBe(0);
});

it.concurrent('sends each message once, but not in order, while there is no room for the head of its receiver', async ({
  expect,
  onTestFinished,
}) => {
  const tiersMs = [4_000, 8_000] as const;
  const world = await notificationWorld({ onTestFinished, tiersMs, holdLimits: { keys: 1 } });
  const failsOnce = new Map([
    [idOf(1), tiersMs[0]],
    [idOf(2), tiersMs[1]],
    [idOf(4), tiersMs[1]],
  ]);
  world.providers.add('only').answer = ({ id }) => {
    const retryAfterMs = failsOnce.get(id);
    return failsOnce.delete(id) ? transient('greylisted', retryAfterMs) : SENT;
  };
  const first = await world.worker();
  const place = (number: number, key: string) => world.sms({ id: idOf(number), partition: 0, key });
  const metrics = () => world.metrics.text();
  const beforeRetry = { timeout: tiersMs[0] };
  await place(1, 'one');
  await expect.poll(metrics, beforeRetry).toContain('plat_notification_hold{figure="keys"} 1');
  expect(first.health()).toMatchObject({
    status: 'degraded',
    reason: expect.stringContaining('no room') as string,
  });
  await place(2, 'other');
  await expect.poll(metrics, beforeRetry).toContain('plat_notification_unordered_total{channel="sms"} 1');
  await place(3, 'other');
  await expect.poll(() => deliveredIds(world), beforeRetry).toEqual([idOf(3)]);
  await first.stop(1_000);
  await world.worker();
  await expect.poll(() => deliveredIds(world), { timeout: END_MS }).toEqual([idOf(3), idOf(1)]);
  await expect.poll(() => leftOnHold(world)).toBe(0);
  // When the copy of the second message returns, the fourth one is the head of their receiver.
  await place(4, 'other');
  await place(5, 'other');
  await eventually('all deliveries', END_MS, () => deliveredIds(world).length === 5);
  expect(deliveredIds(world)).toEqual([3, 1, 4, 5, 2].map(idOf));
  expect([...world.providers.delivered.values()].every((times) => times === 1)).toBe(true);
  await expect.poll(() => leftOnHold(world)).toBe(0);
});

it.concurrent('sends other messages while one waits for the only provider that may repeat it, and the followers after that', async ({
  expect,
  onTestFinished,
}) => {
  const world = await notificationWorld({ onTestFinished, lanes: 2, tiersMs: [1_000] });
  let isDown = false;
  const isRepeated = new Set<string>();
  const first = world.providers.add('first', { isIdempotent: true });
  first.admission = () => (isDown ? { kind: 'open', afterMs: 500, code: 'timeout' } : { kind: 'go' });
  first.answer = ({ id }) => {
    if (![idOf(1), idOf(2)].includes(id) || isRepeated.has(id)) return SENT;
    isRepeated.add(id);
    isDown = isRepeated.size === 2;
    return unknown();
  };
  world.providers.add('second');
  await world.worker();
  const place = (number: number, key: string) => world.sms({ id: idOf(number), partition: 0, key });
  await place(1, 'one');
  await place(2, 'two');
  await expect.poll(() => isDown).toBe(true);
  await place(3, 'one');
  // Both copies have returned by now, more than once.
  await sleep(2_500);
  for (const number of [4, 5, 6]) await place(number, `other ${number}`);
  await expect.poll(() => deliveredIds(world), { timeout: 2_000 }).toHaveLength(3);
  expect(deliveredIds(world)).toEqual(expect.arrayContaining(ids(4, 6)));
  isDown = false;
  await expect.poll(() => deliveredIds(world), { timeout: END_MS }).toHaveLength(6);
  const ofReceiver = deliveredIds(world).filter((id) => [idOf(1), idOf(3)].includes(id));
  expect(ofReceiver).toEqual([idOf(1), idOf(3)]);
  expect(world.states.get(idOf(1))?.attempts.map(({ attempt, result }) => [attempt, result])).toEqual([
    [1, 'unknown'],
    [2, 'sent'],
  ]);
  await expect.poll(() => leftOnHold(world)).toBe(0);
});
