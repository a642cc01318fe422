import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Channel, Outbound } from '../../../../shared/notification/notification-command.ts';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import { createHttpConnector } from '../../../../workers/notification/providers/http-provider.ts';
import { makeProvider } from '../../../../workers/notification/providers/configured-providers.ts';
import { smtpSettings } from '../../../../workers/notification/providers/smtp-provider.ts';
import { entriesOf, readyEntry, readyText } from '../../../support/builders/provider-entry.ts';
import { ID, NEVER, anEmail, anSms } from '../../../support/builders/outbound-messages.ts';
import {
  type ProviderStandIn,
  type StandInReply,
  multipartParts,
  startProviderStandIn,
} from '../../../support/fakes/provider-stand-in.ts';
import { startSmtpSink } from '../../../support/fakes/smtp-sink.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

/** The shipped configurations against requests and responses from the documentation of each provider. */
const NOW = Date.parse('2026-03-02T10:00:00Z');
const clock = { now: () => NOW };
const BASIC = `Basic ${Buffer.from('user:pass').toString('base64')}`;
const PDF = Buffer.from('%PDF-1.7\nstatement');
const TIMEOUT_MS = 10_000;
const IN_TWO_MINUTES = 'Mon, 02 Mar 2026 10:02:00 GMT';

/** `reply`: the body of a response, or a fault of the connection, or headers. */
type Failure = readonly [status: number, reply: object | string, result: string];

interface Case {
  readonly file: string;
  readonly provider: string;
  readonly channel: Channel;
  readonly authentication: object;
  readonly parameters?: object;
  readonly message: Outbound;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  readonly accepted: readonly [status: number, reply: object];
  readonly providerMessageId: string;
  readonly failures: readonly Failure[];
}

const COMMON = (body: object): readonly Failure[] => [
  [401, body, 'misconfigured http-401'],
  [429, { body, headers: { 'retry-after': '7' } }, 'transient http-429 after 7000'],
  [500, body, 'transient http-500'],
  [502, body, 'unknown http-502'],
  [503, { body, headers: { 'retry-after': IN_TWO_MINUTES } }, 'transient http-503 after 120000'],
  [504, body, 'unknown http-504'],
  [302, { body: '', headers: { location: '/elsewhere' } }, 'misconfigured http-302'],
];
const CUT = { fault: 'cut-answer' };
const BY_BODY: readonly Failure[] = [
  [200, '<html>', 'unknown http-200'],
  [200, CUT, 'unknown http-200'],
  [200, { fault: 'endless' }, 'unknown http-200'],
];

const infobipMessage = (status: object, error?: { readonly permanent: boolean }): object => ({
  bulkId: '2034072219640523072',
  messages: [{ messageId: '2250be2d4219-3af1-78856', status, error }],
});
/** A response with this name, and the result with it in its code. */
const infobipName = (groupId: number, name: string, kind: string, permanent?: boolean): Failure => {
  const body = infobipMessage({ groupId, name }, permanent === undefined ? undefined : { permanent });
  const [first, ...more] = kind.split(' ');
  return [200, body, [first, `http-200-${name}`, ...more].join(' ')];
};
const INFOBIP_PENDING = { groupId: 1, groupName: 'PENDING', id: 26, name: 'PENDING_ACCEPTED' };
const forbidden = { requestError: { serviceException: { messageId: 'FORBIDDEN' } } };
const infobipFailures: readonly Failure[] = [
  ...COMMON({ requestError: { serviceException: { text: 'text with 40722123456' } } }),
  ...BY_BODY,
  [400, { errorCode: 'E400' }, 'permanent http-400-E400'],
  [403, forbidden, 'misconfigured http-403-FORBIDDEN'],
  [500, { errorCode: 'E500' }, 'transient http-500-E500'],
  [502, { errorCode: 'E404' }, 'unknown http-502-E404'],
  [
    200,
    infobipMessage({ groupId: 4, name: 'EXPIRED_DLR_UNKNOWN' }, { permanent: false }),
    'transient http-200-other about receiver',
  ],
  [200, infobipMessage({ groupId: 5, name: 'REJECTED_NEW' }), 'permanent http-200-other'],
  infobipName(2, 'UNDELIVERABLE_NOT_DELIVERED', 'transient about receiver', false),
  infobipName(2, 'UNDELIVERABLE_NOT_DELIVERED', 'permanent', true),
  infobipName(5, 'REJECTED_DESTINATION', 'permanent'),
  infobipName(5, 'REJECTED_FLOODING_FILTER', 'transient about receiver'),
  infobipName(5, 'REJECTED_NOT_ENOUGH_CREDITS', 'misconfigured'),
  infobipName(5, 'REJECTED_SYSTEM_ERROR', 'transient'),
  infobipName(5, 'REJECTED_DUPLICATE_MESSAGE_ID', 'unknown about message'),
];
const INFOBIP = {
  file: 'infobip.json',
  provider: 'infobip',
  authentication: { key: 'k3y' },
  accepted: [200, infobipMessage(INFOBIP_PENDING)],
  providerMessageId: '2250be2d4219-3af1-78856',
  failures: infobipFailures,
} as const;
const vonage = (status: string) => ({
  'message-count': '1',
  messages: [{ status, 'error-text': 'to 40722123456' }],
});
const vonageFailures = (kind: string, ...codes: readonly string[]) =>
  codes.map((code): Failure => [200, vonage(code), `${kind} http-200-${code}`]);

