import { expect, it } from 'vitest';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { Problem } from '../../../shared/platform/problem.ts';
import { createReceiverHashes } from '../../../shared/notification/party-hashes.ts';
import { authorize } from '../../support/builders/access-token.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { EMAIL, idOf, send as sendTo, SMS } from '../../support/builders/notification-call.ts';
import { postReport, sendgridReport, twilioReport } from '../../support/builders/provider-receipts.ts';
import { readTopics } from '../../support/conformance/read-topics.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { SENT } from '../../support/fakes/scripted-providers.ts';
import { idOf as upstreamId, notificationWorld } from '../../support/worlds/notification-world.ts';
import { startOn } from '../../support/worlds/ingress-system.ts';
import { PUBLIC_URL, reportingSystem, SECRET } from '../../support/worlds/reporting-system.ts';

const END_MS = 15_000;
const CAMPAIGN = { category: 'campaign' };

const refusalOf = async (response: Response) => {
  const { code, errors = [] } = (await response.json()) as Partial<Problem>;
  return [response.status, code, ...errors.map((fault) => `${fault.path} ${fault.code}`)];
};
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const eventOf = (email: string, event: string, timestamp = nowSeconds()) => ({ event, email, timestamp });

it('stops campaigns after a complaint or an SMS STOP, and every message after a hard bounce (N8)', async () => {
  const { receipts, send, broker } = await reportingSystem();
  const events = [eventOf('Complains@mail.example', 'spamreport'), eventOf('gone@mail.example', 'bounce')];
  expect((await postReport(`${receipts}/sendgrid`, sendgridReport(events))).status).toBe(200);
  const stop = { From: SMS.receiver, To: '+15005550006', SmsStatus: 'received', Body: 'STOP' };
  const address = `${PUBLIC_URL}/api/notifications/v1/receipts/twilio`;
  expect((await postReport(`${receipts}/twilio`, twilioReport(stop, address))).status).toBe(200);
  const mail = (more: object) => send('email', { ...EMAIL, ...more });
  const gone = { receiver: 'gone@mail.example' };
  await eventually('the entries', END_MS, async () => (await mail(gone)).status === 422);
  await eventually(
    'the last entry',
    END_MS,
    async () => (await send('sms', { ...SMS, ...CAMPAIGN })).status === 422,
  );
  const complains = { receiver: 'complains@mail.example' };
  const answers = await Promise.all([
    mail(gone),
    mail({ cc: 'other@mail.example; gone@mail.example' }),
    mail({ ...CAMPAIGN, ...complains }),
    mail({ ...CAMPAIGN, cc: 'a@mail.example', bcc: 'b@mail.example' }),
    mail(complains),
    send('sms', { ...SMS, ...CAMPAIGN }),
    send('sms', SMS),
  ]);
  expect(await Promise.all(answers.map(refusalOf))).toEqual([
    [422, 'suppressed', 'receiver bounced'],
    [422, 'suppressed', 'cc bounced'],
    [422, 'suppressed', 'receiver complained'],
    [400, 'invalid-request', 'cc mutually-exclusive', 'bcc mutually-exclusive'],
    [202, undefined],
    [422, 'suppressed', 'receiver stopped'],
    [202, undefined],
  ]);
  const records = await readTopics(broker, [TOPIC.notificationSuppressions]);
  const text = records.map(({ key, value }) => `${String(key)} ${String(value)}`).join('\n');
  expect(text.match(/(?<=\/)(?:bounced|complained|stopped)/g)?.toSorted()).toEqual([
    'bounced',
    'complained',
    'stopped',
  ]);
  expect(text).not.toMatch(/mail\.example|40722123456/i);
  const start = { ...stop, OptOutType: 'START' };
  expect((await postReport(`${receipts}/twilio`, twilioReport(start, address))).status).toBe(200);
  await eventually(
    'the removal',
    END_MS,
    async () => (await send('sms', { ...SMS, ...CAMPAIGN })).status === 202,
  );
});

