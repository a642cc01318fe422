import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkCommand } from '../../../shared/api/notification/read-command.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import { topicSpecs, TOPIC, type TopicKey } from '../../../shared/messaging/topics/topic-list.ts';
import type { EmailCommand, SmsCommand } from '../../../shared/notification/notification-command.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { authorize, JWT_SECRET } from '../../support/builders/access-token.ts';
import { notificationState } from '../../support/builders/notification-state.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { openNotificationIngress } from '../../support/worlds/ingress-fixture.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import {
  ADDRESS,
  commandsOf,
  EMAIL,
  hasAcceptance,
  idOf,
  recordsOf,
  send,
  SMS,
  statusOf,
  writeState,
} from '../../support/builders/notification-call.ts';
import { untilAdmitted } from '../../support/builders/schedule-call.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UNKNOWN = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';

async function system(env: Record<string, string> = {}) {
  const broker = await createSharedBroker(3);
  const { url } = await startOn(broker, startIngressWorker, env);
  return { broker, url };
}

const problemOf = async (response: Response) => {
  const { code, errors = [] } = (await response.json()) as Problem;
  return { status: response.status, code, errors: errors.map((fault) => `${fault.path} ${fault.code}`) };
};

async function withProvider(defaultSender?: string, members: object = {}) {
  const file = path.join(scratchFolder(), 'providers.json');
  const provider = {
    url: 'smtps://127.0.0.1:465',
    provider: 'SMTP',
    'communication-channel': 'email',
    ...(defaultSender === undefined ? {} : { defaultSender }),
    ...members,
  };
  const configuration = { realmId: 'platrealm', 'provider-configurations': [provider] };
  writeFileSync(file, JSON.stringify({ notificationConfigurations: [configuration] }));
  return system({ NOTIFICATION_CONFIG_FILE: file, DATA_DIR: scratchFolder() });
}

const state = (notificationId: string, members: Partial<NotificationState>): NotificationState =>
  notificationState(notificationId, { updatedAt: Date.now(), ...members });

const attemptAt = (at: number) =>
  ({ attempt: 1, at, provider: 'p', result: 'transient', code: 'c' }) as const;

async function withPublisher(onPublish: FakePublisher['onPublish']) {
  const publisher = new FakePublisher();
  publisher.onPublish = onPublish;
  const { url } = await openNotificationIngress({ notificationPublisher: publisher });
  return { url, publisher };
}

it('responds with 202 and the id (4.8, N3) once the command is stored with a hashed key', async () => {
  const { broker, url } = await system();
  const response = await send(url, 'sms', { ...SMS, receiver: '0040 722 123 456', extra: 1 });
  expect(response.status).toBe(202);
  expect(response.headers.get('warnings')).toBe('unknown-member;extra');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const body = (await response.json()) as { notificationId: string };
  expect(body).toEqual({ notificationId: expect.stringMatching(UUID) as string, status: 'accepted' });
  expect(response.headers.get('location')).toBe(`/api/notifications/v1/${body.notificationId}`);
  await idOf(send(url, 'sms', SMS));
  await idOf(send(url, 'sms', { ...SMS, receiver: '+447400123456' }));
  const commands = await commandsOf(broker, 'sms');
  expect(commands.find(({ id }) => id === body.notificationId)?.payload).toEqual({
    ...SMS,
    notificationId: body.notificationId,
    sender: undefined,
  });
  const keys = commands.map(({ key }) => key);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
  for (const { payload } of commands) expect(checkCommand(payload as SmsCommand)).toBeUndefined();
});

it('publishes an e-mail with its attachments', async () => {
  const { broker, url } = await system();
  const content = Buffer.from('An offer').toString('base64');
  const body = {
    ...EMAIL,
    cc: 'b@mail.example;c@mail.example',
    attachmentList: [{ name: 'a.txt', content }],
  };
  const id = await idOf(send(url, 'email', body));
  const [command] = await commandsOf(broker, 'email');
  expect(command?.key).toMatch(/^[0-9a-f]{64}$/);
  expect(command?.payload).toEqual({
    notificationId: id,
    sender: undefined,
    ...EMAIL,
    cc: ['b@mail.example', 'c@mail.example'],
    bcc: [],
    contentType: 'text/plain',
    attachments: [{ name: 'a.txt', content: Buffer.from('An offer') }],
  });
  expect(await checkCommand(command?.payload as EmailCommand)).toBeUndefined();
});