const email = anEmail({
  cc: ['first@example.com', 'second@example.com'],
  bcc: ['hidden@example.com'],
  message: '<p>Hello</p>',
  contentType: 'text/html',
  attachments: [{ name: 'statement.pdf', content: PDF }],
});
const MULTIPART_EMAIL = {
  from: 'Your Bank <no-reply@bank.example>',
  to: 'customer@example.com',
  cc: ['first@example.com', 'second@example.com'],
  bcc: 'hidden@example.com',
  subject: 'Your statement',
  html: '<p>Hello</p>',
  attachment: { filename: 'statement.pdf', type: 'application/pdf', content: PDF.toString() },
};

const CASES: readonly Case[] = [
  {
    ...INFOBIP,
    channel: 'sms',
    message: anSms(),
    path: '/sms/3/messages',
    headers: { authorization: 'App k3y', 'content-type': 'application/json' },
    body: {
      messages: [
        {
          sender: 'YourBank',
          destinations: [{ to: '40722123456', messageId: ID }],
          content: { text: 'Your card was used for 12.50 EUR.' },
        },
      ],
    },
  },
  {
    ...INFOBIP,
    channel: 'email',
    message: email,
    path: '/email/3/send',
    headers: { authorization: 'App k3y' },
    body: { ...MULTIPART_EMAIL, callbackData: ID },
  },
  {
    file: 'sendgrid.json',
    provider: 'sendgrid',
    channel: 'email',
    authentication: { key: 'SG.k3y' },
    message: email,
    path: '/v3/mail/send',
    headers: { authorization: 'Bearer SG.k3y', 'content-type': 'application/json' },
    body: {
      personalizations: [
        {
          to: [{ email: 'customer@example.com' }],
          cc: [{ email: 'first@example.com' }, { email: 'second@example.com' }],
          bcc: [{ email: 'hidden@example.com' }],
          custom_args: { notification_id: ID },
        },
      ],
      from: { email: 'no-reply@bank.example', name: 'Your Bank' },
      subject: 'Your statement',
      content: [{ type: 'text/html', value: '<p>Hello</p>' }],
      attachments: [
        {
          content: PDF.toString('base64'),
          filename: 'statement.pdf',
          type: 'application/pdf',
          disposition: 'attachment',
        },
      ],
    },
    accepted: [202, { body: '', headers: { 'X-Message-Id': '14c5d75ce93.dfd.64b469' } }],
    providerMessageId: '14c5d75ce93.dfd.64b469',
    failures: [
      ...COMMON({ errors: [{ message: 'about customer@example.com', field: null }] }),
      [
        429,
        { body: {}, headers: { 'x-ratelimit-reset': String(NOW / 1_000 + 30) } },
        'transient http-429 after 30000',
      ],
      [
        400,
        { errors: [{ message: 'no', field: 'personalizations.0.to.0.email' }] },
        'permanent http-400-personalizations.0.to.0.email',
      ],
      [413, { errors: [{ field: null }] }, 'permanent http-413'],
      [403, { errors: [{ field: null }] }, 'misconfigured http-403'],
      [403, { errors: [{ field: 'from' }] }, 'permanent http-403-from'],
      [200, {}, 'unknown http-200'],
    ],
  },
  {
    file: 'mailgun.json',
    provider: 'mailgun',
    channel: 'email',
    authentication: { username: 'user', password: 'pass' },
    parameters: { domain: 'mg.bank.example' },
    message: email,
    path: '/v3/mg.bank.example/messages',
    headers: { authorization: BASIC },
    body: { ...MULTIPART_EMAIL, 'v:notification-id': ID },
    accepted: [200, { id: '<20260302.1@mg.bank.example>', message: 'Queued. Thank you.' }],
    providerMessageId: '<20260302.1@mg.bank.example>',
    failures: [
      ...COMMON({ message: 'about customer@example.com' }),
      ...BY_BODY,
      [400, { message: 'to parameter is not valid' }, 'permanent http-400'],
      [404, { message: 'Domain not found' }, 'misconfigured http-404'],
      [413, {}, 'permanent http-413'],
    ],
  },
  {
    file: 'vonage.json',
    provider: 'vonage',
    channel: 'sms',
    authentication: { username: 'k3y', password: 's3cret' },
    message: anSms({ message: 'Plată de 12,50 lei' }),
    path: '/sms/json',
    headers: { 'content-type': 'application/json' },
    body: {
      from: 'YourBank',
      to: '40722123456',
      text: 'Plată de 12,50 lei',
      type: 'unicode',
      'client-ref': ID,
      api_key: 'k3y',
      api_secret: 's3cret',
    },
    accepted: [200, { messages: [{ to: '40722123456', 'message-id': '0A0000000123ABCD1', status: '0' }] }],
    providerMessageId: '0A0000000123ABCD1',
    failures: [
      ...COMMON({}),
      ...BY_BODY,
      ...vonageFailures('transient', '1', '5', '10'),
      ...vonageFailures('misconfigured', '4', '8', '9', '11', '14'),
      ...vonageFailures('permanent', '2', '3', '6', '7', '12', '15', '29', '33', '99'),
      [503, vonage('99'), 'transient http-503-99'],
    ],
  },
  {
    file: 'messagebird.json',
    provider: 'messagebird',
    channel: 'sms',
    authentication: { key: 'live_k3y' },
    message: anSms({ sender: '+40311234567' }),
    path: '/messages',
    headers: { authorization: 'AccessKey live_k3y', 'content-type': 'application/json' },
    body: {
      originator: '40311234567',
      recipients: ['40722123456'],
      body: 'Your card was used for 12.50 EUR.',
      datacoding: 'auto',
      reference: ID,
    },
    accepted: [201, { id: 'e8077d803532c0b5937c639b60216938', recipients: { items: [{ status: 'sent' }] } }],
    providerMessageId: 'e8077d803532c0b5937c639b60216938',
    failures: [
      ...COMMON({ errors: [{ description: 'about 40722123456' }] }),
      [201, CUT, 'unknown http-201'],
      [422, { errors: [{ code: 9, parameter: 'recipients' }] }, 'permanent http-422-9'],
      [422, { errors: [{ code: 25 }] }, 'misconfigured http-422-25'],
      [401, { errors: [{ code: 2, parameter: 'access_key' }] }, 'misconfigured http-401-2'],
      [201, { id: 'x', recipients: { items: [{ status: 'delivery_failed' }] } }, 'permanent http-201'],
    ],
  },
  {
    file: 'messagebird.json',
    provider: 'bird',
    channel: 'sms',
    authentication: { key: 'k3y' },
    parameters: { workspace: 'a1ff8d07', channel: '5c2b/2' },
    message: anSms(),
    path: '/workspaces/a1ff8d07/channels/5c2b%2F2/messages',
    headers: { authorization: 'AccessKey k3y', 'content-type': 'application/json' },
    body: {
      receiver: { contacts: [{ identifierKey: 'phonenumber', identifierValue: '+40722123456' }] },
      body: { type: 'text', text: { text: 'Your card was used for 12.50 EUR.' } },
      reference: ID,
    },
    accepted: [202, { id: '3a5c8a3c-d7ab-4b6a-b57c-5bd3b3e1c1a7', status: 'accepted' }],
    providerMessageId: '3a5c8a3c-d7ab-4b6a-b57c-5bd3b3e1c1a7',
    failures: [
      ...COMMON({ message: 'about 40722123456' }),
      ...BY_BODY,
      [422, { code: 'InvalidPayload' }, 'permanent http-422-InvalidPayload'],
    ],
  },
  {
    file: 'brevo.json',
    provider: 'brevo',
    channel: 'email',
    authentication: { key: 'xkeysib-k3y' },
    message: email,
    path: '/v3/smtp/email',
    headers: { 'api-key': 'xkeysib-k3y', 'content-type': 'application/json' },
    body: {
      sender: { email: 'no-reply@bank.example', name: 'Your Bank' },
      to: [{ email: 'customer@example.com' }],
      cc: [{ email: 'first@example.com' }, { email: 'second@example.com' }],
      bcc: [{ email: 'hidden@example.com' }],
      subject: 'Your statement',
      htmlContent: '<p>Hello</p>',
      attachment: [{ name: 'statement.pdf', content: PDF.toString('base64') }],
      headers: { 'X-Notification-Id': ID, 'X-Mailin-custom': ID },
    },
    accepted: [201, { messageId: '<202603021000.12345@smtp-relay.mailin.fr>' }],
    providerMessageId: '<202603021000.12345@smtp-relay.mailin.fr>',
    failures: [
      ...COMMON({ message: 'about customer@example.com' }),
      [201, CUT, 'unknown http-201'],
      [
        429,
        { body: { code: 'too_many_requests' }, headers: { 'x-sib-ratelimit-reset': '12' } },
        'transient http-429-too_many_requests after 12000',
      ],
      [400, { code: 'invalid_parameter' }, 'permanent http-400-invalid_parameter'],
      [402, { code: 'not_enough_credits' }, 'misconfigured http-402-not_enough_credits'],
      [400, { code: 'not_enough_credits' }, 'misconfigured http-400-not_enough_credits'],
    ],
  },
  {
    file: 'brevo.json',
    provider: 'brevo',
    channel: 'sms',
    authentication: { key: 'xkeysib-k3y' },
    message: anSms(),
    path: '/v3/transactionalSMS/send',
    headers: { 'api-key': 'xkeysib-k3y', 'content-type': 'application/json' },
    body: {
      sender: 'YourBank',
      recipient: '40722123456',
      content: 'Your card was used for 12.50 EUR.',
      type: 'transactional',
      unicodeEnabled: true,
      tag: ID,
    },
    accepted: [201, { messageId: 1_511_882_900_176_220, smsCount: 1, usedCredits: 0.7 }],
    providerMessageId: '1511882900176220',
    failures: [
      ...COMMON({}),
      [201, CUT, 'unknown http-201'],
      [400, { code: 'invalid_parameter' }, 'permanent http-400-invalid_parameter'],
    ],
  },
  {
    file: 'mail-catcher.json',
    provider: 'mailpit',
    channel: 'sms',
    authentication: {},
    message: anSms(),
    path: '/api/v1/send',
    headers: { 'content-type': 'application/json' },
    body: {
      From: { Email: 'sms@bank.example', Name: 'YourBank' },
      To: [{ Email: '40722123456@sms.example' }],
      Subject: 'SMS to +40722123456',
      Text: 'Your card was used for 12.50 EUR.',
    },
    accepted: [200, { ID: 'iAfZVVe2UQfNSG5BAjgYwa' }],
    providerMessageId: 'iAfZVVe2UQfNSG5BAjgYwa',
    failures: [...COMMON({}), ...BY_BODY, [400, { Error: 'invalid To address: x' }, 'permanent http-400']],
  },
];