it('accepts and sends no campaign on Kafka without a secret, whose hashes and links anyone could make', async () => {
  const world = await notificationWorld({ env: {}, tiersMs: [20] });
  world.providers.add('only').answer = () => SENT;
  const kafka = { ...world.broker, kind: 'kafka' } as const;
  await world.worker({ broker: kafka });
  await world.sms({ id: upstreamId(1), category: 'campaign' });
  await world.sms({ id: upstreamId(2) });
  await eventually('the ends', END_MS, () => world.states.get(upstreamId(2))?.status === 'sent');
  await eventually('the campaign', END_MS, () => world.states.get(upstreamId(1))?.status === 'failed');
  expect(world.states.get(upstreamId(1))).toMatchObject({ code: 'secret-missing', attempts: [] });
  const { url } = await startOn(kafka, startIngressWorker);
  const campaign = await sendTo(url, 'sms', { ...SMS, ...CAMPAIGN });
  expect(campaign.status).toBe(503);
  expect(await campaign.text()).toContain('Campaigns need RESULT_ID_SECRET');
  expect((await sendTo(url, 'sms', SMS)).status).toBe(202);
  const list = await fetch(`${url}/api/operations/v1/suppressions`);
  expect(list.status).toBe(503);
});

it('ends commands to a suppressed address as suppressed, without a provider or a dead letter', async () => {
  const world = await notificationWorld({ env: { RESULT_ID_SECRET: SECRET }, tiersMs: [20] });
  world.providers.add('only').answer = () => SENT;
  const { hashOf } = createReceiverHashes(SECRET);
  const entry = { at: new Date().toISOString(), by: 'ana' };
  const add = (receiver: string, reason: string) => {
    const hash = hashOf('sms', receiver);
    const value = Buffer.from(JSON.stringify({ ...entry, hash, reason }));
    return world.publish(TOPIC.notificationSuppressions, { key: `${hash}/${reason}`, value });
  };
  const [blocked, stopped, free] = ['+40722000001', '+40722000002', '+40722000003'] as const;
  await add(blocked, 'operator');
  await add(stopped, 'stopped');
  await world.publish(TOPIC.notificationSuppressions, { key: 'x', value: Buffer.from('{') });
  await world.worker();
  await world.sms({ id: upstreamId(1), receiver: blocked });
  await world.sms({ id: upstreamId(2), receiver: stopped });
  await world.sms({ id: upstreamId(3), receiver: stopped, category: 'campaign' });
  await world.sms({ id: upstreamId(4), receiver: free, category: 'campaign' });
  const ends = () => [1, 2, 3, 4].map((number) => world.states.get(upstreamId(number)));
  await eventually('the ends', END_MS, () =>
    ends().every((state) => /^s(?:ent|upp)/.test(state?.status ?? '')),
  );
  expect(ends().map((state) => `${state?.status} ${state?.code}`)).toEqual([
    'suppressed operator',
    'sent undefined',
    'suppressed stopped',
    'sent undefined',
  ]);
  expect(world.providers.calls.map(({ id }) => id)).toEqual([upstreamId(2), upstreamId(4)]);
  expect(world.deadLetters).toEqual([]);
});

