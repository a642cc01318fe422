import { expect, it } from 'vitest';
import {
  foundNotifications,
  type FoundNotifications,
} from '../../../../shared/api/operations/notification-lists.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import type { NotificationState } from '../../../../shared/notification/notification-state.ts';
import { authorize, guardedAccess } from '../../../support/builders/access-token.ts';
import { EMAIL, idOf, send, SMS, writeState } from '../../../support/builders/notification-call.ts';
import { notificationState } from '../../../support/builders/notification-state.ts';
import {
  createTestBroker,
  openNotificationIngress,
  publishTo,
} from '../../../support/worlds/ingress-fixture.ts';
import { operationsOf } from '../../../support/worlds/operations-calls.ts';

const upstreamId = (number: number) => `0c6a9f5e-1d5c-4b9e-8f7a-${String(number).padStart(12, '0')}`;

async function openList() {
  const broker = await createTestBroker();
  const { url } = await openNotificationIngress({ broker });
  const list = async (query = '') => {
    const { status, body } = await operationsOf(url).get(`/notifications${query}`);
    expect([query, status]).toEqual([query, 200]);
    return foundNotifications.strict().parse(body);
  };
  const idsOf = async (query = '') => (await list(query)).notifications.map((one) => one.notificationId);
  const state = (number: number, fields: Partial<NotificationState>) =>
    writeState(
      broker,
      notificationState(upstreamId(number), { updatedAt: Date.now(), ...fields }),
      Date.now() + number,
    );
  return { broker, url, list, idsOf, state };
}

const attempt = { attempt: 1, at: 1, provider: 'main', result: 'sent', code: undefined } as const;

it('recent notifications are listed once each, the last changed first, without personal data (N14)', async () => {
  const { broker, url, list, idsOf, state } = await openList();
  const sms = await idOf(send(url, 'sms', SMS, { headers: { 'idempotency-key': 'a' } }));
  const email = await idOf(send(url, 'email', EMAIL));
  await expect.poll(() => idsOf()).toEqual([email, sms]);
  await state(1, {
    status: 'failed',
    code: 'no',
    attempts: [attempt],
    category: 'campaign',
    receiverHash: 'ab',
  });
  const sent = notificationState(sms, { status: 'sent', attempts: [attempt], updatedAt: Date.now() });
  await publishTo(broker, [
    {
      topic: TOPIC.notificationOutcomes,
      key: sms,
      value: Buffer.from(JSON.stringify(sent)),
      headers: { [HEADER.messageType]: 'NotificationState' },
      timestampMs: Date.now() + 10,
    },
  ]);
  await expect.poll(() => idsOf()).toEqual([sms, upstreamId(1), email]);
  const { notifications, nextCursor } = await list();
  expect(nextCursor).toBeUndefined();
  const hash = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
  const updatedAt = expect.any(String) as string;
  const category = 'transactional';
  expect(notifications).toEqual([
    {
      notificationId: sms,
      channel: 'sms',
      status: 'sent',
      updatedAt,
      provider: 'main',
      category,
      receiverHash: hash,
    },
    {
      notificationId: upstreamId(1),
      channel: 'sms',
      status: 'failed',
      code: 'no',
      updatedAt,
      provider: 'main',
      category: 'campaign',
      receiverHash: 'ab',
    },
    { notificationId: email, channel: 'email', status: 'accepted', updatedAt, category, receiverHash: hash },
  ]);
  const again = await idOf(send(url, 'sms', SMS));
  await expect.poll(() => idsOf()).toContain(again);
  const [first, second] = (await list('?channel=sms')).notifications;
  expect(first?.receiverHash).toBe(second?.receiverHash);
  expect(JSON.stringify(await list())).not.toMatch(/40722|ana@|Hello/);
});

it('the list is filtered by status and channel, and paged by a cursor', async () => {
  const { url, list, idsOf, state } = await openList();
  for (let number = 1; number <= 7; number += 1)
    await state(number, { status: number % 2 === 0 ? 'failed' : 'sent' });
  const email = await idOf(send(url, 'email', EMAIL));
  await expect.poll(() => idsOf()).toHaveLength(8);
  expect(await idsOf('?status=failed')).toEqual([6, 4, 2].map(upstreamId));
  expect(await idsOf('?status=accepted')).toEqual([email]);
  expect(await idsOf('?channel=email')).toEqual([email]);
  expect(await idsOf('?channel=email&status=sent')).toEqual([]);
  const pages: FoundNotifications[] = [];
  let query = '?limit=2&channel=sms';
  for (let page: FoundNotifications | undefined; ; query = `?limit=2&channel=sms&cursor=${page.nextCursor}`) {
    page = await list(query);
    pages.push(page);
    if (page.nextCursor === undefined) break;
  }
  expect(pages.map(({ notifications }) => notifications.length)).toEqual([2, 2, 2, 1]);
  const ids = pages.flatMap(({ notifications }) => notifications.map((one) => one.notificationId));
  expect(ids).toEqual([7, 6, 5, 4, 3, 2, 1].map(upstreamId));
});

it('only operators see the list, and all faults of its query are reported', async () => {
  const { url } = await openNotificationIngress({ access: guardedAccess() });
  const operator = operationsOf(url, await authorize('olga', 'operations:read'));
  expect((await operationsOf(url, await authorize('shop')).get('/notifications')).status).toBe(403);
  expect((await operator.get('/notifications')).body).toEqual({ notifications: [] });
  const wrong = await operator.get('/notifications?status=lost&channel=fax&limit=0&page=2');
  const paths = (wrong.body['errors'] as { path: string }[]).map(({ path }) => path);
  expect([wrong.status, paths.toSorted()]).toEqual([400, ['channel', 'limit', 'page', 'status']]);
  expect((await operator.get('/notifications?cursor=abc')).body).toMatchObject({
    errors: [{ path: 'cursor', message: 'must be the nextCursor of the previous page' }],
  });
});
