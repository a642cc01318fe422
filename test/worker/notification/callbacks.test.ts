import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { hashSubject } from '../../../shared/notification/party-hashes.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { Log } from '../../../shared/platform/log.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { callbackOf } from '../../../workers/notification/start-callbacks.ts';
import { notificationState } from '../../support/builders/notification-state.ts';
import { deadLettersOver } from '../../support/worlds/dead-letters-world.ts';
import { authorize, guardedAccess } from '../../support/builders/access-token.ts';
import { idOf as idOfAccepted, send, SMS } from '../../support/builders/notification-call.ts';
import { openNotificationIngress } from '../../support/worlds/ingress-fixture.ts';
import { permanent, SENT } from '../../support/fakes/scripted-providers.ts';
import { idOf, notificationWorld } from '../../support/worlds/notification-world.ts';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;

interface Call {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function receiver(answer: (call: Call, response: ServerResponse) => void) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const call = { path, headers, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      answer(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { calls, port, origin: `http://127.0.0.1:${port}` };
}

const RESULT_SECRET = 'a secret for tests only';

async function running(callbacks: readonly object[], log: Log = silentLog) {
  const entries = callbacks.map((one) => ({ secret: SECRET, allowPrivate: true, ...one }));
  const world = await notificationWorld({
    env: { NOTIFICATION_CALLBACKS: JSON.stringify(entries), RESULT_ID_SECRET: RESULT_SECRET },
    log,
  });
  const provider = world.providers.add('first');
  await world.worker();
  return { ...world, provider };
}

const from = (sender: string) => ({ [HEADER.sender]: sender });
const statusesOf = (calls: readonly Call[]) =>
  calls.map(({ body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: { notificationId: string } };
    return `${type} ${data.notificationId}`;
  });

it('posts the final outcomes of a sender, by its subject or name, signed and no others (N13)', async () => {
  const { origin, calls } = await receiver((_, response) => response.end());
  const { provider, sms } = await running([{ sender: 'loans', url: `${origin}/outcomes?a=1` }]);
  provider.answer = ({ message }) => (message === 'wrong' ? permanent('no') : SENT);
  await sms({ id: idOf(1), headers: from(hashSubject('loans')) });
  await sms({ id: idOf(2), headers: from('loans'), message: 'wrong' });
  await sms({ id: idOf(3), headers: from('others') });
  await sms({ id: idOf(4) });
  await sms({ id: idOf(5), headers: from('loans') });
  await expect.poll(() => calls.length).toBe(3);
  expect(statusesOf(calls).toSorted()).toEqual([
    `notification.failed ${idOf(2)}`,
    `notification.sent ${idOf(1)}`,
    `notification.sent ${idOf(5)}`,
  ]);
  for (const { path, headers, body } of calls) {
    const { 'webhook-id': id, 'webhook-timestamp': at } = headers;
    const signed = createHmac('sha256', KEY)
      .update(`${String(id)}.${String(at)}.${body}`)
      .digest('base64');
    expect([path, headers['webhook-signature'], headers['content-type']]).toEqual([
      '/outcomes?a=1',
      `v1,${signed}`,
      'application/json',
    ]);
    expect(Math.abs(Number(at) - Date.now() / 1_000)).toBeLessThan(60);
  }
});

it('repeats a callback with the same id and body until it is accepted, and follows no redirect', async () => {
  const answers = [500, 302, 200];
  const { origin, calls } = await receiver((_, response) => {
    response.writeHead(answers.shift() ?? 200, { location: `${origin}/elsewhere` });
    response.end('x'.repeat(20_000));
  });
  const { sms } = await running([{ sender: 'loans', url: `${origin}/outcomes` }]);
  await sms({ id: idOf(1), headers: from('loans') });
  await expect.poll(() => calls.length).toBe(3);
  expect(
    new Set(calls.map(({ path, headers, body }) => [path, headers['webhook-id'], body].join())).size,
  ).toBe(1);
  expect(calls[0]?.path).toBe('/outcomes');
});

it('a receiver that never answers does not delay the callbacks of another', async () => {
  const dead = await receiver(() => undefined);
  const live = await receiver((_, response) => response.end());
  const { sms } = await running([
    { sender: 'dead', url: dead.origin },
    { sender: 'live', url: live.origin },
  ]);
  for (let number = 1; number <= 400; number += 1)
    await sms({ id: idOf(number), headers: from('dead'), key: String(number) });
  await expect.poll(() => dead.calls.length, { timeout: 5_000 }).toBe(8);
  for (let number = 401; number <= 440; number += 1)
    await sms({ id: idOf(number), headers: from('live'), key: String(number) });
  await expect.poll(() => live.calls.length, { timeout: 5_000 }).toBe(40);
  expect(dead.calls.length).toBe(8);
});

it('a name that resolves to a private address is not connected to without allowPrivate', async () => {
  const logged: unknown[] = [];
  const log: Log = { ...silentLog, warn: (fields: unknown) => void logged.push(fields) };
  let connections = 0;
  const server = createServer().on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `https://localhost:${port}/secret-path`;
  const { sms, collect } = await running([{ sender: 'loans', url, allowPrivate: false }], log);
  await sms({ id: idOf(1), headers: from('loans') });
  await expect.poll(() => JSON.stringify(logged)).toContain('connect-not_public');
  expect(JSON.stringify(logged)).not.toMatch(/secret-path|whsec/);
  const callbacks = await collect(TOPIC.notificationCallbacks);
  await expect.poll(() => callbacks.length).toBeGreaterThan(0);
  expect([connections, headerText(callbacks[0]?.headers ?? {}, HEADER.sender)]).toEqual([0, 'loans']);
});

it('a callback that nobody accepts for a day becomes a dead letter, which an operator redrives', async () => {
  const answers = [410];
  const { origin, calls } = await receiver((_, response) => response.writeHead(answers.shift() ?? 204).end());
  const world = await running([{ sender: 'loans', url: origin }]);
  const state = notificationState(idOf(1), { status: 'sent', sender: 'loans', updatedAt: 5 });
  const { key, value, headers = {} } = callbackOf(state, '', 0);
  await world.publish(TOPIC.notificationCallbacks, { key, value, headers });
  await expect.poll(() => world.deadLetters.length).toBe(1);
  const call = await deadLettersOver(world.broker);
  expect(JSON.stringify(await call('show', idOf(1)))).toContain('callback-failed');
  await call('redrive', '--code', 'callback-failed');
  await expect.poll(() => calls.length).toBe(2);
  expect(calls.map(({ headers: sent }) => sent['webhook-id'])).toEqual([
    `${idOf(1)}_sent`,
    `${idOf(1)}_sent`,
  ]);
});

it('the subject of an access token selects the callback of a notification sent over HTTP', async () => {
  const { origin, calls } = await receiver((_, response) => response.end());
  const { broker } = await running([{ sender: 'shop', url: origin }]);
  const access = guardedAccess();
  const { url } = await openNotificationIngress({ broker, access, resultSecret: RESULT_SECRET });
  const ids: Record<string, string> = {};
  for (const subject of ['other', 'shop'])
    ids[subject] = await idOfAccepted(send(url, 'sms', SMS, { headers: await authorize(subject) }));
  await expect.poll(() => calls.length).toBe(1);
  expect(statusesOf(calls)).toEqual([`notification.sent ${ids['shop']}`]);
});
