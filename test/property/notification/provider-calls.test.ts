import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Outbound } from '../../../shared/notification/notification-command.ts';
import type { Provider, SendResult } from '../../../shared/notification/provider.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { makeProvider } from '../../../workers/notification/providers/configured-providers.ts';
import { anEmail, anSms, ID, NEVER } from '../../support/builders/outbound-messages.ts';
import { httpEntry } from '../../support/builders/provider-entry.ts';
import { startProviderStandIn } from '../../support/fakes/provider-stand-in.ts';
import { permanent, transient, unknown } from '../../support/fakes/scripted-providers.ts';
import { type SinkReply, type SmtpSink, startSmtpSink } from '../../support/fakes/smtp-sink.ts';
import { selfSigned } from '../../support/self-signed-certificate.ts';

const standIn = await startProviderStandIn();
const certificate = selfSigned();
const sinks = await Promise.all(
  [false, true].map((hidePIPELINING) => startSmtpSink({ certificate, server: { hidePIPELINING } })),
);
afterAll(() => Promise.all([standIn.stop(), ...sinks.map((sink) => sink.close())]));
beforeEach(() => standIn.reset());

async function called<T>(members: object, use: (provider: Provider) => Promise<T>): Promise<T> {
  const deps = { ...systemPorts, timeoutMs: 10_000 };
  const provider = await makeProvider(httpEntry({ url: standIn.origin, ...members }), deps);
  try {
    return await use(provider);
  } finally {
    await provider.close();
  }
}
const sent = (members: object, message: Outbound = anSms()): Promise<SendResult> =>
  called(members, (provider) => provider.send(message, NEVER));
const misconfigured = (code: string): SendResult => ({ kind: 'misconfigured', code });
const basic = (...given: string[]) => `Basic ${Buffer.from(given.join(':')).toString('base64')}`;

/** What a header can have, without the blanks at its ends, which no receiver keeps. */
const word = fc.stringMatching(/^x[aZ09 /+=~%&"]{0,12}y$/);

it('a request has any credentials where the settings want them, and nowhere else', () =>
  fc.assert(
    fc.asyncProperty(word, word, word, async (username, password, key) => {
      const user = { username, password };
      const all = { ...user, key };
      const members = { user: 'username', word: 'password', api: 'key' };
      const ofUser = { authorization: basic(username, password) };
      for (const [authentication, own, headers, fields = {}] of [
        [user, undefined, ofUser],
        [{ key }, undefined, { authorization: `Bearer ${key}` }],
        [{}, undefined, {}],
        [all, { kind: 'none' }, {}],
        [all, { kind: 'basic' }, ofUser],
        [all, { kind: 'bearer' }, { authorization: `Bearer ${key}` }],
        [all, { kind: 'prefix', prefix: 'App' }, { authorization: `App ${key}` }],
        [all, { kind: 'header', header: 'X-Key' }, { 'x-key': key }],
        [all, { kind: 'header', header: 'X-Key', prefix: 'App' }, { 'x-key': `App ${key}` }],
        [all, { kind: 'body', members }, {}, { user: username, word: password, api: key }],
      ] as const) {
        await sent({ authentication, connector: own === undefined ? {} : { authentication: own } });
        const { headers: given = {}, body } = standIn.requests.at(-1) ?? {};
        const { authorization, 'x-key': named } = given;
        const none = { authorization: undefined, 'x-key': undefined };
        expect({ authorization, 'x-key': named }).toEqual({ ...none, ...headers });
        const { receiver: to, message: text } = anSms();
        expect(JSON.parse(String(body))).toEqual({ to, text, ...fields });
      }
    }),
    { numRuns: 10 },
  ));

it.each([
  ['', '/?'],
  ['?v=1', '/?v=1&'],
  ['/a', '/a?'],
  ['/a/{id}?v=1', `/a/${ID}?v=1&`],
])('any text is in the query of a GET after the address %j, and the id has its place', (path, before) =>
  fc.assert(
    fc.asyncProperty(word, async (text) => {
      const url = `${standIn.origin}${path}`;
      const headers = { Accept: 'a/b' };
      const connector = { method: 'GET', encoding: 'query', idempotency: { header: 'Id' }, headers };
      await sent({ url, connector }, anSms({ message: text }));
      await sent({ url, connector: { idempotency: { member: 'n' } } });
      const [get, post] = standIn.requests.slice(-2);
      const query = String(new URLSearchParams({ to: anSms().receiver, text }));
      expect(get).toMatchObject({ method: 'GET', path: `${before}${query}`, body: Buffer.alloc(0) });
      expect(get?.headers).toMatchObject({ id: ID, accept: 'a/b' });
      expect(get?.headers).not.toHaveProperty('content-type');
      expect(post).toMatchObject({ method: 'POST', path: before.slice(0, -1) });
      expect(JSON.parse(String(post?.body))).toMatchObject({ n: ID });
    }),
    { numRuns: 3 },
  ),
);

it('a response is read up to 64 KiB, and counts by its status if it is longer', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 65_000, max: 66_000 }), async (length) => {
      standIn.script({ status: 200, body: '{"id":"a-1"}'.padStart(length) });
      const result = await sent({ connector: { id: { pointer: '/id' } } });
      expect(result).toEqual({ kind: 'sent', providerMessageId: length <= 65_536 ? 'a-1' : undefined });
    }),
    { numRuns: 4, examples: [[65_536], [65_537]] },
  ));

