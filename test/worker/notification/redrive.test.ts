import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import {
  idOf,
  notificationWorld,
  redriven,
  SMS,
  type NotificationWorld,
} from '../../support/worlds/notification-world.ts';
import { permanent, SENT, unknown, transient } from '../../support/fakes/scripted-providers.ts';

const ID = idOf(1);
const statusOf = (world: NotificationWorld) => world.states.get(ID)?.status;

/** Waits until all commands are committed. */
async function idle(world: NotificationWorld): Promise<void> {
  await expect
    .poll(async () => {
      const ends = await world.broker.admin.offsets(SMS);
      const committed = await world.broker.admin.committed('plat.notification.sms', [SMS]);
      return ends.every(
        ({ partition, high }) =>
          high === 0 || committed.find((one) => one.partition === partition)?.offset === high,
      );
    })
    .toBe(true);
}

const numberOf = ({ headers }: LogMessage) => headerText(headers, HEADER.attempt);

it('sends a failed notification once when it is redriven several times', async () => {
  const world = await notificationWorld();
  const only = world.providers.add('only');
  only.answer = () => permanent();
  await world.worker();
  await world.sms({ id: ID });
  await expect.poll(() => world.deadLetters.length).toBe(1);
  only.answer = () => SENT;
  await Promise.all([1, 2, 3].map(() => world.sms({ id: ID, headers: redriven(2) })));
  await expect.poll(() => statusOf(world)).toBe('sent');
  await world.sms({ id: ID, headers: redriven(9) });
  await idle(world);
  expect(world.providers.delivered.get(ID)).toBe(1);
  expect(world.states.get(ID)).toMatchObject({ attempt: 2 });
  expect(world.deadLetters).toHaveLength(1);
});

it('sends a parked notification again only for a redrive that accepts duplicates', async () => {
  const world = await notificationWorld();
  const only = world.providers.add('only');
  only.answer = () => unknown();
  await world.worker();
  await world.sms({ id: ID });
  await expect.poll(() => world.deadLetters.length).toBe(1);
  only.answer = () => SENT;
  await world.sms({ id: ID, headers: redriven(2) });
  await expect.poll(() => world.deadLetters.map(numberOf)).toEqual(['1', '2']);
  expect(statusOf(world)).toBe('parked');
  expect(world.providers.calls).toHaveLength(1);
  await world.sms({ id: ID, headers: redriven(3, { [HEADER.redriveUnknown]: 'true' }) });
  await expect.poll(() => statusOf(world)).toBe('sent');
  expect(world.providers.delivered.get(ID)).toBe(1);
});

it('starts a new time limit on a redrive', async () => {
  const world = await notificationWorld({ timeLimitMs: 3_000 });
  const only = world.providers.add('only');
  only.answer = () => transient();
  await world.worker();
  const long = { [HEADER.originTimestamp]: String(Date.now() - 60_000) };
  await world.sms({ id: ID, headers: long });
  await expect.poll(() => statusOf(world)).toBe('failed');
  expect(world.states.get(ID)?.code).toBe('time-limit-exceeded');
  expect(world.providers.calls).toHaveLength(1);
  only.answer = () => SENT;
  await world.sms({ id: ID, headers: redriven(2, long) });
  await expect.poll(() => statusOf(world)).toBe('sent');
});
