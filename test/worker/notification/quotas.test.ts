import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { SENT, transient } from '../../support/fakes/scripted-providers.ts';
import { idOf, notificationWorld, redriven } from '../../support/worlds/notification-world.ts';

const END_MS = 10_000;

it('ends commands of upstream systems beyond a quota as failed, with the quota as the code of state and dead letter', async () => {
  const world = await notificationWorld({ env: { NOTIFICATION_QUOTA_RECEIVER: '2' }, tiersMs: [20] });
  const fails = new Set([idOf(1)]);
  world.providers.add('only').answer = ({ id }) => (fails.delete(id) ? transient() : SENT);
  await world.worker();
  // The retry of the first one is not counted again.
  for (const number of [1, 2, 3]) {
    await world.sms({ id: idOf(number) });
    await eventually(`the end of ${number}`, END_MS, () =>
      ['sent', 'failed'].includes(world.states.get(idOf(number))?.status ?? ''),
    );
  }
  expect(world.states.get(idOf(2))).toMatchObject({ status: 'sent' });
  expect(world.states.get(idOf(3))).toMatchObject({ status: 'failed', code: 'quota-receiver' });
  await eventually('the dead letter', END_MS, () => world.deadLetters.length === 1);
  expect(headerText(world.deadLetters[0]?.headers ?? {}, HEADER.deadLetterCode)).toBe('quota-receiver');
  const usage = await world.collect(TOPIC.notificationUsage);
  await eventually('the usage records', END_MS, () => usage.length === 2);
  await world.sms({ id: idOf(3), headers: redriven(2) });
  await eventually('the redrive', END_MS, () => world.states.get(idOf(3))?.status === 'sent');
});