it('a call without a whole response has the outcome that is known of it, and is not repeated', async () => {
  for (const fault of ['cut-answer', 'endless'] as const) {
    standIn.script({ fault }, { fault });
    expect(await sent({ connector: { success: { pointer: '/id' } } })).toEqual(unknown('http-200'));
    expect(await sent({})).toEqual({ kind: 'sent', providerMessageId: undefined });
  }
  for (const fault of ['reset', 'reset-unread', 'close'] as const) {
    standIn.script({ fault });
    const code = expect.stringMatching(/^connection-/) as string;
    expect(await sent({})).toMatchObject({ kind: 'unknown', code });
  }
  expect(standIn.requests).toHaveLength(7);
  expect(await sent({ url: 'http://127.0.0.1:1/' })).toEqual(transient('connect-econnrefused'));
  const controller = new AbortController();
  const { signal } = controller;
  standIn.otherwise(() => (controller.abort(), { fault: 'silent' }));
  await called({}, async (provider) => {
    expect(await provider.send(anSms(), signal)).toEqual(unknown('aborted'));
    expect(await provider.send(anSms(), signal)).toEqual(transient('aborted'));
  });
  standIn.otherwise({ status: 404 });
  expect(await sent({})).toEqual(misconfigured('http-404'));
  for (const url of ['receiver', 'sender'].map((name) => `${standIn.origin}/{${name}}`))
    expect(await sent({ url, defaultSender: 'Bank' })).toEqual(permanent('http-404'));
});

const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`;
const SERVICE = `MG${'a'.repeat(32)}`;
const twilio = (more: object = {}) => {
  const authentication = { username: ACCOUNT, password: 'p' };
  return { provider: 'twilio', authentication, defaultSender: 'Bank', ...more };
};

const BUSY = [20_429, 21_611, 21_730, 14_107, 63_038];
it.each<[status: number, codes: readonly number[], kind: string, ofDefault?: string]>([
  [400, BUSY, 'transient'],
  [500, BUSY, 'transient'],
  ...[408, 429, 503].map((status): [number, number[], string] => [status, [33_333], 'transient']),
  [400, [21_212, 21_603, 21_606, 21_659, 21_660, 21_661], 'permanent', 'misconfigured'],
  [400, [10_001, 20_003, 20_005, 20_008, 20_404], 'misconfigured'],
  [403, [20_999], 'misconfigured'],
  [409, [30_001, 21_211], 'permanent'],
  [500, [20_500, 20_003, 21_212], 'unknown'],
  [502, [20_404], 'unknown'],
])('any SMS by Twilio is unchanged, and %i %j means %s, or %s for a default sender', (...row) => {
  const [status, codes, kind, ofDefault = kind] = row;
  const key = { authentication: { username: 'SK1', password: 's' }, twilio: { accountSid: ACCOUNT } };
  return fc.assert(
    fc.asyncProperty(word, async (message) => {
      for (const body of codes.map((code) => ({ code }))) {
        standIn.script({ status, body }, { status, body });
        const code = `http-${status}-${body.code}`;
        const sender = '+40311000000';
        expect(await sent(twilio(), anSms({ message, sender }))).toEqual({ kind, code });
        const byDefault = await sent(twilio({ ...key, defaultSender: SERVICE }), anSms({ message }));
        expect(byDefault).toEqual({ kind: ofDefault, code });
        const requests = standIn.requests.slice(-2).map(({ path, headers, body: form }) => ({
          path,
          by: headers['authorization'],
          ...Object.fromEntries(new URLSearchParams(String(form))),
        }));
        const path = `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`;
        const common = { path, To: anSms().receiver, Body: message };
        const own = { ...common, by: basic(ACCOUNT, 'p'), From: sender };
        expect(requests).toEqual([own, { ...common, by: basic('SK1', 's'), MessagingServiceSid: SERVICE }]);
      }
    }),
    { numRuns: 2 },
  );
});

const created = (status: string, error_code = 30_007) => ({ sid: 'SM1', status, error_code });
it.each<readonly [status: number, body: object | string, result: string]>([
  ...['queued', 'accepted', 'scheduled', 'sending', 'sent'].map(
    (is) => [201, created(is), 'sent SM1'] as const,
  ),
  ...['failed', 'undelivered'].map((is) => [201, created(is), 'permanent http-201-30007'] as const),
  [201, created('canceled', 20_429), 'sent '],
  [201, '<html>', 'sent '],
  [302, '<html>', 'misconfigured http-302'],
  [502, '<html>', 'unknown http-502'],
  [400, { code: 12_340 }, 'permanent http-400-other'],
])('the response %i %j of Twilio is classified as %s', async (status, body, result) => {
  standIn.script({ status, body });
  const given = await sent(twilio(), anSms({ message: 'Your code is 12340.' }));
  expect(Object.values(given).join(' ')).toBe(result);
  expect(await sent(twilio({ defaultSender: undefined }))).toEqual(permanent('sender-invalid'));
});

const at = (number: number) => `a${number}@example.com`;
const reply = fc.constantFrom<readonly [reply: SinkReply, code: string, failure?: SendResult]>(
  ['take', ''],
  [{ reply: 550, text: '5.1.1 gone' }, '550-5.1.1', permanent('smtp-550-5.1.1')],
  [
    { reply: 450, text: '4.2.1 later' },
    '450-4.2.1',
    { kind: 'transient', code: 'smtp-450-4.2.1', isAboutReceiver: true },
  ],
);
const smtp = (sink: SmtpSink, more = {}, tls: object = { ca: certificate.cert }) => ({
  provider: 'SMTP',
  url: `smtp://127.0.0.1:${sink.port}`,
  'communication-channel': 'email',
  defaultSender: 'bank@example.org',
  smtp: { tls },
  ...more,
});

