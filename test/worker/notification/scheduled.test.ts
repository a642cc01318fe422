import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { authorize, JWT_SECRET } from '../../support/builders/access-token.ts';
import {
  ADDRESS,
  idOf as acceptedId,
  send,
  SMS,
  statusOf,
} from '../../support/builders/notification-call.ts';
import { SENT, transient } from '../../support/fakes/scripted-providers.ts';
import { startOn } from '../../support/worlds/ingress-system.ts';
import { idOf, notificationWorld } from '../../support/worlds/notification-world.ts';

const ENV = { RESULT_ID_SECRET: 'a secret for tests only', AUTH_JWT_SECRET: JWT_SECRET };
const HOUR_MS = 3_600_000;
const CANCELLED = 30;
const TIMEOUT = { timeout: 10_000 };
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

it('a notification is sent at sendAt, later ones to its receiver pass, and its time limit begins then (N11)', async () => {
  const world = await notificationWorld({ timeLimitMs: 1_000, tiersMs: [50, 100, 200] });
  let calls = 0;
  world.providers.add('only').answer = ({ id }) =>
    id === idOf(1) && (calls += 1) === 1 ? transient() : SENT;
  await world.worker();
  const sendAt = Date.now() + 2_000;
  await world.sms({ id: idOf(1), sendAt });
  await world.sms({ id: idOf(2) });
  await world.sms({ id: idOf(3), sendAt: Date.now() - HOUR_MS });
  await expect.poll(() => world.states.get(idOf(3))?.status).toBe('sent');
  expect(world.states.get(idOf(1))).toMatchObject({ status: 'scheduled', attempt: 1, nextAttemptAt: sendAt });
  await expect.poll(() => world.states.get(idOf(1))?.status, TIMEOUT).toBe('sent');
  expect(world.providers.calls.map(({ id }) => id)).toEqual([2, 3, 1, 1].map(idOf));
  expect(world.providers.calls[2]?.atMs).toBeGreaterThanOrEqual(sendAt);
  const own = world.history.filter(({ notificationId }) => notificationId === idOf(1));
  expect(own.map(({ status }) => status)).toEqual(['scheduled', 'sending', 'retrying', 'sending', 'sent']);
});

it('a command with a sendAt more than 7 days ahead becomes a dead letter', async () => {
  const world = await notificationWorld();
  world.providers.add('only');
  await world.worker();
  await world.sms({ sendAt: Date.now() + 7 * 24 * HOUR_MS + 60_000 });
  await expect.poll(() => world.deadLetters.length).toBe(1);
  expect(world.history).toEqual([]);
});

async function cancellable() {
  const world = await notificationWorld({ env: ENV });
  world.providers.add('only');
  await Promise.all([world.worker(), world.worker()]);
  const { url } = await startOn(world.broker, startIngressWorker, ENV);
  const ana = await authorize('ana');
  return {
    world,
    url,
    ana,
    schedule: (sendAt: string) => acceptedId(send(url, 'sms', { ...SMS, sendAt }, { headers: ana })),
    statusOf: async (id: string) =>
      ((await (await statusOf(url, id, ana)).json()) as { status: string }).status,
    cancel: async (id: string, headers = ana) => {
      const answer = await fetch(`${url}${ADDRESS}/${id}`, { method: 'DELETE', headers });
      return (await answer.json()) as { status: string | number; code?: string; detail?: string };
    },
  };
}

it('a caller cancels a scheduled notification, and no other one (N11)', async () => {
  const { world, url, ana, schedule, statusOf: shown, cancel } = await cancellable();
  const late = await send(url, 'sms', { ...SMS, sendAt: inMs(7 * 24 * HOUR_MS + 60_000) }, { headers: ana });
  expect(await late.json()).toMatchObject({ status: 400, errors: [{ code: 'too-far-ahead' }] });
  const sendAt = inMs(HOUR_MS);
  const id = await schedule(sendAt);
  await expect.poll(() => shown(id)).toBe('scheduled');
  expect(await (await statusOf(url, id, ana)).json()).toMatchObject({ nextAttemptAt: sendAt });
  expect(await cancel(id, await authorize('eva'))).toMatchObject({
    status: 404,
    code: 'unknown-notification',
  });
  expect(await cancel(idOf(1))).toMatchObject({ status: 404 });
  expect(await cancel(id)).toMatchObject({ status: 'cancelled', notificationId: id });
  expect(await cancel(id)).toMatchObject({ status: 'cancelled' });
  expect(await shown(id)).toBe('cancelled');
  const sent = await schedule(inMs(0));
  await expect.poll(() => shown(sent)).toBe('sent');
  expect(await cancel(sent)).toMatchObject({ code: 'not-cancellable', detail: 'Its status is sent.' });
  expect(world.providers.calls.map(({ id: called }) => called)).toEqual([sent]);
});

it('each notification that is cancelled while it becomes due is either cancelled or sent', async () => {
  const { world, schedule, statusOf: shown, cancel } = await cancellable();
  const dueMs = Date.now() + 2_500;
  const dueAt = new Date(dueMs).toISOString();
  const ids = await Promise.all(Array.from({ length: CANCELLED }, () => schedule(dueAt)));
  for (const id of ids) await expect.poll(() => shown(id)).toBe('scheduled');
  await sleep(Math.max(0, dueMs - Date.now() - 100));
  const answers: string[] = [];
  for (const id of ids) {
    answers.push(String((await cancel(id)).status));
    await sleep(10);
  }
  for (const [index, id] of ids.entries()) {
    const end = answers[index] === 'cancelled' ? 'cancelled' : 'sent';
    await expect.poll(() => shown(id), TIMEOUT).toBe(end);
    expect(world.providers.delivered.get(id) ?? 0).toBe(end === 'sent' ? 1 : 0);
  }
  expect(new Set(answers)).toContain('cancelled');
}, 20_000);
