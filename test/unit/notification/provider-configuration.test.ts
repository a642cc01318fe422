import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  readChannelProfile,
  readProviderConfiguration,
} from '../../../shared/notification/provider-configuration.ts';
import { configurationText, entriesOf } from '../../support/builders/provider-entry.ts';

const AT = 'notificationConfigurations[0].provider-configurations';
const HTTP = {
  url: 'https://api.example/send',
  provider: 'example',
  'payload-template': '{"to":"RECEIVER_PLACEHOLDER","text":"MESSAGE_PLACEHOLDER"}',
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

/** Faults by path below the first provider. */
function faultsOf(...providers: readonly object[]): Readonly<Record<string, string>> {
  const read = readProviderConfiguration(configurationText(...providers));
  if (read.kind === 'configuration') return {};
  return Object.fromEntries(read.faults.map(({ path, message }) => [path.replace(`${AT}[0].`, ''), message]));
}

describe('the provider configuration (interface 4.8, N1)', () => {
  it('accepts the examples of the interface', () => {
    const entries = entriesOf(configurationText(HTTP, SMTP, TWILIO));
    expect(
      entries.map(({ name, channel, kind, defaultSender }) => ({ name, channel, kind, defaultSender })),
    ).toEqual([
      { name: 'example', channel: 'sms', kind: 'http', defaultSender: 'Bank' },
      { name: 'SMTP', channel: 'email', kind: 'smtp', defaultSender: 'info@bank.example' },
      { name: 'twilio', channel: 'sms', kind: 'twilio', defaultSender: '+15005550006' },
    ]);
  });

  it('accepts default-sender, and a payload-template as an object', () => {
    const { defaultSender: _, ...rest } = HTTP;
    const template = { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' };
    const [entry] = entriesOf(
      configurationText({ ...rest, 'default-sender': 'Bank', 'payload-template': template }),
    );
    expect(entry!.defaultSender).toBe('Bank');
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
    const { defaultSender: _, ...without } = HTTP;
    const entries = entriesOf(configurationText(without, SMTP, { ...HTTP, defaultSender: 'Second' }));
    expect(entries.map(({ defaultSender }) => defaultSender)).toEqual([
      'Second',
      'info@bank.example',
      'Second',
    ]);
  });

  it('reads a file that starts with a byte order mark', () => {
    expect(readProviderConfiguration(`\uFEFF${configurationText(HTTP)}`).kind).toBe('configuration');
  });
});

describe('the channel profile', () => {
  it('contains the channels and their default senders without secrets', () => {
    const profile = readChannelProfile(configurationText(HTTP, SMTP, TWILIO));
    expect(profile).toEqual({
      channels: { sms: { defaultSender: 'Bank' }, email: { defaultSender: 'info@bank.example' } },
    });
  });

  it('throws all faults of an invalid configuration', () => {
    expect(() => readChannelProfile(configurationText({ ...HTTP, url: 'x' }, { ...SMTP, extra: 1 }))).toThrow(
      `the provider configuration is invalid:\n  ${AT}[0].url: must be a URL that begins with https:// or http://\n  ${AT}[1].extra: is not known here`,
    );
  });
});

describe('an invalid configuration', () => {
  it('reports the faults of all providers together', () => {
    const faults = faultsOf(
      {
        ...HTTP,
        provider: '?',
        'communication-channel': 'fax',
        url: 'ftp://x',
        limits: { ratePerSecond: 0 },
        connector: { success: { status: [99] } },
      },
      { ...SMTP, 'communication-channel': 'sms', smtp: { maxConnections: 0, requireTls: false } },
    );
    expect(Object.keys(faults).toSorted()).toEqual(
      [
        'communication-channel',
        'connector.success.status[0]',
        'limits.ratePerSecond',
        `${AT}[1].smtp.maxConnections`,
        'provider',
      ].toSorted(),
    );
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
          success: { status: [secret], tests: [{ pointer: secret, equals: [secret] }] },
          failures: [{ result: secret, status: secret }],
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

  it('reports repeated fields by their paths', () => {
    expect(readProviderConfiguration('{"notificationConfigurations":[{"a":1,"a":2}]}')).toMatchObject({
      kind: 'invalid',
      faults: [{ path: 'notificationConfigurations[0].a' }],
    });
  });

  it('reports the position of invalid JSON', () => {
    expect(readProviderConfiguration('{"a": 1\n  "b": 2}')).toEqual({
      kind: 'invalid',
      faults: [{ path: 'file', message: 'must be JSON (at line 2, column 3)' }],
    });
  });

  it.each([
    [
      'another realm',
      '{"notificationConfigurations":[{"realmId":"other","provider-configurations":[]}]}',
      'notificationConfigurations[0].realmId',
    ],
    ['no list', '{"notificationConfigurations":{}}', 'notificationConfigurations'],
    [
      'no providers',
      '{"notificationConfigurations":[{"realmId":"platrealm"}]}',
      'notificationConfigurations[0].provider-configurations',
    ],
    ['an unknown field', '{"notificationConfigurations":[],"more":1}', 'more'],
    ['a list', '[]', 'file'],
  ])('is reported with its path: %s', (_, text, path) => {
    expect(readProviderConfiguration(text)).toMatchObject({ kind: 'invalid', faults: [{ path }] });
  });

  it.each([
    ['http to another machine', { ...HTTP, url: 'http://api.example/' }, 'url'],
    ['credentials in the URL', { ...HTTP, url: 'https://u:p@api.example/' }, 'url'],
    ['a fragment', { ...HTTP, url: 'https://api.example/#x' }, 'url'],
    ['no URL', { ...HTTP, url: undefined }, 'url'],
    ['a placeholder in the host', { ...HTTP, url: 'https://{receiver}.example/' }, 'url'],
    ['an unknown placeholder in the URL', { ...HTTP, url: 'https://api.example/{key}' }, 'url'],
    ['no template', { ...HTTP, 'payload-template': undefined }, 'payload-template'],
    [
      'a template that is not JSON',
      { ...HTTP, 'payload-template': 'to=RECEIVER_PLACEHOLDER' },
      'payload-template',
    ],
    [
      'a misspelt placeholder',
      { ...HTTP, 'payload-template': { a: ['RECIEVER_PLACEHOLDER'] } },
      'payload-template.a[0]',
    ],
    [
      'a template that repeats a field',
      { ...HTTP, 'payload-template': '{"a":{"b":"RECEIVER_PLACEHOLDER","b":MESSAGE_PLACEHOLDER}}' },
      'payload-template.a.b',
    ],
    [
      'a constant with more digits than are kept',
      {
        ...HTTP,
        'payload-template': '{"a":"RECEIVER_PLACEHOLDER MESSAGE_PLACEHOLDER","b":[9007199254740993]}',
      },
      'payload-template.b[0]',
    ],
    [
      'a constant that is too large',
      { ...HTTP, 'payload-template': '{"a":"RECEIVER_PLACEHOLDER MESSAGE_PLACEHOLDER","b":1e400}' },
      'payload-template.b',
    ],
    [
      'a template without a receiver',
      { ...HTTP, 'payload-template': { a: 'MESSAGE_PLACEHOLDER' } },
      'payload-template',
    ],
    [
      'a template without a message',
      { ...HTTP, 'payload-template': { a: 'RECEIVER_PLACEHOLDER' } },
      'payload-template',
    ],
    [
      'a file in JSON',
      { ...HTTP, 'payload-template': { a: ['ATTACHMENT_PLACEHOLDER'] } },
      'payload-template.a[0]',
    ],
    [
      'an attachment outside a list',
      { ...HTTP, 'payload-template': { a: 'ATTACHMENT_NAME_PLACEHOLDER' } },
      'payload-template.a',
    ],
    [
      'an item that repeats for two lists',
      { ...HTTP, 'payload-template': { a: ['CC_PLACEHOLDER BCC_PLACEHOLDER'] } },
      'payload-template.a[0]',
    ],
    [
      'a form that nests',
      { ...HTTP, connector: { encoding: 'form' }, 'payload-template': { a: { b: 'x' } } },
      'payload-template.a',
    ],
    [
      'a header of the connection',
      { ...HTTP, connector: { headers: { 'Content-Length': '1' } } },
      'connector.headers.Content-Length',
    ],
    [
      'a header with a line break',
      { ...HTTP, connector: { headers: { 'X-A': 'a\r\nb' } } },
      'connector.headers.X-A',
    ],
    ['a body with method GET', { ...HTTP, connector: { method: 'GET' } }, 'connector.encoding'],
    [
      'a missing prefix',
      { ...HTTP, connector: { authentication: { kind: 'prefix' } } },
      'connector.authentication.prefix',
    ],
    [
      'missing credentials',
      { ...HTTP, connector: { authentication: { kind: 'basic' } } },
      'authentication.username',
    ],
    [
      'both spellings of the sender with different values',
      { ...HTTP, 'default-sender': 'Other' },
      'default-sender',
    ],
    ['an e-mail sender without an address', { ...SMTP, defaultSender: 'Bank' }, 'defaultSender'],
    ['a sender with two addresses', { ...SMTP, defaultSender: 'a@b.example, c@d.example' }, 'defaultSender'],
    ['a sender with two lines', { ...SMTP, defaultSender: 'Bank <a@b.example> x' }, 'defaultSender'],
    ['an SMS sender with an @', { ...HTTP, defaultSender: 'a@b.example' }, 'defaultSender'],
    ['an SMS sender that is too long', { ...HTTP, defaultSender: 'TwelveLetter' }, 'defaultSender'],
    ['an SMS sender outside the GSM alphabet', { ...HTTP, defaultSender: 'Bancă' }, 'defaultSender'],
    [
      'a key that cannot be written into a header',
      { ...HTTP, authentication: { key: 'k€y' } },
      'authentication.key',
    ],
    [
      'a header that cannot be written',
      { ...HTTP, connector: { headers: { 'X-Country': 'România €' } } },
      'connector.headers.X-Country',
    ],
    ['a user without a password', { ...HTTP, authentication: { username: 'u' } }, 'authentication.password'],
    ['a password alone', { ...HTTP, authentication: { password: 'p' } }, 'authentication.username'],
    [
      'a user and a key without a password',
      { ...HTTP, authentication: { username: 'u', key: 'k' } },
      'authentication.password',
    ],
    [
      'credentials of a mail server that are not an object',
      { ...SMTP, authentication: 'x' },
      'authentication',
    ],
    ['a mail server with a key', { ...SMTP, authentication: { key: 'k' } }, 'authentication.key'],
    ...[
      'https://x/<{id}>',
      'https://x/a b',
      'https://x/ă',
      'https://',
      'ftp://x',
      'https://x/{id}>, <mailto:a@b.c',
      `https://x/${'{id}'.repeat(17)}`,
    ].map((url): [string, object, string] => [
      `an unsubscribe URL such as ${url}`,
      { ...SMTP, smtp: { listUnsubscribe: { url } } },
      'smtp.listUnsubscribe.url',
    ]),
    ['mail without TLS', { ...SMTP, smtp: { requireTls: false } }, 'smtp.requireTls'],
    [
      'unverified certificates',
      { ...SMTP, smtp: { tls: { rejectUnauthorized: false } } },
      'smtp.tls.rejectUnauthorized',
    ],
    [
      'a mail server with a user without a password',
      { ...SMTP, authentication: { username: 'u' } },
      'authentication.password',
    ],
    [
      'an invalid DKIM key',
      { ...SMTP, smtp: { dkim: { domainName: 'a', keySelector: 'b', privateKey: 'c' } } },
      'smtp.dkim.privateKey',
    ],
    [
      'an unsubscribe URL without TLS',
      { ...SMTP, smtp: { listUnsubscribe: { url: 'http://x/{id}' } } },
      'smtp.listUnsubscribe.url',
    ],
    ['settings of another client', { ...SMTP, connector: {} }, 'connector'],
    [
      'Twilio without an account SID',
      { ...TWILIO, authentication: { username: 'SK1', password: 'p' } },
      'twilio.accountSid',
    ],
    [
      'Twilio for e-mail',
      { ...TWILIO, 'communication-channel': 'email', defaultSender: 'a@b.example' },
      'communication-channel',
    ],
    ['a timeout that is too long', { ...HTTP, limits: { timeoutMs: 3_600_000 } }, 'limits.timeoutMs'],
    ['an invalid JSON pointer', { ...HTTP, connector: { errorCode: ['code'] } }, 'connector.errorCode[0]'],
    [
      'a failure without a condition',
      { ...HTTP, connector: { failures: [{ result: 'transient' }] } },
      'connector.failures[0]',
    ],
  ])('is rejected: %s', (_, provider, path) => {
    expect(Object.keys(faultsOf(provider))).toContain(path);
  });

  it.each([
    ['a name and an address as sender', { ...SMTP, defaultSender: 'Banca Ță <no-reply@bank.example>' }],
    ['a number as sender', { ...HTTP, defaultSender: '+40311234567' }],
    ['a short code as sender', { ...HTTP, defaultSender: '1234' }],
    ['a name as sender', { ...HTTP, defaultSender: 'Kvartsbank9' }],
    ['a messaging service as sender', { ...TWILIO, defaultSender: `MG${'a'.repeat(32)}` }],
    ['an unsubscribe URL', { ...SMTP, smtp: { listUnsubscribe: { url: 'https://x.example/u?n={id}' } } }],
    [
      'a user in the URL',
      { ...HTTP, url: 'https://api.example/{username}', authentication: { username: 'u', key: 'k' } },
    ],
    [
      'a user in the body',
      {
        ...HTTP,
        authentication: { username: 'ü', key: 'k€y' },
        connector: { authentication: { kind: 'body', members: { user: 'username', api: 'key' } } },
      },
    ],
    [
      'a mail server with a key in addition to user and password',
      { ...SMTP, authentication: { ...SMTP.authentication, key: 'k' } },
    ],
    ['http to this machine', { ...HTTP, url: 'http://127.0.0.1:8080/' }],
    [
      'http to another machine that the operator allows',
      { ...HTTP, url: 'http://gateway.lan/', allowInsecure: true },
    ],
    [
      'mail without TLS to this machine',
      { ...SMTP, url: 'smtp://localhost:2525', smtp: { requireTls: false } },
    ],
    [
      'parameters in the URL',
      { ...HTTP, url: 'https://api.example/{domain}/{receiver}', connector: { parameters: { domain: 'd' } } },
    ],
    [
      'an API key of Twilio',
      {
        ...TWILIO,
        url: undefined,
        authentication: { username: 'SK1', password: 'p' },
        twilio: { accountSid: `AC${'a'.repeat(32)}` },
      },
    ],
    [
      'a DKIM key',
      {
        ...SMTP,
        smtp: {
          dkim: {
            domainName: 'bank.example',
            keySelector: 's1',
            privateKey: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
          },
        },
      },
    ],
  ])('is not reported for %s', (_, provider) => {
    expect(faultsOf(provider)).toEqual({});
  });
});