it('refuses wrong headers, naming them, and writes urgent notifications to the urgent topics', async () => {
  const { broker, url } = await system();
  for (const [name, values, missing] of [
    ['X-Communication-Channel', ['2', '1, 1', 'sms', ''], ' is missing; must be `1`'],
    ['X-Sender-Id', ['Platrealm'], ' is missing; must be `platrealm`'],
    ['Urgency', ['urgent', '', 'high, normal', 'u=0'], undefined],
  ] as const) {
    const status = name === 'X-Sender-Id' ? 403 : 400;
    for (const value of values) {
      const refused = await problemOf(
        await send(url, 'sms', SMS, { headers: { [name.toLowerCase()]: value } }),
      );
      expect(refused).toMatchObject({ status, errors: [`${name} unknown-value`] });
    }
    if (missing === undefined) continue;
    const response = await send(url, 'sms', SMS, { without: [name.toLowerCase()] });
    expect(await response.json()).toMatchObject({
      status,
      code: status === 403 ? 'forbidden' : 'invalid-request',
      detail: expect.stringContaining(`The header ${name}${missing}`) as string,
      errors: [{ path: name, code: 'missing' }],
    });
  }
  const swapped = { headers: { 'x-communication-channel': '1' } };
  expect((await send(url, 'email', EMAIL, swapped)).status).toBe(400);
  expect(await commandsOf(broker, 'sms')).toEqual([]);
  const calls = { high: 'sms', HIGH: 'email', low: 'sms', normal: 'email' } as const;
  for (const [urgency, channel] of Object.entries(calls)) {
    const response = await send(url, channel, channel === 'sms' ? SMS : EMAIL, { headers: { urgency } });
    expect([response.status, response.headers.get('warnings')]).toEqual([202, null]);
  }
  const { smsUrgentCommands, emailUrgentCommands, smsCommands, emailCommands } = TOPIC;
  for (const topic of [smsUrgentCommands, emailUrgentCommands, smsCommands, emailCommands])
    expect(await recordsOf(broker, topic)).toHaveLength(1);
});

