import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, it } from 'vitest';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { mailContent } from '../../../../workers/notification/providers/mail-content.ts';
import {
  createSmtpProvider,
  smtpSettings,
} from '../../../../workers/notification/providers/smtp-provider.ts';
import { anEmail, ID } from '../../../support/builders/outbound-messages.ts';
import { httpEntry } from '../../../support/builders/provider-entry.ts';

const settingsOf = (url: string, more = {}) =>
  smtpSettings(httpEntry({ provider: 'SMTP', url, 'communication-channel': 'email', ...more }), 5_000);

it.each<[url: string, more: object, host: string, port: number, secure: boolean, requireTls: boolean]>([
  ['smtp://mail.example', {}, 'mail.example', 587, false, true],
  ['smtps://mail.example', {}, 'mail.example', 465, true, true],
  ['smtp://[2001:db8::1]:25', {}, '2001:db8::1', 25, false, true],
  ['smtp://127.0.0.1:2525', {}, '127.0.0.1', 2_525, false, false],
  ['smtp://127.0.0.1', { smtp: { requireTls: true } }, '127.0.0.1', 587, false, true],
  ['smtp://mail.example', { allowInsecure: true }, 'mail.example', 587, false, false],
])('the mail server %s with %j is %s:%i, with TLS at once %s, and only with TLS %s', (...row) => {
  const [url, more, host, port, secure, requireTls] = row;
  const common = { maxConnections: 10, maxMessages: 100, timeoutMs: 5_000 };
  expect(settingsOf(url, more)).toMatchObject({ host, port, secure, requireTls, ...common });
});

it('a mail server has its own limits, and no longer timeout than the common one', () => {
  const smtp = { maxConnections: 3, maxMessages: 4 };
  const of = (timeoutMs: number) => settingsOf('smtp://mail.example', { smtp, limits: { timeoutMs } });
  expect([of(200), of(60_000)]).toMatchObject([200, 5_000].map((timeoutMs) => ({ ...smtp, timeoutMs })));
});

const FROM = { defaultSender: 'Banca <no-reply@bank.example>' };
const plain = (...addresses: readonly string[]) => addresses.map((address) => ({ name: '', address }));

it('a mail has its addresses, texts and headers, and each of its parts only if it is there', async () => {
  const message = anEmail({ subject: 'a\nb', message: 'a\nb\rc\r\nd', bcc: ['c@example.com'] });
  const sentAt = new Date(0);
  const from = { name: 'Banca', address: 'no-reply@bank.example' };
  const options = {
    from,
    to: plain('customer@example.com'),
    envelope: { from: plain(from.address), to: plain('customer@example.com', 'c@example.com') },
    subject: 'a b',
    text: 'a\r\nb\r\nc\r\nd',
    attachments: [],
    messageId: `<${ID}@bank.example>`,
    date: sentAt,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  expect(await mailContent(message, FROM, sentAt)).toEqual({ kind: 'mail', options });
  const other = anEmail({ sender: 'me@x.example', cc: ['c@example.com'], contentType: 'text/html' });
  const one = await mailContent({ ...other, unsubscribeUrl: 'https://x/u' }, FROM, sentAt);
  const value = '<https://x/u>';
  expect(one).toMatchObject({
    options: {
      from: { name: '', address: 'me@x.example' },
      cc: plain('c@example.com'),
      html: 'Please find it attached.',
      headers: { 'List-Unsubscribe': { prepared: true, value }, 'List-Unsubscribe-Post': { prepared: true } },
    },
  });
});

const ADDRESSES = [
  'ana@example.net\r\nRCPT TO:<victim@example.com>',
  'ana@example.net, victim@example.com',
  'ana@example.net;victim@example.com',
  'Ana <ana@example.net>',
  '<ana@example.net>',
  'group: ana@example.net;',
  '"quoted"@example.net',
  'ana@example.net ORCPT=rfc822;x',
  'ana@@example.net',
  'no-address',
  '',
];
const SENDERS = [
  'bank@example.org\r\nBcc: victim@example.com',
  'Bank <bank@example.org>, other@example.org',
  'Bank\r\nBcc: victim@example.com <bank@example.org>',
  'Bank <bank@example.org> <other@example.org>',
  'no-address',
];

const resultOf = async (changes: object, from: object = FROM) =>
  Object.values(await mailContent(anEmail(changes), from, new Date(0))).join(' ');
it('a mail with an address that could change its header or envelope is refused', async () => {
  for (const address of ADDRESSES)
    for (const changes of [{ receiver: address }, { cc: [address] }, { bcc: ['a@b.c', address] }])
      expect(await resultOf(changes)).toBe('permanent receiver-invalid');
  for (const defaultSender of SENDERS) {
    expect(await resultOf({ sender: defaultSender })).toBe('permanent sender-invalid');
    expect(await resultOf({}, { defaultSender })).toBe('misconfigured default-sender-invalid');
  }
  expect(await resultOf({}, {})).toBe('permanent sender-invalid');
});

const pem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));
function withKey(privateKey: string) {
  const dkim = { domainName: 'x.example', keySelector: 's', privateKey };
  return createSmtpProvider({ ...settingsOf('smtp://mail.example'), dkim }, systemPorts);
}

it('a DKIM key is refused if it cannot sign', async () => {
  for (const key of ['', 'no key', pem(generateKeyPairSync('ed25519').privateKey)])
    expect(() => withKey(key)).toThrow('the DKIM private key');
  await withKey(pem(generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey)).close();
});
