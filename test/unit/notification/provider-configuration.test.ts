import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  readChannelProfile,
  readProviderConfiguration,
} from '../../../shared/notification/provider-configuration.ts';
import { configurationText, entriesOf, readyText } from '../../support/builders/provider-entry.ts';

const AT = 'notificationConfigurations[0].provider-configurations';
const TEMPLATE = { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' };
const HTTP = {
  url: 'https://api.example/send',
  provider: 'example',
  'payload-template': JSON.stringify(TEMPLATE),
  'communication-channel': 'sms',
  defaultSender: 'Bank',
  authentication: { username: '', password: '', key: 'k3y' },
};
const SMTP = {
  url: 'smtp://mail.example:587',
  provider: 'SMTP',
  'payload-template': '',
  'communication-channel': 'email',
  defaultSender: 'info@bank.example',
  authentication: { username: 'user', password: 'pass', key: '' },
};
const TWILIO = {
  url: 'https://api.twilio.com',
  provider: 'twilio',
  'payload-template': '',
  'communication-channel': 'sms',
  defaultSender: '+15005550006',
  authentication: { username: `AC${'0'.repeat(32)}`, password: 't0ken', key: '' },
};
const API_KEY = { authentication: { username: 'SK1', password: 'p' } };

const http = (settings: object) => ({ ...HTTP, ...settings });
const connected = (connector: object) => http({ connector });
const authenticated = (kind: string, more = {}, authentication: object = HTTP.authentication) =>
  http({ authentication, connector: { authentication: { kind, ...more } } });
const templated = (template: unknown) => http({ 'payload-template': template });
const smtp = (settings: object) => ({ ...SMTP, ...settings });
const mailing = (settings: object) => smtp({ smtp: settings });
const limited = (limits: object) => http({ limits });
const statusOf = (...status: readonly unknown[]) => connected({ success: { status } });
const each = (of: (settings: object) => object, name: string, ...values: readonly unknown[]) =>
  values.map((value) => of({ [name]: value }));
const signed = (dkim: object) => mailing({ dkim });

const TRUSTING = { tls: { rejectUnauthorized: false } };
/** The parts that a kind of authentication requires. */
const partsOf = (kind: string): object =>
  ({ prefix: { prefix: 'App' }, header: { header: 'X-A' }, body: { members: { a: 'key' } } })[kind] ?? {};
const x = (length: number, start = '') => start.padEnd(length, 'x');
const nested = (depth: number): object => (depth === 0 ? { a: 'x' } : { a: nested(depth - 1) });

function faultsOf(...providers: readonly object[]): Readonly<Record<string, string>> {
  const read = readProviderConfiguration(configurationText(...providers));
  if (read.kind === 'configuration') return {};
  return Object.fromEntries(read.faults.map(({ path, message }) => [path.replace(`${AT}[0].`, ''), message]));
}

describe('the provider configuration (interface 4.8, N1)', () => {
  it('accepts the examples of the interface', () => {
    expect(entriesOf(configurationText(HTTP, SMTP, TWILIO))).toMatchObject([
      { name: 'example', channel: 'sms', kind: 'http', defaultSender: 'Bank' },
      { name: 'SMTP', channel: 'email', kind: 'smtp', defaultSender: 'info@bank.example' },
      { name: 'twilio', channel: 'sms', kind: 'twilio', defaultSender: '+15005550006' },
    ]);
  });

  it('accepts default-sender, and a payload-template as an object', () => {
    const other = { defaultSender: undefined, 'default-sender': 'Bank', 'payload-template': TEMPLATE };
    expect(entriesOf(configurationText(http(other)))).toMatchObject([{ defaultSender: 'Bank' }]);
  });

  it('keeps the order of the file and numbers repeated names of a channel (N2)', () => {
    const again = { ...SMTP, defaultSender: 'other@bank.example' };
    const text = JSON.stringify({
      notificationConfigurations: [
        { realmId: 'platrealm', 'provider-configurations': [HTTP, SMTP] },
        { realmId: 'platrealm', 'provider-configurations': [again, { ...HTTP, provider: 'EXAMPLE' }] },
      ],
    });
    expect(entriesOf(text).map(({ name }) => name)).toEqual(['example', 'SMTP', 'SMTP#2', 'EXAMPLE#2']);
  });

  it('gives a provider without a default sender the one of the first provider of its channel that has one (N3)', () => {
    const without = http({ defaultSender: undefined });
    const entries = entriesOf(configurationText(without, SMTP, http({ defaultSender: 'Second' })));
    const senders = entries.map(({ defaultSender }) => defaultSender);
    expect(senders).toEqual(['Second', 'info@bank.example', 'Second']);
  });

  it('reads a file that starts with a byte order mark', () => {
    expect(readProviderConfiguration(`\uFEFF${configurationText(HTTP)}`).kind).toBe('configuration');
  });
});

describe('the channel profile', () => {
  it('contains the channels and whether they have default senders, without secrets', () => {
    const channels = { sms: { hasDefaultSender: true }, email: { hasDefaultSender: true } };
    expect(readChannelProfile(configurationText(HTTP, SMTP, TWILIO))).toEqual({
      channels,
      codeChannels: [],
      receiptSources: [],
    });
  });

  it('contains who reports receipts (N7), as in the example of docs/providers/README.md', () => {
    const [, examples = ''] = /```json\n(\[[^`]*)```/.exec(readyText('README.md')) ?? [];
    const all = JSON.parse(examples) as readonly { readonly kind: string }[];
    const receipts = [...all, { kind: 'mailgun', key: 'a-signing-key' }];
    const read = readChannelProfile(configurationText(...receipts.map((one) => http({ receipts: one }))));
    expect(read.receiptSources.map(({ name, receipts: { kind } }) => `${name} ${kind}`)).toEqual([
      'example path',
      'example#2 mailgun',
    ]);
  });

  it('throws all faults of an invalid configuration', () => {
    expect(() => readChannelProfile(configurationText({ ...HTTP, url: 'x' }, { ...SMTP, extra: 1 }))).toThrow(
      `the provider configuration is invalid:\n  ${AT}[0].url: must be a URL that begins with https:// or http://\n  ${AT}[1].extra: is not a known setting; correct or remove it`,
    );
  });
});