function shown(result: SendResult): string {
  const { kind, code } = result;
  const wait =
    kind === 'transient' && result.retryAfterMs !== undefined ? ` after ${result.retryAfterMs}` : '';
  const receiver = kind === 'transient' && result.isAboutReceiver ? ' about receiver' : '';
  const message = kind === 'unknown' && result.isAboutMessage ? ' about message' : '';
  return `${kind} ${code}${wait}${receiver}${message}`;
}

function replyOf(status: number, reply: object | string): StandInReply {
  if (typeof reply === 'object' && ('fault' in reply || 'headers' in reply))
    return { status, ...reply } as StandInReply;
  return { status, body: reply };
}

let standIn: ProviderStandIn;
beforeAll(async () => {
  standIn = await startProviderStandIn();
});
afterAll(() => standIn.stop());
beforeEach(() => standIn.reset());

describe.each(CASES)('$file for $channel ($provider)', (shipped) => {
  let provider: Provider;
  beforeAll(() => {
    const { file, authentication, parameters } = shipped;
    const more = parameters === undefined ? {} : { parameters };
    const entry = readyEntry(file, shipped, { origin: standIn.origin, authentication, ...more });
    provider = createHttpConnector(entry, { ...systemPorts, clock, timeoutMs: TIMEOUT_MS });
  });
  afterAll(() => provider.close());
  const send = (): Promise<SendResult> => provider.send(shipped.message, NEVER);

  it('sends the documented request and returns the id of the provider', async () => {
    standIn.script(replyOf(...shipped.accepted));
    expect(await send()).toEqual({ kind: 'sent', providerMessageId: shipped.providerMessageId });
    expect(standIn.requests).toHaveLength(1);
    const [request] = standIn.requests;
    expect(request).toMatchObject({ method: 'POST', path: shipped.path, headers: shipped.headers });
    const isMultipart = request!.headers['content-type']!.startsWith('multipart/form-data');
    expect(isMultipart ? fieldsOf(request!) : JSON.parse(request!.body.toString())).toEqual(shipped.body);
  });

  it.each(shipped.failures)('classifies status %i with %j as %s', async (status, reply, result) => {
    standIn.script(replyOf(status, reply));
    expect(shown(await send())).toBe(result);
    expect(standIn.requests).toHaveLength(1);
  });
});