describe.each(sinks)('an e-mail, with and without pipelining (%#)', (sink) => {
  it('is sent to all addresses that the server takes, but only together with its receiver', () =>
    called(smtp(sink), (provider) =>
      fc.assert(
        fc.asyncProperty(reply, fc.array(reply, { maxLength: 3 }), async (receiver, copies) => {
          const all = [receiver, ...copies];
          sink.follow({ rcptTo: (address) => all[Number(address[1])]?.[0] ?? 'take' });
          const before = sink.mails.length;
          const bcc = copies.map((_, index) => at(index + 1));
          const result = await provider.send(anEmail({ receiver: at(0), bcc }), NEVER);
          const partial = copies.find(([, code]) => code !== '')?.[1];
          const whole = { kind: 'sent', providerMessageId: `<${ID}@example.org>` };
          const code = partial === undefined ? {} : { code: `smtp-partial-${partial}` };
          expect(result).toEqual(receiver[2] ?? { ...whole, ...code });
          const taken = all.flatMap(([, fault], index) => (fault === '' ? [at(index)] : []));
          const mails = sink.mails.slice(before);
          expect(sink.bodies).toHaveLength(sink.mails.length);
          expect(mails.map(({ to }) => to)).toEqual(receiver[1] === '' ? [taken] : []);
          for (const { raw } of mails) expect(String(raw)).not.toMatch(/^bcc:|a[123]@/im);
        }),
        { numRuns: 20 },
      ),
    ));

  it('is not sent without the encryption, the login and the sender of the settings', async () => {
    sink.follow({
      mailFrom: (address) => (address.startsWith('bank') ? { reply: 553, text: '5.1.8 sender' } : 'take'),
      auth: (...given) => (given.join() === 'u,right' ? 'take' : { reply: 535, text: '5.7.8 wrong' }),
    });
    const own = anEmail({ sender: 'me@example.org' });
    const login = (password: string) => smtp(sink, { authentication: { username: 'u', password } });
    const before = sink.mails.length;
    expect(await sent(smtp(sink), anEmail())).toEqual(misconfigured('smtp-553-5.1.8'));
    expect(await sent(smtp(sink), anEmail({ sender: 'bank@x.example' }))).toEqual(
      permanent('smtp-553-5.1.8'),
    );
    expect(await sent(login('wrong'), own)).toEqual(misconfigured('smtp-535-5.7.8'));
    expect(await sent(smtp(sink, {}, {}), own)).toEqual(transient('smtp-tls-failed'));
    expect(await sent(smtp(sink), anSms())).toEqual(permanent('channel-wrong'));
    expect(sink.mails).toHaveLength(before);
    expect(await sent(login('right'), own)).toMatchObject({ kind: 'sent' });
    expect(await sent(smtp(sink, {}, { rejectUnauthorized: false }), own)).toMatchObject({ kind: 'sent' });
    expect(sink.mails.slice(before)).toMatchObject([{ user: 'u', isTls: true }, { isTls: true }]);
  });

  it('has the outcome that is known of it when the connection or the caller ends', () =>
    called(smtp(sink), async (provider) => {
      for (const [phase, result, aborted] of [
        ['mailFrom', transient('smtp-connection-lost'), transient('smtp-aborted')],
        ['rcptTo', transient('smtp-connection-lost'), transient('smtp-aborted')],
        ['data', unknown('smtp-connection-lost-after-data'), unknown('smtp-aborted-after-data')],
      ] as const) {
        sink.follow({ [phase]: () => 'drop' });
        expect(await provider.send(anEmail(), NEVER)).toEqual(result);
        const controller = new AbortController();
        sink.follow({ [phase]: () => (setImmediate(() => controller.abort()), 'silent') });
        expect(await provider.send(anEmail(), controller.signal)).toEqual(aborted);
        expect(await provider.send(anEmail(), controller.signal)).toEqual(transient('smtp-aborted'));
      }
      await provider.close();
      expect(await provider.send(anEmail(), NEVER)).toEqual(transient('provider-closed'));
    }));
});
