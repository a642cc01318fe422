import { expect, it } from 'vitest';
import {
  foundNotifications,
  notificationTimeline,
} from '../../../../shared/api/operations/notification-lists.ts';
import { authorize, guardedAccess } from '../../../support/builders/access-token.ts';
import { idOf, send, SMS, writeState } from '../../../support/builders/notification-call.ts';
import { createTestBroker, openNotificationIngress } from '../../../support/worlds/ingress-fixture.ts';
import { operationsOf } from '../../../support/worlds/operations-calls.ts';
import { notificationState } from '../../../support/builders/notification-state.ts';

const ID = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
const NOW = Date.UTC(2026, 4, 1, 10);
it('the timeline has acceptance, attempts, when the next round is due, and where the dead letters of a parked one are', async () => {
  const broker = await createTestBroker();
  const { url } = await openNotificationIngress({ broker });
  const id = await idOf(send(url, 'sms', SMS));
  const { get } = operationsOf(url);
  const events = [{ event: 'accepted' }];
  const accepted = { notificationId: id, channel: 'sms', status: 'accepted', events };
  expect((await get(`/notifications/${id}`)).body).toMatchObject(accepted);
  const code = 'http-503';
  const attempt = { provider: 'main', result: 'transient', code } as const;
  await writeState(
    broker,
    notificationState(id, {
      status: 'retrying',
      updatedAt: NOW,
      nextAttemptAt: NOW + 60_000,
      code,
      attempts: [{ attempt: 1, at: NOW, ...attempt }],
    }),
  );
  await expect.poll(async () => (await get(`/notifications/${id}`)).body['status']).toBe('retrying');
  const { body } = await get(`/notifications/${id}`);
  expect(body).toMatchObject({
    code,
    hasEarlierAttempts: false,
    events: [
      { event: 'accepted' },
      { event: 'attempt', ...attempt, at: '2026-05-01T10:00:00.000Z', round: 1 },
      { event: 'retry', at: '2026-05-01T10:01:00.000Z', round: 2 },
    ],
  });
  notificationTimeline.strict().parse(body);
  const parked = { status: 'parked', code: 'outcome-unknown', updatedAt: NOW } as const;
  await writeState(broker, notificationState(ID, parked));
  await expect.poll(async () => (await get(`/notifications/${ID}`)).status).toBe(200);
  expect((await get(`/notifications/${ID}`)).body).toMatchObject({
    status: 'parked',
    deadLetters: `/api/operations/v1/dead-letters?all=true&id=${ID}`,
  });
  expect(JSON.stringify(body)).not.toContain('40722');
});

it('the timeline is found by the Idempotency-Key of its caller', async () => {
  const { url } = await openNotificationIngress();
  const id = await idOf(send(url, 'sms', SMS, { headers: { 'idempotency-key': 'payment 7' } }));
  const { get } = operationsOf(url);
  foundNotifications.strict().parse((await get('/notifications?reference=payment%207')).body);
  expect((await get('/notifications?reference=payment%207')).body).toMatchObject({
    notifications: [{ notificationId: id, channel: 'sms', status: 'accepted' }],
  });
  expect((await get('/notifications?reference=payment%208')).body).toEqual({ notifications: [] });
  expect((await get('/notifications?referense=payment%208')).status).toBe(400);
  expect((await get('/notifications/nothing')).status).toBe(404);
});

it('the timeline is shown to its caller and to operators only', async () => {
  const { url } = await openNotificationIngress({ access: guardedAccess() });
  const owner = await authorize('shop');
  const id = await idOf(send(url, 'sms', SMS, { headers: { ...owner, 'idempotency-key': 'k-1' } }));
  const other = operationsOf(url, await authorize('other'));
  const operator = operationsOf(url, await authorize('olga', 'operations:read'));
  expect((await operationsOf(url).get(`/notifications/${id}`)).status).toBe(401);
  expect((await operationsOf(url, owner).get(`/notifications/${id}`)).status).toBe(200);
  expect((await other.get(`/notifications/${id}`)).status).toBe(404);
  expect((await operator.get(`/notifications/${id}`)).status).toBe(200);
  expect((await operationsOf(url, owner).get('/notifications?reference=k-1')).body).toMatchObject({
    notifications: [{ notificationId: id }],
  });
  expect((await other.get('/notifications?reference=k-1')).body).toEqual({ notifications: [] });
  expect((await other.get('/notifications?reference=k-1&caller=shop')).status).toBe(403);
  expect((await operator.get('/notifications?reference=k-1&caller=shop')).body).toMatchObject({
    notifications: [{ notificationId: id }],
  });
});
