import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerNumber } from '../../../shared/messaging/headers.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { EMAIL, idOf, notificationWorld, SMS } from '../../support/worlds/notification-world.ts';
import { after, permanent, SENT, transient, unknown } from '../../support/fakes/scripted-providers.ts';

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

it('keeps copies on their tiers for the whole delay, and loses none, while processes start and stop', async () => {
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

it('writes no message data to logs, metrics, health, states and headers', async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = pino({ level: 'debug' }, stream);
  const world = await notificationWorld({ log, tiersMs: [20], timeLimitMs: 150 });
  const results = [SENT, permanent('smtp-550'), transient('smtp-452'), unknown('timeout')];
  let calls = 0;
  const answer = () => results[calls++ % results.length] ?? SENT;
  world.providers.add('texts').answer = answer;
  world.providers.add('mails', { channel: 'email' }).answer = () => {
    if (calls % 5 === 4) throw new Error('provider broke');
    return answer();
  };
  const worker = await world.worker();
  const secret = 'SECRET-BODY-4711';
  for (const id of ids(12)) {
    await world.sms({ id, message: secret, key: 'hash' });
    await world.email({ message: secret, key: 'hash' });
  }
  await world.publish(SMS, { key: 'hash', value: Buffer.from(secret) });
  const wrong = JSON.stringify({ receiver: secret, message: secret });
  await world.publish(EMAIL, {
    key: 'hash',
    value: Buffer.from(wrong),
    headers: { [HEADER.messageType]: 'SendEmailCommand' },
  });
  await expect.poll(() => world.deadLetters.length, { timeout: 8_000 }).toBeGreaterThan(8);
  const reported = [
    ...lines,
    await world.metrics.text(),
    JSON.stringify(worker.health()),
    JSON.stringify(world.history),
    JSON.stringify(
      world.deadLetters.map(({ headers }) =>
        Object.entries(headers).map(([name, value]) => [name, String(value)]),
      ),
    ),
  ].join('\n');
  for (const planted of [secret, '40722123456', 'someone@example.org'])
    expect(reported).not.toContain(planted);
  expect(
    world.deadLetters.every(({ headers }) => headerNumber(headers, HEADER.deadLetterAt) !== undefined),
  ).toBe(true);
});
