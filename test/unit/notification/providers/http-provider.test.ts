import { expect, it } from 'vitest';
import type { Outbound } from '../../../../shared/notification/notification-command.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { createHttpConnector } from '../../../../workers/notification/providers/http-provider.ts';
import { anEmail, anSms, NEVER } from '../../../support/builders/outbound-messages.ts';
import { httpEntry } from '../../../support/builders/provider-entry.ts';
import { permanent, transient } from '../../../support/fakes/scripted-providers.ts';

const DEPS = { ...systemPorts, timeoutMs: 1_000 };
const WITH_TEXT = { to: 'RECEIVER_PLACEHOLDER', text: 'TEXT_PLACEHOLDER' };
const WITH_MESSAGE = { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' };
const WITH_TYPE = { ...WITH_MESSAGE, type: 'CONTENT_TYPE_PLACEHOLDER' };
const HTML = { contentType: 'text/html' } as const;
const FILES = { attachments: [{ name: 'a.txt', content: Buffer.from('a') }] };
const SENDER = { sender: 'me@bank.example' };
const PLAIN = { subject: '' };
const LISTED = {
  ...WITH_TEXT,
  one: 'LIST_UNSUBSCRIBE_PLACEHOLDER',
  two: 'LIST_UNSUBSCRIBE_POST_PLACEHOLDER',
};
const FITS = 'aborted';

it.each<[template: object, message: Partial<ReturnType<typeof anEmail>>, code: string, settings?: object]>([
  [WITH_TEXT, { cc: ['a@example.com'] }, 'cc-unsupported'],
  [WITH_TEXT, { bcc: ['a@example.com'] }, 'bcc-unsupported'],
  [WITH_TEXT, FILES, 'attachments-unsupported'],
  [WITH_TEXT, HTML, 'content-type-unsupported'],
  [{ ...WITH_TEXT, from: 'SENDER_PLACEHOLDER' }, { sender: undefined }, 'sender-missing'],
  [{ ...WITH_TEXT, from: 'SENDER_ADDRESS_PLACEHOLDER' }, {}, 'sender-missing'],
  [WITH_TEXT, {}, 'sender-missing', { url: 'https://127.0.0.1:1/{sender}' }],
  [WITH_MESSAGE, {}, 'subject-unsupported'],
  [WITH_MESSAGE, { ...PLAIN, ...SENDER }, 'sender-unsupported'],
  [WITH_MESSAGE, { ...PLAIN, ...HTML }, 'content-type-unsupported'],
  [{ ...WITH_TEXT, type: 'CONTENT_TYPE_PLACEHOLDER' }, HTML, 'content-type-unsupported'],
  [{ to: 'RECEIVER_PLACEHOLDER', html: 'HTML_PLACEHOLDER' }, {}, 'content-type-unsupported'],
  [WITH_TEXT, { ...PLAIN, unsubscribeUrl: 'https://x/u' }, 'unsubscribe-unsupported'],
  [LISTED, { ...PLAIN, unsubscribeUrl: 'https://x/u' }, FITS],
  [WITH_MESSAGE, PLAIN, FITS],
  [WITH_TEXT, PLAIN, FITS],
  [WITH_TYPE, { ...PLAIN, ...HTML }, FITS],
  [{ to: 'RECEIVER_PLACEHOLDER', html: 'HTML_PLACEHOLDER' }, { ...PLAIN, ...HTML }, FITS],
  [{ ...WITH_TEXT, subject: 'SUBJECT_PLACEHOLDER' }, {}, FITS],
  [WITH_TEXT, { ...PLAIN, ...SENDER }, FITS, { defaultSender: SENDER.sender }],
  [WITH_TEXT, { ...PLAIN, ...SENDER }, FITS, { connector: { headers: { From: '<SENDER_PLACEHOLDER>' } } }],
  [{ to: 'RECEIVER_PLACEHOLDER' }, HTML, FITS, { connector: { textByProvider: true } }],
  [{ ...WITH_TEXT, files: ['ATTACHMENT_NAME_PLACEHOLDER'] }, FILES, 'attachments-unsupported'],
  [{ ...WITH_TEXT, files: ['ATTACHMENT_CONTENT_PLACEHOLDER'] }, { ...PLAIN, ...FILES }, FITS],
])('a message is sent only if its template %j has places for all of %j: %s', async (...row) => {
  const [template, message, code, settings = {}] = row;
  const entry = { 'communication-channel': 'email', 'payload-template': template, ...settings };
  const provider = createHttpConnector(httpEntry(entry), DEPS);
  const result = await provider.send(anEmail(message), code === FITS ? AbortSignal.abort() : NEVER);
  expect(result).toEqual(code === FITS ? transient(FITS) : permanent(code));
});

it.each<[Outbound, string]>([
  [anSms({ receiver: '..' }), 'value-unfit-for-address'],
  [anEmail({ attachments: [{ name: 'a', content: undefined as unknown as Buffer }] }), 'message-unwritable'],
])('a message that cannot be encoded is rejected permanently: %#', async (message, code) => {
  const { channel } = message;
  const url = 'https://127.0.0.1:1/to/{receiver}/x';
  const provider = createHttpConnector(httpEntry({ url, 'communication-channel': channel }), DEPS);
  expect(await provider.send(message, NEVER)).toEqual(permanent(code));
});

it('a configured header that cannot be written is a misconfiguration instead of a rejection', async () => {
  const entry = httpEntry({ authentication: { key: 'k3y' } });
  const settings = { ...entry.settings, authentication: { ...entry.settings.authentication, key: 'k€y' } };
  const provider = createHttpConnector({ ...entry, settings }, DEPS);
  expect(await provider.send(anSms(), NEVER)).toEqual({ kind: 'misconfigured', code: 'request-invalid' });
  expect(provider.isIdempotent).toBe(false);
});
