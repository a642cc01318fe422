import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, it } from 'vitest';
import {
  readChannelProfile,
  type ReceiptSource,
} from '../../../../shared/notification/provider-configuration.ts';
import type { ReceiptSettings } from '../../../../shared/notification/provider-settings.ts';
import { readReceipts } from '../../../../workers/ingress/notifications/read-receipts.ts';
import {
  isAuthentic,
  readPosted,
  type Posted,
} from '../../../../workers/ingress/notifications/receipt-signature.ts';
import { configurationText } from '../../../support/builders/provider-entry.ts';
import {
  KEYS,
  mailgunReport,
  sendgridReport,
  twilioReport,
  vonageReport,
  type Report,
} from '../../../support/builders/provider-receipts.ts';

const NOW = 1_800_000_000_000;
const PUBLIC_URL = 'https://bank.example/engine';
const ID = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
const ADDRESS = `${PUBLIC_URL}/api/notifications/v1/receipts/twilio`;

function posted({ headers, body, search = '' }: Report, secret?: string): Posted {
  const params = { provider: 'x', ...(secret !== undefined && { secret }) };
  return readPosted({ headers, url: ADDRESS + search, params }, Buffer.from(body));
}

const sourceOf = (kind: Exclude<ReceiptSettings['kind'], 'path'>, key: string): ReceiptSource => ({
  name: kind,
  channel: 'sms',
  receipts: { kind, key },
  address: ADDRESS,
});

type Signed = Exclude<ReceiptSettings['kind'], 'path'>;

const checkOf =
  (kind: Signed, key = KEYS[kind]) =>
  (report: Posted, nowMs: number) =>
    isAuthentic(sourceOf(kind, key), report, nowMs);

const REPORTS: Readonly<Record<Signed, (atMs: number) => Report>> = {
  sendgrid: (atMs) => sendgridReport([{ event: 'delivered', notification_id: ID }], atMs),
  twilio: () => twilioReport({ SmsStatus: 'delivered', To: '+40722123456' }, ADDRESS, `?id=${ID}`),
  mailgun: (atMs) => mailgunReport({ event: 'delivered' }, atMs),
  vonage: (atMs) => vonageReport({ status: 'delivered', 'client-ref': ID, text: 'a&b=c' }, atMs),
};
const KINDS = Object.keys(REPORTS) as Signed[];

it.each(KINDS)('accepts a report that %s signed (N7), and no other', async (kind) => {
  const check = checkOf(kind);
  const report = posted(REPORTS[kind](NOW));
  expect(await check(report, NOW + 299_000)).toBe(true);
  expect(await check({ ...report, headers: {}, fields: () => ({}) }, NOW)).toBe(false);
  expect(await check({ ...report, headers: {}, fields: () => undefined }, NOW)).toBe(false);
  const other = { ...KEYS, sendgrid: OTHER_KEY };
  expect(await checkOf(kind, other[kind].replace('-', '+'))(report, NOW)).toBe(false);
});

it.each(KINDS.filter((kind) => kind !== 'twilio'))('refuses a report of %s beyond 300 s', async (kind) => {
  for (const ms of [-301_000, 301_000])
    expect(await checkOf(kind)(posted(REPORTS[kind](NOW)), NOW + ms)).toBe(false);
});

it('accepts a signed webhook of Vonage: a token over the hash of the bytes, at most 300 s old', async () => {
  const body = JSON.stringify({ status: 'delivered', 'client-ref': ID });
  const payload_hash = createHash('sha256').update(body).digest('hex');
  const verdict = async (claims: object, { alg = 'HS256', key = KEYS.vonage, sent = body } = {}) => {
    const token = new SignJWT({ iat: NOW / 1_000, payload_hash, ...claims }).setProtectedHeader({ alg });
    const bearer = `Bearer ${await token.sign(Buffer.from(key))}`;
    return checkOf('vonage')(posted({ headers: { authorization: bearer }, body: sent }), NOW);
  };
  expect(await verdict({})).toBe(true);
  expect(await verdict({ iat: NOW / 1_000 - 299 })).toBe(true);
  for (const iat of [NOW / 1_000 - 301, NOW / 1_000 + 301, undefined])
    expect(await verdict({ iat })).toBe(false);
  expect(await verdict({ payload_hash: undefined })).toBe(false);
  expect(await verdict({}, { sent: `${body} ` })).toBe(false);
  expect(await verdict({}, { key: 'another-signature-secret' })).toBe(false);
  expect(await verdict({}, { alg: 'HS512', key: KEYS.vonage.repeat(4) })).toBe(false);
});

const unread = () => expect.unreachable('it is parsed');

it('parses nothing without a signature', async () => {
  for (const kind of ['sendgrid', 'twilio'] as const)
    expect(await checkOf(kind)({ ...posted(REPORTS[kind](NOW)), headers: {}, fields: unread }, NOW)).toBe(
      false,
    );
});

const fieldsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, field) => [`f${field}`, 'x']));