function fieldsOf(request: Parameters<typeof multipartParts>[0]): object {
  const fields: Record<string, unknown> = {};
  for (const { headers, content } of multipartParts(request)) {
    const { name = '', filename } =
      /^form-data; name="(?<name>[^"]*)"(?:; filename="(?<filename>[^"]*)")?$/.exec(
        headers['content-disposition'] ?? '',
      )?.groups ?? {};
    const text = content.toString();
    const value = filename === undefined ? text : { filename, type: headers['content-type'], content: text };
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    else fields[name] = [...(Array.isArray(before) ? (before as unknown[]) : [before]), value];
  }
  return fields;
}

describe('the shipped configurations', () => {
  const folder = path.resolve(import.meta.dirname, '../../../../docs/providers');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

  it('are valid', () => {
    expect(files).toHaveLength(12);
    for (const file of files) expect(entriesOf(readyText(file)).length).toBeGreaterThan(0);
  });

  it('include the example of the documentation', () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(readyText('README.md')) ?? [];
    expect(entriesOf(example).map(({ name, kind }) => `${name} ${kind}`)).toEqual(['example http']);
  });

  it('are all tested here if they use the HTTP connector', () => {
    const shipped = files.flatMap((file) =>
      entriesOf(readyText(file))
        // verification-services.test.ts has those that make codes.
        .filter(({ kind, codes }) => kind === 'http' && codes.check === undefined)
        .map(({ name, channel }) => `${file} ${name} ${channel}`),
    );
    const tested = CASES.map(({ file, provider, channel }) => `${file} ${provider} ${channel}`);
    expect(tested.toSorted()).toEqual(shipped.toSorted());
  });
});

