import { pino } from 'pino';
import { expect, it } from 'vitest';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { openNotificationIngress } from '../../support/worlds/ingress-fixture.ts';
import { send, statusOf } from '../../support/builders/notification-call.ts';

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

it('logs, metrics and problems do not contain texts, numbers, addresses or file names of notifications', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  const publisher = new FakePublisher();
  const { url } = await openNotificationIngress({ log, notificationPublisher: publisher });
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
  const notSent = new MessagingError('not-sent', 'away', { canRetry: true });
  const unknown = new MessagingError('send-unknown', 'away', { canRetry: true });
  const statuses = [];
  for (const error of [notSent, unknown, new TypeError('a bug')]) {
    publisher.onPublish = () => Promise.reject(error);
    statuses.push(await keep(await send(url, 'sms', SMS)));
  }
  expect(statuses).toEqual([503, 504, 500]);
  let calls = 0;
  publisher.onPublish = () => (calls++ === 0 ? Promise.resolve() : Promise.reject(notSent));
  expect(await keep(await send(url, 'sms', SMS))).toBe(202);
  const figures = await (await fetch(`${url}/metrics`)).text();
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(lines.filter((line) => PLANTED.test(line))).toEqual([]);
  expect(answers.filter((answer) => PLANTED.test(answer))).toEqual([]);
  expect(figures).not.toMatch(PLANTED);
});