const verdictOf = (count: number) =>
  Promise.all([
    checkOf('twilio')(posted(twilioReport(fieldsOf(count), ADDRESS)), NOW),
    checkOf('vonage')(posted(vonageReport(fieldsOf(count - 3), NOW)), NOW),
  ]);

it('reads at most 200 fields before a signature is known to be right', async () => {
  expect(await verdictOf(200)).toEqual([true, true]);
  expect(await verdictOf(201)).toEqual([false, false]);
});

it('refuses fields that a signature does not cover', async () => {
  for (const [kind, added] of [
    ['twilio', { OptOutType: 'START' }],
    ['vonage', { text: 'STOP' }],
  ] as const) {
    const report = posted(REPORTS[kind](NOW));
    const padding = Object.fromEntries(Object.keys(fieldsOf(200)).map((name) => [name, []]));
    for (const extra of [{ padding: [] }, { ...padding, ...added }]) {
      const fields = () => ({ ...extra, ...(report.fields() as object) });
      expect(await checkOf(kind)({ ...report, fields }, NOW)).toBe(false);
    }
  }
});

it('refuses changed bytes, fields and addresses', async () => {
  const sendgrid = posted(REPORTS.sendgrid(NOW));
  const body = Buffer.concat([sendgrid.body, Buffer.from(' ')]);
  expect(await checkOf('sendgrid')({ ...sendgrid, body }, NOW)).toBe(false);
  const vonage = posted(REPORTS.vonage(NOW));
  const fields = () => ({ ...(vonage.fields() as object), status: 'failed' });
  expect(await checkOf('vonage')({ ...vonage, fields }, NOW)).toBe(false);
  const twilio = posted(REPORTS.twilio(NOW));
  expect(await checkOf('twilio')({ ...twilio, search: '?id=other' }, NOW)).toBe(false);
});

/** From the tests of SendGrid's own verifier, @sendgrid/eventwebhook. */
const OTHER_KEY =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==';

it('accepts the example of SendGrid', async () => {
  const event = {
    email: 'hello@world.com',
    event: 'dropped',
    reason: 'Bounced Address',
    sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
    sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
    'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
    timestamp: 1_600_112_492,
  };
  const headers = {
    'x-twilio-email-event-webhook-signature':
      'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    'x-twilio-email-event-webhook-timestamp': '1600112502',
  };
  const body = `${JSON.stringify([event])}\r\n`;
  expect(await checkOf('sendgrid', OTHER_KEY)(posted({ headers, body }), 1_600_112_502_000)).toBe(true);
});

const PATH: ReceiptSource = {
  name: 'x',
  channel: 'sms',
  receipts: { kind: 'path', key: KEYS.path, id: '/id', status: ['/s'], states: {} },
  address: '',
};
const checkSecret = (secret?: string) => isAuthentic(PATH, posted(REPORTS.mailgun(NOW), secret), NOW);

it('accepts others by the secret in their address, and Twilio only with a public address', async () => {
  const secrets = [KEYS.path, `${KEYS.path}x`, '', undefined];
  expect(await Promise.all(secrets.map(checkSecret))).toEqual([true, false, false, false]);
  const text = configurationText({
    provider: 'twilio',
    'communication-channel': 'sms',
    authentication: { username: `AC${'0'.repeat(32)}`, password: 'token' },
    receipts: { kind: 'twilio', key: KEYS.twilio },
  });
  expect(readChannelProfile(text, PUBLIC_URL).receiptSources).toMatchObject([{ address: ADDRESS }]);
  expect(() => readChannelProfile(text)).toThrow(/PUBLIC_URL/);
});

const readBy = (settings: ReceiptSettings, report: Report) => readReceipts(settings, posted(report), NOW);
const read = (kind: Signed, report: Report) => readBy({ kind, key: KEYS[kind] }, report);
const statusesOf = (kind: Signed, reports: readonly Report[]) =>
  reports.map(
    (report) =>
      read(kind, report)
        ?.map(({ status }) => status)
        .join() ?? 'refused',
  );

it('reads a list of SendGrid events, and leaves out those that say nothing about the end of a message', () => {
  const common = { email: 'ana@mail.example', notification_id: ID, timestamp: NOW / 1_000 - 60 };
  const events = [
    { ...common, event: 'processed' },
    { ...common, event: 'delivered', sg_message_id: 'abc.filter0001.1.0' },
    { ...common, event: 'bounce', type: 'bounce', status: '5.1.1', sg_message_id: 'x-ana@mail.example' },
    { ...common, event: 'bounce', type: 'blocked', status: 'no such user ana@mail.example' },
    { event: 'spamreport', notification_id: 'x', timestamp: 1e9 },
  ];
  const receiver = 'ana@mail.example';
  const unnamed = { providerMessageId: undefined, code: undefined };
  const known = { notificationId: ID, at: NOW - 60_000, receiver, ...unnamed };
  expect(read('sendgrid', sendgridReport(events, NOW))).toEqual([
    { ...known, status: 'delivered', providerMessageId: 'abc' },
    { ...known, status: 'bounced', code: '5.1.1' },
    { ...known, status: 'undelivered' },
    { ...known, status: 'complained', notificationId: undefined, at: NOW, receiver: '' },
  ]);
  expect(read('sendgrid', sendgridReport([5 as never], NOW))).toBeUndefined();
});