it('lists all faults of a body, and refuses other methods, types, sizes and unknown ids', async () => {
  const { url } = await system();
  const faults =
    'message missing,receiver missing,subject missing,cc invalid-address,contentType unknown-value';
  const problem = { status: 400, code: 'invalid-request', errors: faults.split(',') };
  expect(await problemOf(await send(url, 'email', { cc: 'x', contentType: 'y' }))).toEqual(problem);
  const huge = { ...EMAIL, message: 'x'.repeat(10 * 1_024 * 1_024) };
  const text = { headers: { 'content-type': 'text/plain' } };
  const refused = [send(url, 'email', '{"message":'), send(url, 'sms', SMS, text), send(url, 'email', huge)];
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([400, 415, 413]);
  const get = await fetch(`${url}/api/notifications/v1/sms/send`);
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  const put = await fetch(`${url}/api/notifications/v1/some-id`, { method: 'PUT' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, OPTIONS']);
  for (const unknown of ['x', 'not-a-uuid', UNKNOWN.slice(1), UNKNOWN]) {
    const answer = await problemOf(await statusOf(url, unknown));
    expect(answer).toMatchObject({ status: 404, code: 'unknown-notification' });
  }
});

it('refuses with 413 a notification that does not fit into a record', async () => {
  // With the topic settings of production, which allow large records.
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(topicSpecs('', Object.keys(TOPIC) as TopicKey[]));
  const { url } = await startOn(broker, startIngressWorker);
  const response = await send(url, 'email', { ...EMAIL, message: 'x'.repeat(8 * 1_024 * 1_024 - 60_000) });
  expect(await problemOf(response)).toMatchObject({ status: 413, code: 'body-too-large' });
  const content = Buffer.alloc(3_750_000).toString('base64');
  const files = [1, 2].map((number) => ({ name: `${number}.p7m`, content }));
  // The bodies before it may have occupied the instance.
  const tooMuch = await untilAdmitted(() => send(url, 'email', { ...EMAIL, attachmentList: files }));
  expect(await problemOf(tooMuch)).toMatchObject({ status: 413, code: 'attachments-too-large' });
  expect(await commandsOf(broker, 'email')).toEqual([]);
});

it('503 no-provider is the response for a channel without one, and a message without any sender is refused (N3)', async () => {
  const { url } = await withProvider('office@bank.example');
  const response = await send(url, 'sms', SMS);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await problemOf(response)).toMatchObject({ status: 503, code: 'no-provider' });
  expect((await send(url, 'email', EMAIL)).status).toBe(202);
  const other = await withProvider();
  const refused = await problemOf(await send(other.url, 'email', EMAIL));
  expect(refused).toMatchObject({ status: 400, errors: ['sender missing'] });
  expect((await send(other.url, 'email', { ...EMAIL, sender: 'a@bank.example' })).status).toBe(202);
});

it('an invalid file prevents startup and is not quoted', async () => {
  const starting = withProvider(undefined, { authentication: { username: 'planted', other: 'planted' } });
  const place = 'notificationConfigurations[0].provider-configurations[0].authentication.other';
  await expect(starting).rejects.toThrow(place);
  await expect(starting).rejects.not.toThrow(/planted/);
});

it('a broker away leads to 504 accept-unknown with advice if the command may be stored', async () => {
  const away = new MessagingError('send-unknown', 'planted: +40722123456', { canRetry: true });
  const { url } = await withPublisher(() => Promise.reject(away));
  const response = await send(url, 'sms', SMS, { headers: { 'idempotency-key': 'k' } });
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({
    code: 'accept-unknown',
    detail: expect.stringContaining('same Idempotency-Key') as string,
  });
  const without = (await (await send(url, 'sms', SMS)).json()) as { detail: string };
  expect(without.detail).toContain('may be sent a second time');
});

it('a broker away writes an acceptance again until it is stored, and meanwhile accepts without an Idempotency-Key', async () => {
  let isAway = true;
  const { url, publisher } = await withPublisher(async (messages) => {
    if (isAway && hasAcceptance(messages)) throw new MessagingError('not-sent', 'away', { canRetry: true });
  });
  const keyed = () => send(url, 'sms', SMS, { headers: { 'idempotency-key': 'k' } });
  const id = await idOf(send(url, 'sms', SMS));
  // 202 would promise that every instance recognises a repetition.
  for (const response of [await keyed(), await keyed()])
    expect(await problemOf(response)).toMatchObject({ status: 504, code: 'accept-unknown' });
  expect(publisher.sent.map(({ topic }) => topic)).toEqual([TOPIC.smsCommands, TOPIC.smsCommands]);
  expect((await statusOf(url, id)).status).toBe(200);
  const figures = await (await fetch(`${url}/metrics`)).text();
  expect(figures).toContain('plat_ingress_notifications_total{channel="sms",outcome="accepted"} 1');
  isAway = false;
  await expect.poll(() => publisher.sent.length, { timeout: 5_000 }).toBe(4);
  expect((await keyed()).status).toBe(202);
  const written = publisher.sent.slice(2);
  expect(written.map(({ topic }) => topic)).toEqual(Array(2).fill(TOPIC.notificationAcceptances));
  expect(written.map(({ key }) => key)).toContain(id);
});

it('the state (N3) is reported by any instance, even by one that starts later', async () => {
  const broker = await createSharedBroker(3);
  const [one, two] = [await startOn(broker, startIngressWorker), await startOn(broker, startIngressWorker)];
  const id = await idOf(send(one.url, 'sms', SMS));
  const seen = async (url: string) => (await (await statusOf(url, id)).json()) as { status?: string };
  expect(await seen(one.url)).toMatchObject({ notificationId: id, status: 'accepted', attempts: [] });
  await expect.poll(async () => (await seen(two.url)).status).toBe('accepted');
  await writeState(broker, state(id, { status: 'sending' }));
  const nextAttemptAt = Date.UTC(2026, 0, 16);
  const attempts = [attemptAt(Date.UTC(2026, 0, 15))];
  await writeState(broker, state(id, { status: 'retrying', attempts, nextAttemptAt, code: 'c' }));
  const retrying = {
    status: 'retrying',
    attempts: [{ ...attempts[0], at: '2026-01-15T00:00:00.000Z' }],
    nextAttemptAt: '2026-01-16T00:00:00.000Z',
  };
  await expect.poll(() => seen(two.url)).toMatchObject(retrying);
  await writeState(broker, state(id, { status: 'sent', attempt: 2, providerMessageId: 'theirs' }));
  // Its produce request took effect late.
  await writeState(broker, state(id, { status: 'sending', attempt: 2 }));
  const three = await startOn(broker, startIngressWorker);
  const last = await seen(three.url);
  expect(last).toMatchObject({ notificationId: id, status: 'sent', channel: 'sms' });
  expect(JSON.stringify(last)).not.toContain('theirs');
});

it('the state is visible to the caller that sent it, and to all if an upstream system did', async () => {
  const { url, broker } = await system({ AUTH_JWT_SECRET: JWT_SECRET });
  const id = await idOf(send(url, 'sms', SMS, { headers: await authorize('ana') }));
  expect((await statusOf(url, id)).status).toBe(401);
  expect((await statusOf(url, id, await authorize('eve'))).status).toBe(404);
  expect((await statusOf(url, id.toUpperCase(), await authorize('ana'))).status).toBe(200);
  await writeState(broker, state(UNKNOWN, { status: 'sent' }));
  const reported = async () => (await statusOf(url, UNKNOWN, await authorize('ana'))).status;
  await expect.poll(reported).toBe(200);
  expect((await statusOf(url, UNKNOWN)).status).toBe(401);
});

it('the state is visible to no caller once it may be that of a notification whose acceptance has expired', async () => {
  const { url, broker } = await system({ AUTH_JWT_SECRET: JWT_SECRET });
  const [recent, old] = [UNKNOWN, UNKNOWN.replace('0b', '1b')];
  for (const [id, hours] of Object.entries({ [old]: 49, [recent]: 47 })) {
    const attempts = [attemptAt(Date.now() - hours * 3_600_000)];
    await writeState(broker, state(id, { status: 'sent', attempt: 2, attempts }));
  }
  const addresses = [`${ADDRESS}/`, '/api/operations/v1/notifications/'];
  const statuses = async (id: string, headers: Record<string, string>) =>
    Promise.all(addresses.map(async (address) => (await fetch(`${url}${address}${id}`, { headers })).status));
  const eve = await authorize('eve');
  await expect.poll(() => statuses(recent, eve)).toEqual([200, 200]);
  expect(await statuses(old, eve)).toEqual([404, 404]);
  expect(await statuses(old, await authorize('olga', 'operations:read'))).toEqual([404, 200]);
});
