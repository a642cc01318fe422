import { expect, it } from 'vitest';
import { eventually } from '../../support/conformance/wait.ts';
import { idOf, notificationWorld, SMS } from '../../support/worlds/notification-world.ts';
import { permanent, SENT, transient, unknown } from '../../support/fakes/scripted-providers.ts';

/** Messages would wait at least this long for an open circuit breaker. */
const PROMPTLY_MS = 10_000;
const REJECTED = 120;
const OTHERS = idOf(999);
const RESULTS = [permanent('smtp-550'), unknown('http-200'), transient('smtp-451')];

it('failed and undecodable messages of one caller do not delay those of another', async () => {
  const world = await notificationWorld({ tiersMs: [60_000] });
  world.providers.add('only').answer = ({ id }) =>
    id === OTHERS ? SENT : (RESULTS[Number(id.at(-1)) % RESULTS.length] ?? SENT);
  const worker = await world.worker();
  for (let number = 0; number < REJECTED; number += 1) {
    await world.sms({ id: idOf(number), key: `receiver ${number}` });
    await world.publish(SMS, { key: `key ${number}`, value: Buffer.from('?') });
  }
  await eventually('all failures', PROMPTLY_MS, () => world.providers.calls.length >= REJECTED);
  await world.sms({ id: OTHERS, key: 'another receiver', message: 'your code is 1234' });
  await eventually('the other message', PROMPTLY_MS, () => world.providers.delivered.has(OTHERS));
  expect(worker.health()).toEqual({ status: 'ready' });
});
