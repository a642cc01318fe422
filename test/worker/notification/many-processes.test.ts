import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../../support/conformance/wait.ts';
import { idOf, notificationWorld, SMS } from '../../support/worlds/notification-world.ts';
import { after, SENT } from '../../support/fakes/scripted-providers.ts';

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
