import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { readChannelProfiles } from '../../../workers/ingress/notifications/channels.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { openNotificationIngress } from '../../support/worlds/ingress-fixture.ts';
import { send, statusOf } from '../../support/builders/notification-call.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const PLANTED = /planted|40722999888|471147114711/;
const content = Buffer.from('planted-content').toString('base64');
const SMS = { sender: 'planted-1', receiver: '+40722999888', message: 'planted-otp 471147114711' };
const EMAIL = {
  sender: 'planted@bank.example',
  receiver: 'planted@mail.example',
  cc: 'planted-cc@mail.example',
  subject: 'planted-subject',
  message: 'planted-otp 471147114711',
  attachmentList: [{ name: 'planted-name.txt', content }],
};
/** Each of these bodies has one invalid field. */
const WRONG: readonly (readonly ['sms' | 'email', object | string])[] = [
  ['sms', { ...SMS, receiver: 'planted 40722999888' }],
  ['sms', { ...SMS, sender: 'planted planted planted' }],
  ['sms', { ...SMS, message: 'planted 471147114711 '.repeat(1_000) }],
  ['email', { ...EMAIL, receiver: 'planted <planted@mail.example>' }],
  ['email', { ...EMAIL, cc: 'planted; planted' }],
  ['email', { ...EMAIL, subject: 'planted\r\nBcc: planted@mail.example' }],
  ['email', { ...EMAIL, contentType: 'planted' }],
  ['email', { ...EMAIL, attachmentList: [{ name: 'planted.exe', content }] }],
  ['email', { ...EMAIL, attachmentList: [{ name: 'planted.pdf', content }] }],
  ['email', { ...EMAIL, attachmentList: [{ name: 'planted', content: 'planted!' }] }],
  ['email', { ...EMAIL, attachmentList: 'planted' }],
  ['email', '{"receiver": "planted@mail.example", planted'],
];

const configuration = (members: object) =>
  JSON.stringify({
    notificationConfigurations: [{ realmId: 'platrealm', 'provider-configurations': [members] }],
  });

it('logs, metrics and problems do not contain texts, numbers, addresses or file names of notifications', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  const publisher = new FakePublisher();
  const { url } = await openNotificationIngress({
    log,
    notificationPublisher: publisher,
  });
  const answers: string[] = [];
  const keep = async (response: Response) => {
    const { status, headers } = response;
    answers.push(`${status} ${JSON.stringify([...headers])} ${await response.text()}`);
    return status;
  };
  const key = { headers: { 'idempotency-key': 'k' } };
  for (const [channel, body] of WRONG) expect(await keep(await send(url, channel, body))).toBe(400);
  expect(await keep(await send(url, 'email', EMAIL, key))).toBe(202);
  expect(await keep(await send(url, 'email', { ...EMAIL, message: 'planted other' }, key))).toBe(409);
  expect(await keep(await statusOf(url, 'planted'))).toBe(404);
  const errors = [
    new MessagingError('not-sent', 'away', { canRetry: true }),
    new MessagingError('send-unknown', 'away', { canRetry: true }),
    new TypeError('a bug'),
  ];
  const statuses = [];
  for (const error of errors) {
    publisher.onPublish = () => Promise.reject(error);
    statuses.push(await keep(await send(url, 'sms', SMS)));
  }
  expect(statuses).toEqual([503, 504, 500]);
  let calls = 0;
  publisher.onPublish = () =>
    calls++ === 0
      ? Promise.resolve()
      : Promise.reject(new MessagingError('not-sent', 'away', { canRetry: true }));
  expect(await keep(await send(url, 'sms', SMS))).toBe(202);
  const figures = await (await fetch(`${url}/metrics`)).text();
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(lines.filter((line) => PLANTED.test(line))).toEqual([]);
  expect(answers.filter((answer) => PLANTED.test(answer))).toEqual([]);
  expect(figures).not.toMatch(PLANTED);
});

it('an invalid provider configuration is reported without its values', async () => {
  const file = path.join(scratchFolder(), 'providers.json');
  const wrong = {
    provider: 'SMTP',
    'communication-channel': 'email',
    authentication: { username: 'planted', password: 'planted', other: 'planted' },
    url: 'planted',
  };
  writeFileSync(file, configuration(wrong));
  const text = String(await readChannelProfiles(file).catch((error: unknown) => error));
  expect(text).not.toMatch(PLANTED);
  expect(text).toContain('notificationConfigurations[0].provider-configurations[0].authentication.other');
});
