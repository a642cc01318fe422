import { expect, it } from 'vitest';
import { topicUnknown } from '../../../shared/messaging/broker-errors.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { commandsOf, publishingBy, recordsOf, send, SMS } from '../../support/builders/notification-call.ts';
import { createSharedBroker, standingClock, startOn } from '../../support/worlds/ingress-system.ts';

const SECRET = { RESULT_ID_SECRET: 'x'.repeat(16) };

it('refuses a notification beyond a quota with 429, the reason and the time until the day ends, on every instance', async () => {
  const broker = await createSharedBroker(2);
  const clock = standingClock();
  const env = { ...SECRET, NOTIFICATION_QUOTA_RECEIVER: '2' };
  const one = await startOn(broker, startIngressWorker, env, clock);
  const other = await startOn(broker, startIngressWorker, env, clock);
  const headers = { 'idempotency-key': 'first' };
  expect((await send(one.url, 'sms', SMS, { headers })).status).toBe(202);
  expect((await send(one.url, 'sms', SMS, { headers })).status).toBe(202);
  expect((await send(other.url, 'sms', SMS)).status).toBe(202);
  // The records of other instances arrive within moments.
  await expect.poll(async () => (await recordsOf(broker, TOPIC.notificationUsage)).length).toBe(2);
  for (const { url } of [one, other]) {
    const refused = await send(url, 'sms', SMS);
    expect(refused.status).toBe(429);
    const midnightMs = Math.ceil(clock.now() / 86_400_000) * 86_400_000;
    expect(Number(refused.headers.get('retry-after'))).toBe(Math.ceil((midnightMs - clock.now()) / 1_000));
    expect(await refused.json()).toMatchObject({
      code: 'quota-exceeded',
      detail: expect.stringContaining(new Date(midnightMs).toISOString()) as string,
      errors: [{ path: 'receiver', code: 'quota-receiver' }],
    });
  }
  expect((await send(other.url, 'sms', SMS, { headers })).status).toBe(202);
  const late = await startOn(broker, startIngressWorker, env, clock);
  expect((await send(late.url, 'sms', SMS)).status).toBe(429);
  const commands = await commandsOf(broker, 'sms');
  expect(commands).toHaveLength(2);
  expect(commands.map(({ headers: sent }) => String(sent['plat-quota-counted']))).toEqual(['true', 'true']);
});

it('refuses a country that is not allowed with 422, naming the field', async () => {
  const broker = await createSharedBroker(1);
  const env = { ...SECRET, NOTIFICATION_COUNTRIES: 'RO' };
  const { url } = await startOn(broker, startIngressWorker, env);
  const abroad = await send(url, 'sms', { ...SMS, receiver: '+393331234567' });
  const code = 'country-not-allowed';
  expect(await abroad.json()).toMatchObject({ status: 422, code, errors: [{ path: 'receiver', code }] });
});

it('responds with 504 and keeps the count if the command may be stored without its usage record', async () => {
  const broker = await createSharedBroker(1);
  // Its usage topic was removed while it was in use: other messages of a call are stored.
  const withoutUsageTopic = publishingBy(broker, (publish) => async (messages) => {
    const stored = messages.filter(({ topic }) => topic !== TOPIC.notificationUsage);
    await publish(stored);
    if (stored.length < messages.length) throw topicUnknown(TOPIC.notificationUsage);
  });
  const env = { ...SECRET, NOTIFICATION_QUOTA_RECEIVER: '1' };
  const { url } = await startOn(withoutUsageTopic, startIngressWorker, env);
  const unknown = await send(url, 'sms', SMS);
  expect([unknown.status, await unknown.json()]).toMatchObject([504, { code: 'accept-unknown' }]);
  expect((await send(url, 'sms', SMS)).status).toBe(429);
  expect(await commandsOf(broker, 'sms')).toHaveLength(1);
});

it('writes no usage records and no header without quotas', async () => {
  const broker = await createSharedBroker(1);
  const { url } = await startOn(broker, startIngressWorker, SECRET);
  expect((await send(url, 'sms', SMS)).status).toBe(202);
  expect(await recordsOf(broker, TOPIC.notificationUsage)).toEqual([]);
  expect((await commandsOf(broker, 'sms'))[0]?.headers).not.toHaveProperty('plat-quota-counted');
});
