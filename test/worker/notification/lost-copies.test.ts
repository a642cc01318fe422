import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { retryTopicName } from '../../../shared/messaging/topics/topic-list.ts';
import { eventually } from '../../support/conformance/wait.ts';
import {
  idOf,
  notificationWorld,
  SMS,
  type NotificationWorld,
} from '../../support/worlds/notification-world.ts';
import { refusingBroker } from '../../support/fakes/refusing-broker.ts';
import { SENT, transient } from '../../support/fakes/scripted-providers.ts';

const HOUR_MS = 3_600_000;

const codesOf = (world: NotificationWorld) =>
  world.deadLetters.map(({ headers }) => headerText(headers, HEADER.deadLetterCode));

it('processes followers of a lost head once it is no longer awaited', async () => {
  let offsetMs = 0;
  const clock = { now: () => Date.now() + offsetMs };
  const world = await notificationWorld({ clock, timeLimitMs: HOUR_MS });
  world.providers.add('only').answer = () => transient();
  const tier = retryTopicName('', 50);
  const broker = refusingBroker(world.broker, (_client, [message]) =>
    message?.topic === tier ? 'lost' : undefined,
  );
  const one = await world.worker({ broker });
  for (const number of [1, 2, 3]) await world.sms({ id: idOf(number), partition: 0, key: 'same' });
  await expect.poll(() => world.metrics.text()).toContain('plat_notification_hold{figure="followers"} 2');
  await one.stop(500);
  offsetMs = HOUR_MS + 16 * 60_000;
  await world.worker();
  const codes = () => [idOf(2), idOf(3)].map((id) => world.states.get(id)?.code);
  await eventually('all outcomes', 5_000, () => codes().every((code) => code === 'time-limit-exceeded'));
  expect(world.providers.calls.map(({ id }) => id)).toEqual([idOf(1), idOf(2), idOf(3)]);
});

it('processes followers immediately if the copy of their head is rejected before it is in the delivery log', async () => {
  const world = await notificationWorld({ tiersMs: [600_000] });
  world.providers.add('only').answer = ({ id }) => (id === idOf(1) ? transient() : SENT);
  await world.worker();
  for (const number of [1, 2, 3]) await world.sms({ id: idOf(number), partition: 0, key: 'same' });
  await expect.poll(() => world.metrics.text()).toContain('plat_notification_hold{figure="followers"} 2');
  const headers = { [HEADER.notificationId]: idOf(1), [HEADER.attempt]: '2' };
  await world.publish(SMS, { key: 'same', partition: 0, value: Buffer.from('?'), headers });
  await eventually('all deliveries', 5_000, () => world.providers.delivered.size === 2);
  expect([...world.providers.delivered.keys()]).toEqual([idOf(2), idOf(3)]);
  expect(codesOf(world)).toEqual(['undecodable-message']);
  expect(world.states.get(idOf(1))).toMatchObject({
    status: 'failed',
    code: 'undecodable-message',
    attempt: 2,
  });
});

it('keeps the order of messages with an empty key', async () => {
  const world = await notificationWorld();
  let count = 0;
  world.providers.add('only').answer = ({ id }) => (id === idOf(1) && count++ === 0 ? transient() : SENT);
  await world.worker();
  await world.sms({ id: idOf(1), key: '', partition: 0 });
  await world.sms({ id: idOf(2), key: '', partition: 0 });
  await eventually('all deliveries', 5_000, () => world.providers.delivered.size === 2);
  expect(world.providers.calls.map(({ id }) => id)).toEqual([idOf(1), idOf(1), idOf(2)]);
});