describe('the shipped configuration of SMTP', () => {
  const deps = { ...systemPorts, clock, timeoutMs: 10_000 };
  const NO_CREDENTIALS = { username: undefined, password: undefined, key: undefined };
  const [smtp] = entriesOf(readyText('smtp.json'));

  it('sends to a mail server', async () => {
    const sink = await startSmtpSink();
    const url = `smtp://127.0.0.1:${sink.port}`;
    const settings = { ...smtp!.settings, url, authentication: NO_CREDENTIALS };
    const provider = await makeProvider({ ...smtp!, settings }, deps);
    expect(await provider.send(email, NEVER)).toMatchObject({ kind: 'sent' });
    await provider.close();
    await sink.close();
    expect(sink.mails).toHaveLength(1);
    expect(sink.mails[0]).toMatchObject({ from: 'no-reply@bank.example' });
    expect(sink.mails[0]!.to).toEqual(
      expect.arrayContaining(['customer@example.com', 'first@example.com', 'hidden@example.com']),
    );
  });

  it('requires TLS for other machines', () => {
    expect(smtpSettings(smtp!, 60_000)).toMatchObject({
      host: 'mail.bank.example',
      port: 587,
      secure: false,
      requireTls: true,
      username: 'REPLACE-WITH-USERNAME',
      maxConnections: 10,
      maxMessages: 100,
      timeoutMs: 30_000,
      defaultSender: 'Your Bank <no-reply@bank.example>',
    });
  });
});
