import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { retryTopicName, TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { monotonicClock } from '../../../shared/platform/system-ports.ts';
import { guard } from '../../../workers/notification/providers/guarded-provider.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { after, permanent, SENT, transient } from '../../support/fakes/scripted-providers.ts';
import {
  idOf,
  notificationWorld,
  redriven,
  type NotificationWorld,
} from '../../support/worlds/notification-world.ts';

const END_MS = 10_000;

const sentIds = (world: NotificationWorld) =>
  world.providers.calls.filter(({ result }) => result.kind === 'sent').map(({ id }) => id);
const normalIds = (count: number) => Array.from({ length: count }, (_, index) => idOf(index + 1));

it('sends an urgent message before normal ones that wait for a send slot and for the rate limit', async () => {
  const world = await notificationWorld();
  const provider = world.providers.add('slow', { concurrency: 1 });
  provider.answer = after(20, SENT);
  // The guard in front of the scripted provider is the one of production.
  const limited = guard(provider, { ratePerSecond: 5 }, monotonicClock);
  world.providers.list = [{ ...provider, admit: (priority) => limited.admit(priority) }];
  for (const id of normalIds(30)) await world.sms({ id, key: id });
  await world.worker();
  await eventually('the first normal messages', END_MS, () => sentIds(world).length >= 4);
  await world.sms({ id: idOf(900), key: 'urgent', priority: 'urgent' });
  await eventually('the urgent message', END_MS, () => sentIds(world).includes(idOf(900)));
  // One call per 200 ms is left for the normal ones: without its reserve, the urgent one would be the last.
  expect(sentIds(world).indexOf(idOf(900))).toBeLessThan(10);
});

it('keeps the priority in retries, followers, dead letters and redrives', async () => {
  const world = await notificationWorld({ tiersMs: [50] });
  const results = new Map([
    [idOf(1), [transient(), SENT]],
    [idOf(3), [permanent()]],
  ]);
  world.providers.add('only').answer = ({ id }) => results.get(id)?.shift() ?? SENT;
  const tier = await world.collect(retryTopicName('', 50, 'urgent'));
  const urgent = await world.collect(TOPIC.smsUrgentCommands);
  const normal = await world.collect(TOPIC.smsCommands);
  await world.worker();
  for (const number of [1, 2, 3]) {
    const key = number === 3 ? 'other' : 'same';
    await world.sms({ id: idOf(number), key, priority: 'urgent' });
  }
  await eventually('the ends', END_MS, () => sentIds(world).length === 2 && world.deadLetters.length === 1);
  expect(sentIds(world)).toEqual([idOf(1), idOf(2)]);
  const origins = tier.map(({ headers }) => headerText(headers, HEADER.retryTopic));
  expect(origins).toEqual([TOPIC.smsUrgentCommands]);
  const [letter] = world.deadLetters;
  expect(headerText(letter?.headers ?? {}, HEADER.deadLetterTopic)).toBe(TOPIC.smsUrgentCommands);
  await world.sms({ id: idOf(3), key: 'other', priority: 'urgent', headers: redriven(2) });
  await eventually('the redrive', END_MS, () => sentIds(world).includes(idOf(3)));
  expect(urgent).toHaveLength(5);
  expect(normal).toEqual([]);
});

it('sends a command once that is on both topics of its channel', async () => {
  const world = await notificationWorld();
  world.providers.add('only').answer = after(100, SENT);
  await world.worker();
  const id = idOf(1);
  await Promise.all([world.sms({ id }), world.sms({ id, priority: 'urgent' })]);
  await eventually('the message', END_MS, () => world.states.get(id)?.status === 'sent');
  await world.sms({ id, priority: 'urgent' });
  await world.sms({ id: idOf(2), priority: 'urgent' });
  await eventually('the next message', END_MS, () => sentIds(world).includes(idOf(2)));
  expect(world.providers.calls.filter((call) => call.id === id)).toHaveLength(1);
});
