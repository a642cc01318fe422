import { pino } from 'pino';
import { expect, it } from 'vitest';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { openNotificationIngress } from '../../support/worlds/ingress-fixture.ts';
import { send } from '../../support/builders/notification-call.ts';

const PLANTED = /planted|40722999888|471147114711/;
const SMS = { sender: 'planted-1', receiver: '+40722999888', message: 'planted-otp 471147114711' };

it('logs, metrics and problems do not contain texts, numbers or senders of notifications that cannot be published', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  const publisher = new FakePublisher();
  const { url } = await openNotificationIngress({ log, notificationPublisher: publisher });
  const answers: string[] = [];
  const statusOfSent = async () => {
    const response = await send(url, 'sms', SMS);
    const { status, headers } = response;
    answers.push(`${status} ${JSON.stringify([...headers])} ${await response.text()}`);
    return status;
  };
  const notSent = new MessagingError('not-sent', 'away', { canRetry: true });
  const unknown = new MessagingError('send-unknown', 'away', { canRetry: true });
  const statuses = [];
  for (const error of [notSent, unknown, new TypeError('a bug')]) {
    publisher.onPublish = () => Promise.reject(error);
    statuses.push(await statusOfSent());
  }
  let calls = 0;
  publisher.onPublish = () => (calls++ === 0 ? Promise.resolve() : Promise.reject(notSent));
  statuses.push(await statusOfSent());
  expect(statuses).toEqual([503, 504, 500, 202]);
  const figures = await (await fetch(`${url}/metrics`)).text();
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect([...lines, ...answers, figures].filter((text) => PLANTED.test(text))).toEqual([]);
});
