import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/conformance/wait.ts';
import {
  idOf,
  notificationWorld,
  SMS,
  type NotificationWorld,
} from '../../support/worlds/notification-world.ts';
import { permanent, SENT, transient, unknown } from '../../support/fakes/scripted-providers.ts';

/** Messages would wait at least this long for an open circuit breaker. */
const PROMPTLY_MS = 10_000;
const REJECTED = 120;
const OTHERS = idOf(999);

/** Sends a message of another caller and waits until it is delivered. */
async function deliverAnother(world: NotificationWorld): Promise<void> {
  await world.sms({ id: OTHERS, key: 'another receiver', message: 'your code is 1234' });
  await eventually('the other message', PROMPTLY_MS, () => world.providers.delivered.has(OTHERS));
}

describe('failed messages of one caller do not delay those of another', () => {
  it.each([
    ['permanent', () => permanent('smtp-550')],
    ['unknown', () => unknown('http-200')],
    ['transient', () => transient('smtp-451')],
  ])('when their results are %s', async (_, rejection) => {
    const world = await notificationWorld({ tiersMs: [60_000] });
    world.providers.add('only').answer = ({ id }) => (id === OTHERS ? SENT : rejection());
    const worker = await world.worker();
    for (let number = 0; number < REJECTED; number += 1)
      await world.sms({ id: idOf(number), key: `receiver ${number}` });
    await eventually('all rejections', PROMPTLY_MS, () => world.providers.calls.length >= REJECTED);
    await deliverAnother(world);
    expect(worker.health()).toEqual({ status: 'ready' });
  });

  it('when they have the same receiver and waited for a retried message', async () => {
    const world = await notificationWorld({ tiersMs: [300] });
    let calls = 0;
    world.providers.add('only').answer = ({ id }) => {
      calls += 1;
      if (id === OTHERS) return SENT;
      return calls === 1 ? transient() : permanent();
    };
    const worker = await world.worker();
    for (let number = 0; number < REJECTED; number += 1) await world.sms({ id: idOf(number) });
    await eventually('all rejections', PROMPTLY_MS, () => world.deadLetters.length === REJECTED);
    await deliverAnother(world);
    expect(worker.health()).toEqual({ status: 'ready' });
  });

  it('when they cannot be decoded', async () => {
    const world = await notificationWorld();
    world.providers.add('only');
    const worker = await world.worker();
    for (let number = 0; number < REJECTED; number += 1)
      await world.publish(SMS, { key: `key ${number}`, value: Buffer.from('?') });
    await eventually('the dead letters', PROMPTLY_MS, () => world.deadLetters.length === REJECTED);
    await deliverAnother(world);
    expect(worker.health()).toEqual({ status: 'ready' });
  });
});