it('reads the statuses of Mailgun, Twilio and Vonage', () => {
  const mailgun = [
    { event: 'delivered' },
    { event: 'failed', severity: 'temporary', reason: 'greylisted' },
    { event: 'failed', severity: 'permanent', reason: 'bounce' },
    { event: 'failed', severity: 'permanent', reason: 'espblock' },
    { event: 'complained' },
    { event: 'opened' },
  ].map((event) => mailgunReport(event, NOW));
  expect(statusesOf('mailgun', mailgun)).toEqual([
    'delivered',
    '',
    'bounced',
    'undelivered',
    'complained',
    '',
  ]);
  const message = { headers: { 'message-id': '2026@mg.bank.example' } };
  const event = {
    event: 'delivered',
    'user-variables': { 'notification-id': ID },
    message,
    timestamp: 1.5e9,
  };
  expect(read('mailgun', mailgunReport(event, NOW))).toMatchObject([
    { notificationId: ID, providerMessageId: '2026@mg.bank.example', at: NOW },
  ]);
  const twilio = ['queued', 'sent', 'delivered', 'undelivered', 'failed'].map((SmsStatus) =>
    twilioReport({ SmsStatus }, ADDRESS),
  );
  expect(statusesOf('twilio', twilio)).toEqual(['', '', 'delivered', 'undelivered', 'undelivered']);
  const fields = { SmsStatus: 'failed', MessageSid: 'SM12', ErrorCode: '30005', To: '+40722123456' };
  expect(read('twilio', twilioReport(fields, ADDRESS, `?id=${ID}`))).toMatchObject([
    { notificationId: ID, providerMessageId: 'SM12', code: '30005' },
  ]);
  const vonage = ['accepted', 'buffered', 'delivered', 'expired', 'rejected'].map((status) =>
    vonageReport({ status, 'client-ref': ID }, NOW),
  );
  expect(statusesOf('vonage', vonage)).toEqual(['', '', 'delivered', 'undelivered', 'undelivered']);
});

it('reads the reports of others by the pointers and values of their configuration', () => {
  const settings: ReceiptSettings = {
    kind: 'path',
    key: KEYS.path,
    events: '/results',
    id: '/messageId',
    status: ['/status/groupId'],
    at: '/doneAt',
    states: { 3: 'delivered', 2: 'undelivered', 5: 'undelivered' },
  };
  const results = [1, 3, 5].map((groupId) => ({
    messageId: ID.toUpperCase(),
    status: { groupId },
    doneAt: new Date(NOW - 1).toISOString(),
  }));
  const report = { headers: {}, body: JSON.stringify({ results }) };
  const found = { notificationId: ID, at: NOW - 1 };
  expect(readBy(settings, report)).toMatchObject([
    { ...found, status: 'delivered' },
    { ...found, status: 'undelivered' },
  ]);
  expect(readBy(settings, { headers: {}, body: '{}' })).toBeUndefined();
});

const stopped = (kind: Signed, report: Report) =>
  read(kind, report)?.map(({ status, receiver }) => `${status} ${receiver}`);

it('reads unsubscriptions and an SMS STOP, with the number from which it came (N8)', () => {
  const inbound = { From: '+40722123456', To: '+15005550006', SmsStatus: 'received' };
  expect(stopped('twilio', twilioReport({ ...inbound, Body: ' Stop ' }, ADDRESS))).toEqual([
    'stopped +40722123456',
  ]);
  expect(stopped('twilio', twilioReport({ ...inbound, OptOutType: 'STOP', Body: 'Arrêt' }, ADDRESS))).toEqual(
    ['stopped +40722123456'],
  );
  expect(stopped('twilio', twilioReport({ ...inbound, OptOutType: 'START', Body: 'x' }, ADDRESS))).toEqual([
    'started +40722123456',
  ]);
  expect(stopped('twilio', twilioReport({ ...inbound, Body: 'unstop' }, ADDRESS))).toEqual([
    'started +40722123456',
  ]);
  expect(stopped('twilio', twilioReport({ ...inbound, Body: 'Please stop by' }, ADDRESS))).toEqual([]);
  expect(stopped('vonage', vonageReport({ msisdn: '40722123456', to: '4031', text: 'STOP' }, NOW))).toEqual([
    'stopped 40722123456',
  ]);
  const event = { event: 'unsubscribed', recipient: 'ana@mail.example' };
  expect(stopped('mailgun', mailgunReport(event, NOW))).toEqual(['unsubscribed ana@mail.example']);
  const group = { event: 'group_unsubscribe', email: 'ana@mail.example' };
  expect(stopped('sendgrid', sendgridReport([group], NOW))).toEqual(['unsubscribed ana@mail.example']);
});