describe('an invalid configuration', () => {
  it('reports the faults of all providers together', () => {
    const one = {
      provider: '?',
      'communication-channel': 'fax',
      url: 'ftp://x',
      limits: { ratePerSecond: 0 },
    };
    const two = { 'communication-channel': 'sms', smtp: { maxConnections: 0, requireTls: false } };
    const faults = faultsOf(http({ ...one, connector: { success: { status: [99] } } }), smtp(two));
    const paths = [
      'communication-channel',
      'connector.success.status[0]',
      'limits.ratePerSecond',
      'provider',
    ];
    expect(new Set(Object.keys(faults))).toEqual(new Set([...paths, `${AT}[1].smtp.maxConnections`]));
  });

  it('does not repeat values in faults', () => {
    const secret = 's3cr3t-v4lue';
    const wrong = [
      `{"notificationConfigurations": "${secret}"`,
      `"${secret}"`,
      JSON.stringify({
        notificationConfigurations: [{ realmId: secret, 'provider-configurations': secret }],
      }),
      configurationText({
        url: secret,
        provider: `${secret}!`,
        'payload-template': `{${secret}`,
        'communication-channel': secret,
        authentication: { key: { [secret.slice(0, 2)]: secret } },
        connector: {
          method: secret,
          headers: { 'X-A': `${secret}\n` },
          authentication: { kind: secret, header: `${secret} ` },
          success: { status: [secret], pointer: secret, values: [[secret]] },
          failures: { transient: { status: secret, code: secret } },
          tls: { ca: secret },
        },
        smtp: { dkim: { privateKey: secret } },
        limits: { timeoutMs: secret },
        allowInsecure: secret,
      }),
      configurationText({ ...HTTP, url: `https://user:${secret}@x/` }),
    ];
    for (const text of wrong) {
      const read = readProviderConfiguration(text);
      expect(read.kind).toBe('invalid');
      expect(JSON.stringify(read)).not.toContain(secret);
    }
  });

  it('reports the position of invalid JSON', () => {
    const faults = [{ path: 'file', message: 'must be JSON (at line 2, column 3)' }];
    expect(readProviderConfiguration('{"a": 1\n  "b": 2}')).toEqual({ kind: 'invalid', faults });
  });

  const LIST = 'notificationConfigurations';
  it.each([
    [
      'another realm',
      { [LIST]: [{ realmId: 'other', 'provider-configurations': [] }] },
      `${LIST}[0].realmId`,
    ],
    ['no list', { [LIST]: {} }, LIST],
    ['no providers', { [LIST]: [{ realmId: 'platrealm' }] }, `${LIST}[0].provider-configurations`],
    ['an unknown field', { [LIST]: [], more: 1 }, 'more'],
    ['a list', [], 'file'],
    ['a repeated field', `{"${LIST}":[{"a":1,"a":2}]}`, `${LIST}[0].a`],
  ])('is reported with its path: %s', (_, file, path) => {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    expect(readProviderConfiguration(text)).toMatchObject({ kind: 'invalid', faults: [{ path }] });
  });

  it.each<[path: string, ...providers: object[]]>([
    [
      'url',
      ...each(http, 'url', 'https://u@api.example/', 'https://:p@api.example/', 'https://api.example/#x'),
      ...each(http, 'url', 'http://api.example/', 'smtp://api.example/', undefined),
      ...each(http, 'url', 'https://{receiver}.example/', 'https://api.example/{key}'),
      ...each(smtp, 'url', 'https://mail.example/', 'smtp://mail.example/{id}', undefined),
    ],
    [
      'payload-template',
      ...[undefined, null, [], 1, '[]', '', 'to=RECEIVER_PLACEHOLDER'].map(templated),
      ...each(templated, 'a', 'MESSAGE_PLACEHOLDER', 'RECEIVER_PLACEHOLDER'),
    ],
    [`payload-template${'.a'.repeat(17)}`, templated(nested(17))],
    ['payload-template.a', templated({ a: 'ATTACHMENT_NAME_PLACEHOLDER' })],
    ['payload-template.a', { ...templated({ a: { b: 'x' } }), connector: { encoding: 'form' } }],
    [
      'payload-template.a[0]',
      templated({ a: ['RECIEVER_PLACEHOLDER'] }),
      templated({ a: ['ATTACHMENT_PLACEHOLDER'] }),
      templated({ a: ['CC_PLACEHOLDER BCC_PLACEHOLDER'] }),
    ],
    ['payload-template.a.b', templated('{"a":{"b":"RECEIVER_PLACEHOLDER","b":MESSAGE_PLACEHOLDER}}')],
    // A constant with more digits than are kept, and one that is too large.
    [
      'payload-template.b[0]',
      templated('{"a":"RECEIVER_PLACEHOLDER MESSAGE_PLACEHOLDER","b":[9007199254740993]}'),
    ],
    ['payload-template.b', templated('{"a":"RECEIVER_PLACEHOLDER MESSAGE_PLACEHOLDER","b":1e400}')],
    ['connector.headers.Content-Length', connected({ headers: { 'Content-Length': '1' } })],
    ['connector.headers.X-A', connected({ headers: { 'X-A': 'a\r\nb' } })],
    ['connector.headers.X-Country', connected({ headers: { 'X-Country': 'România €' } })],
    ['connector.encoding', connected({ method: 'GET' })],
    ['connector.headers.X?A', connected({ headers: { 'X A': '1' } })],
    ['connector.parameters.id', connected({ parameters: { id: 'x' } })],
    ['connector.parameters.1a', connected({ parameters: { '1a': 'x' } })],
    ['connector.success.status', statusOf()],
    ['connector.success.status[0]', ...[199, 600, '1xx'].map((status) => statusOf(status))],
    ['connector.idempotency', ...each(connected, 'idempotency', {}, { header: 'Id', member: 'id' })],
    ['connector.authentication.prefix', authenticated('prefix'), authenticated('bearer', partsOf('prefix'))],
    ['connector.authentication.header', authenticated('header'), authenticated('bearer', partsOf('header'))],
    ['connector.authentication.members', authenticated('body'), authenticated('bearer', partsOf('body'))],
    [
      'receipts.key',
      ...['sendgrid', 'mailgun', 'vonage'].map((kind) => http({ receipts: { kind, key: 'short' } })),
    ],
    ['receipts.kind', http({ receipts: { kind: 'twilio', key: 'auth-token' } })],
    ['receipts.kind', http({ receipts: { kind: 'other', key: 'auth-token' } })],
    ['connector.errorCode[0]', connected({ errorCode: ['code'] })],
    ['connector.success', connected({ success: { values: [1] } })],
    ['connector.success.pointer', connected({ failures: { permanent: { values: [1] } } })],
    ['connector.failures.other', connected({ failures: { other: { status: [400] } } })],
    [
      'authentication.username',
      authenticated('basic', {}, { password: 'p' }),
      authenticated('body', { members: { a: 'username' } }),
      ...[http, smtp].flatMap((of) => each(of, 'authentication', { password: 'p' })),
    ],
    [
      'authentication.password',
      ...[http, smtp].flatMap((of) => each(of, 'authentication', { username: 'u' })),
      http({ authentication: { username: 'u', key: 'k' } }),
      { ...TWILIO, authentication: { username: TWILIO.authentication.username } },
    ],
    [
      'authentication.key',
      ...['bearer', 'header', 'prefix'].map((kind) => authenticated(kind, partsOf(kind), { key: 'k€y' })),
      ...['bearer', 'header', 'prefix', 'body'].map((kind) => authenticated(kind, partsOf(kind), {})),
      http({ authentication: { key: 'k€y' } }),
      smtp({ authentication: { key: 'k' } }),
    ],
    ['authentication', smtp({ authentication: 'x' })],
    ['default-sender', http({ 'default-sender': 'Other' })],
    [
      'defaultSender',
      ...['Bank', 'a@b.example, c@d.example', 'Bank <a@b.example> x'].map((defaultSender) =>
        smtp({ defaultSender }),
      ),
      ...['a@b.example', 'TwelveLetter', 'Bancă'].map((defaultSender) => http({ defaultSender })),
    ],
    ['smtp.requireTls', smtp({ smtp: { requireTls: false } })],
    ['smtp.tls.rejectUnauthorized', mailing(TRUSTING), smtp({ url: 'smtps://mail.example', smtp: TRUSTING })],
    ['smtp.dkim.privateKey', signed({ domainName: 'a', keySelector: 'b', privateKey: 'c' })],
    ['connector', smtp({ connector: {} })],
    ['twilio.accountSid', { ...TWILIO, ...API_KEY }],
    [
      'communication-channel',
      { ...TWILIO, 'communication-channel': 'email', defaultSender: 'a@b.example' },
      smtp({ 'communication-channel': 'sms', defaultSender: 'Bank' }),
    ],
    ['limits.ratePerSecond', ...each(limited, 'ratePerSecond', 0, 100_001)],
    [`a${'b'.repeat(63)}`, http({ [`a${'b'.repeat(80)}`]: 1 })],
  ])('is rejected at %s', (path, ...providers) => {
    for (const provider of providers) expect(Object.keys(faultsOf(provider))).toEqual([path]);
  });

  it.each<[title: string, ...providers: object[]]>([
    ['senders', smtp({ defaultSender: 'Banca Ță <no-reply@bank.example>' })],
    ['senders', ...['+40311234567', '1234', 'Kvartsbank9'].map((defaultSender) => http({ defaultSender }))],
    ['a messaging service as sender', { ...TWILIO, defaultSender: `MG${'a'.repeat(32)}` }],
    [
      'a user in the URL or in the body',
      http({ url: 'https://api.example/{username}', authentication: { username: 'u', key: 'k' } }),
      http({
        authentication: { username: 'ü', key: 'k€y' },
        connector: { authentication: { kind: 'body', members: { user: 'username', api: 'key' } } },
      }),
    ],
    [
      'a receiver or a text in other places',
      { ...connected({ textByProvider: true }), 'payload-template': { a: 'RECEIVER_PLACEHOLDER' } },
      { ...templated({ a: 'HTML_PLACEHOLDER' }), url: 'https://api.example/{receiver}' },
      {
        ...connected({ headers: { A: 'RECEIVER_PLACEHOLDER' } }),
        'payload-template': '{"a":TEXT_PLACEHOLDER}',
      },
    ],
    [
      'other forms of a response or a request',
      statusOf(200, 599, '5xx', '404'),
      connected({ method: 'GET', encoding: 'query', failures: { permanent: { status: [400] } } }),
      ...each(connected, 'idempotency', { header: 'Id' }, { member: 'id' }),
      ...each(limited, 'ratePerSecond', 0.1, 100_000),
      connected({ listSeparator: ';' }),
      authenticated('body', { members: { p: 'password' } }, { password: 'p' }),
      authenticated('header', { header: 'X-A', prefix: 'App' }),
    ],
    ['both names of one sender', http({ 'default-sender': 'Bank' })],
    ['a template of 16 levels', templated({ ...TEMPLATE, more: nested(14) })],
    ['a mail server with a key as well', smtp({ authentication: { ...SMTP.authentication, key: 'k' } })],
    [
      'no encryption to this machine, or where the operator allows it',
      http({ url: 'http://127.0.0.1:8080/' }),
      http({ url: 'http://gateway.lan/', allowInsecure: true }),
      smtp({ url: 'smtp://localhost:2525', smtp: { requireTls: false, ...TRUSTING } }),
      smtp({ url: 'smtps://mail.example', smtp: { requireTls: false } }),
      smtp({ allowInsecure: true, smtp: { requireTls: false, ...TRUSTING } }),
    ],
    [
      'parameters in the URL',
      http({ url: 'https://api.example/{domain}/{receiver}', connector: { parameters: { domain: 'd' } } }),
    ],
    [
      'an API key of Twilio',
      { ...TWILIO, ...API_KEY, url: undefined, twilio: { accountSid: `AC${'a'.repeat(32)}` } },
    ],
    [
      'a DKIM key',
      signed({
        domainName: 'bank.example',
        keySelector: 's1',
        privateKey: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
      }),
    ],
  ])('is not reported for %s', (_, ...providers) => {
    for (const provider of providers) expect(faultsOf(provider)).toEqual({});
  });

  it.each<[path: string, of: (settings: object) => object, least: number, most: number]>([
    ['limits.timeoutMs', limited, 100, 600_000],
    ['limits.breaker.failures', (breaker) => limited({ breaker }), 1, 10_000],
    ['limits.breaker.openMs', (breaker) => limited({ breaker }), 1, 3_600_000],
    ['connector.connections', connected, 1, 1_000],
    ['smtp.maxConnections', mailing, 1, 100],
    ['smtp.maxMessages', mailing, 1, 1_000_000],
  ])('has a whole number at %s within its bounds', (path, of, least, most) => {
    const values = each(of, path.split('.').at(-1) ?? '', least, most, least - 1, most + 1, least + 0.5);
    const fault = { [path]: `must be a whole number from ${least} to ${most}` };
    expect(values.map((one) => faultsOf(one))).toEqual([{}, {}, fault, fault, fault]);
  });

  it.each<[path: string, longest: number, of: (length: number) => object]>([
    ['description', 8_192, (length) => http({ description: x(length) })],
    ['authentication.key', 8_192, (length) => http({ authentication: { key: x(length) } })],
    ['connector.headers.X-A', 8_192, (length) => connected({ headers: { 'X-A': x(length) } })],
    ['connector.authentication.prefix', 64, (length) => authenticated('prefix', { prefix: x(length) })],
    ['connector.parameters.a', 1_000, (length) => connected({ parameters: { a: x(length) } })],
    ['connector.listSeparator', 4, (length) => connected({ listSeparator: x(length) })],
    ['connector.success.pointer', 500, (length) => connected({ success: { pointer: x(length, '/') } })],
    ['connector.success.status', 100, (length) => statusOf(...Array.from({ length }, () => 200))],
    ['provider', 40, (length) => http({ provider: x(length) })],
    ['payload-template', 65_536, (length) => templated(JSON.stringify(TEMPLATE).padEnd(length))],
    ['notificationConfigurations', 100, (length) => Array.from({ length }, () => HTTP)],
  ])('is no longer than allowed at %s: %i', (path, longest, of) => {
    const faults = [longest, longest + 1].map((length) => faultsOf(...[of(length)].flat()));
    expect(faults.map((one) => Object.keys(one))).toEqual([[], [path]]);
  });

  it.each([
    ['is missing; must be text or an object with placeholders', templated(null)],
    ['must be JSON (or set connector.encoding for another kind of body)', templated('to=x')],
    ['must be JSON or name=value&…', { ...templated('{a'), connector: { encoding: 'form' } }],
    ['must be an object with fields', templated('[]')],
  ])('states what a template must be: %s', (message, provider) => {
    expect(faultsOf(provider)).toEqual({ 'payload-template': message });
  });
});
