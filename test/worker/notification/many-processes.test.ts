import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../../support/conformance/wait.ts';
import { idOf, notificationWorld, SMS } from '../../support/worlds/notification-world.ts';
import { after, SENT, transient } from '../../support/fakes/scripted-providers.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => idOf(index));

it('sends a notification once that two processes receive at the same time', async () => {
  const world = await notificationWorld();
  world.providers.add('only').answer = after(3, SENT);
  await Promise.all([world.worker(), world.worker()]);
  await sleep(200);
  await Promise.all(
    ids(60).flatMap((id) =>
      [0, 3, 6, 9, 11].map((partition) => world.sms({ id, partition, key: `key-${partition}-${id}` })),
    ),
  );
  await eventually('all deliveries', 15_000, async () => {
    const committed = await world.broker.admin.committed('plat.notification.sms', [SMS]);
    return committed.reduce((sum, { offset }) => sum + offset, 0) === 300;
  });
  expect([...world.providers.delivered.values()]).toEqual(Array.from({ length: 60 }, () => 1));
  expect([...world.states.values()].every(({ status }) => status === 'sent')).toBe(true);
});

it('keeps copies on their tiers for the whole delay, without loss, while processes start and stop', async () => {
  const world = await notificationWorld({ tiersMs: [150, 300] });
  const due = new Map<string, number>();
  const early: string[] = [];
  const left = new Map(ids(40).map((id) => [id, 2]));
  world.providers.add('only').answer = ({ id }) => {
    if (Date.now() < (due.get(id) ?? 0)) early.push(id);
    const count = left.get(id) ?? 0;
    left.set(id, count - 1);
    if (count === 0) return SENT;
    due.set(id, Date.now() + (count === 2 ? 150 : 300) - 1);
    return transient();
  };
  await world.worker();
  for (const id of ids(40)) await world.sms({ id, key: id });
  for (let round = 0; round < 4; round += 1) {
    const passing = await world.worker();
    await sleep(80);
    await passing.stop(1_000);
  }
  await eventually('all deliveries', 15_000, () => world.providers.delivered.size === 40);
  expect(early).toEqual([]);
  expect([...world.providers.delivered.values()].every((times) => times === 1)).toBe(true);
});