it('gives campaign mails alone a link by which their receiver unsubscribes without login (RFC 8058)', async () => {
  const { standIn, url, send, shown } = await reportingSystem();
  const campaign = await idOf(send('email', { ...EMAIL, ...CAMPAIGN }));
  await eventually('the campaign', END_MS, async () => (await shown(campaign))['status'] === 'sent');
  await idOf(send('email', EMAIL));
  await eventually('both mails', END_MS, () => standIn.requests.length === 2);
  const [first, second] = standIn.requests.map(
    ({ body }) => JSON.parse(body.toString()) as { headers?: object },
  );
  expect(second?.headers).toBeUndefined();
  expect(first?.headers).toEqual({
    'List-Unsubscribe': expect.stringMatching(
      `^<${PUBLIC_URL}/api/notifications/v1/unsubscribe/[\\w.-]{39}>$`,
    ),
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
  const [, link = ''] = /engine(\/[^>]+)>/.exec(JSON.stringify(first?.headers)) ?? [];
  const get = (language: string, address = link) =>
    fetch(url + address, { headers: { 'accept-language': language } });
  const page = await get('ro-RO, en;q=0.8');
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; form-action 'self'/);
  const html = await page.text();
  expect(html).toMatch(/<html lang="ro">.*<h1>Dezabonare<\/h1>.*<form method="post"><button/s);
  expect(html).not.toMatch(/script|mail\.example/);
  expect(await (await get('fr')).text()).toContain('<html lang="en">');
  const forged = link.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
  expect((await get('en', forged)).status).toBe(404);
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  const press = () => fetch(url + link, { method: 'POST', body });
  const campaigns = () => send('email', { ...EMAIL, ...CAMPAIGN });
  expect((await campaigns()).status).toBe(202);
  expect([(await press()).status, (await press()).status]).toEqual([200, 200]);
  await eventually('the entry', END_MS, async () => (await campaigns()).status === 422);
  expect(await refusalOf(await campaigns())).toEqual([422, 'suppressed', 'receiver unsubscribed']);
  expect((await send('email', EMAIL)).status).toBe(202);
});

it('ends a campaign mail as failed while no public address is set, since it would have no link', async () => {
  const { standIn, send, shown } = await reportingSystem({ publicUrl: '' });
  const id = await idOf(send('email', { ...EMAIL, ...CAMPAIGN }));
  await eventually('the end', END_MS, async () => (await shown(id))['status'] === 'failed');
  expect(await shown(id)).toMatchObject({ code: 'public-url-missing', attempts: [] });
  const other = await idOf(send('email', EMAIL));
  await eventually('the other mail', END_MS, async () => (await shown(other))['status'] === 'sent');
  expect(standIn.requests.length).toBe(1);
});

it('operators list, add and remove entries, with who, when and why on the audit', async () => {
  const { operate, receipts, send, broker, url } = await reportingSystem();
  const receiver = 'Ana@mail.example';
  const reason = 'asked by telephone';
  const entries = async (query = '') =>
    (await operate(`/suppressions${query}`)).body['suppressions'] as { hash: string; reason: string }[];
  const added = await operate('/suppressions/add', { receiver, reason });
  expect(added).toMatchObject({
    status: 200,
    body: { reason: 'operator', by: 'ana', note: reason },
  });
  await eventually('the entry', END_MS, async () => (await entries()).length === 1);
  const { hash } = added.body as { readonly hash: string };
  expect(await entries('?receiver=ana@mail.example')).toMatchObject([{ hash, reason: 'operator' }]);
  expect(await entries('?receiver=0040722123456')).toEqual([]);
  expect((await send('email', EMAIL)).status).toBe(422);
  // Each reason has its entry; after their removal a report of what was before restores none.
  const before = nowSeconds() - 60;
  const report = (event: string, at?: number) =>
    postReport(`${receipts}/sendgrid`, sendgridReport([eventOf(EMAIL.receiver, event, at)]));
  expect((await report('spamreport', before)).status).toBe(200);
  await eventually('both entries', END_MS, async () => (await entries()).length === 2);
  expect(await entries()).toMatchObject(['operator', 'complained'].map((name) => ({ hash, reason: name })));
  const removed = await operate('/suppressions/remove', { receiver: hash, reason: 'asked again' });
  expect(removed).toMatchObject({ status: 200, body: { hash, note: 'asked again' } });
  await eventually('the removal', END_MS, async () => (await entries()).length === 0);
  expect((await report('bounce', before)).status).toBe(200);
  expect((await send('email', EMAIL)).status).toBe(202);
  expect((await operate('/suppressions/remove', { receiver, reason })).status).toBe(404);
  const audit = (await readTopics(broker, [TOPIC.deadLetterAudit])).map(
    ({ value }) => JSON.parse(String(value)) as object,
  );
  const change = { version: 1, hash, by: 'ana', at: expect.any(String) as string };
  expect(audit).toEqual([
    { ...change, reason: 'operator', note: reason },
    { ...change, reason: 'operator', note: 'asked again', removed: true },
  ]);
  const headers = await authorize('eve', 'operations:read');
  const body = JSON.stringify({ receiver, reason });
  const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  expect((await fetch(`${url}/api/operations/v1/suppressions/add`, post)).status).toBe(403);
});

it('lists entries in pages', async () => {
  const { operate } = await reportingSystem();
  for (let number = 0; number < 5; number += 1)
    await operate('/suppressions/add', { receiver: `n${number}@mail.example`, reason: 'a test' });
  type Page = { readonly suppressions: readonly { hash: string }[]; readonly nextCursor?: string };
  const pageAt = async (query: string) =>
    (await operate(`/suppressions?limit=2${query}`)).body as unknown as Page;
  await eventually('all entries', END_MS, async () => {
    const all = (await operate('/suppressions')).body as unknown as Page;
    return all.suppressions.length === 5;
  });
  const hashes: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: Page = await pageAt(cursor === '' ? '' : `&cursor=${cursor}`);
    hashes.push(...page.suppressions.map(({ hash }) => hash));
    cursor = page.nextCursor;
  }
  expect(new Set(hashes).size).toBe(5);
});
