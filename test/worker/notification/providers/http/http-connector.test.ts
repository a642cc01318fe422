import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Outbound } from '../../../../../shared/notification/command.ts';
import type { Provider, SendResult } from '../../../../../shared/notification/provider.ts';
import { createHttpConnector } from '../../../../../workers/notification/providers/http/http-connector.ts';
import { ID, anEmail, anSms, httpEntry } from '../../../../support/builders/provider-entry.ts';
import { multipartParts, startProviderStandIn } from '../../../../support/fakes/provider-stand-in.ts';
import { selfSigned } from '../../../../support/self-signed-certificate.ts';
import { untilSent } from '../../../../support/standing-connection.ts';

/** The HTTP connector against a provider's stand-in on loopback. */
const NOW = Date.parse('2026-03-02T10:00:00Z');
const clock = { now: () => NOW };
const opened: Provider[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((provider) => provider.close()));
});

function connector(members: Readonly<Record<string, unknown>>, timeoutMs = 5_000): Provider {
  const provider = createHttpConnector(httpEntry(members), { clock, timeoutMs });
  opened.push(provider);
  return provider;
}

const send = (
  provider: Provider,
  message: Outbound = anSms(),
  signal: AbortSignal = new AbortController().signal,
): Promise<SendResult> => provider.send(message, signal);

describe('a provider without a connector member (N1)', () => {
  it('gets a JSON POST made of a text template, with basic credentials', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: `${standIn.origin}/send?v=1`,
      'payload-template':
        '{"from": SENDER_PLACEHOLDER, "to": "RECEIVER_PLACEHOLDER", "text": "MESSAGE_PLACEHOLDER", "ref": "n-ID_PLACEHOLDER"}',
      'default-sender': 'Bank',
      authentication: { username: 'user', password: 'pass', key: '' },
    });
    expect(await send(provider, anSms({ message: 'She said "hi"\n\\o/' }))).toEqual({
      kind: 'sent',
      providerMessageId: undefined,
    });
    const [request] = standIn.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/send?v=1',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from('user:pass').toString('base64')}`,
      },
    });
    expect(JSON.parse(request!.body.toString())).toEqual({
      from: 'Bank',
      to: '+40722123456',
      text: 'She said "hi"\n\\o/',
      ref: `n-${ID}`,
    });
    expect(provider.isIdempotent).toBe(false);
  });

  it('gets its key as a bearer token where it has a key alone', async () => {
    await using standIn = await startProviderStandIn();
    await send(connector({ url: standIn.origin, authentication: { key: 'k3y' } }));
    expect(standIn.requests[0]!.headers['authorization']).toBe('Bearer k3y');
    expect(standIn.requests[0]!.path).toBe('/');
  });

  it('gets no authorization where it has no credentials', async () => {
    await using standIn = await startProviderStandIn();
    await send(connector({ url: standIn.origin }));
    expect(standIn.requests[0]!.headers).not.toHaveProperty('authorization');
  });
});

describe('other interfaces by configuration alone', () => {
  it('drives the Twilio messages resource: a form, basic credentials, the account in the address', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: `${standIn.origin}/2010-04-01/Accounts/{username}/Messages.json`,
      'payload-template': 'To=RECEIVER_PLACEHOLDER&From=SENDER_PLACEHOLDER&Body=MESSAGE_PLACEHOLDER',
      defaultSender: '+15005550006',
      authentication: { username: 'AC1', password: 't0ken' },
      connector: {
        encoding: 'form',
        success: { status: [201] },
        id: { pointer: '/sid' },
        errorCode: ['/code'],
      },
    });
    standIn.script({ status: 201, body: { sid: 'SM1', status: 'queued' } });
    expect(await send(provider, anSms({ message: 'a&b=c + d' }))).toEqual({
      kind: 'sent',
      providerMessageId: 'SM1',
    });
    const [request] = standIn.requests;
    expect(request!.path).toBe('/2010-04-01/Accounts/AC1/Messages.json');
    expect(request!.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(request!.body.toString()).toBe('To=%2B40722123456&From=%2B15005550006&Body=a%26b%3Dc+%2B+d');
    standIn.script({ status: 429, body: { code: 20_429 }, headers: { 'retry-after': '1' } });
    expect(await send(provider)).toEqual({ kind: 'transient', code: 'http-429-20429', retryAfterMs: 1_000 });
    standIn.script({ status: 400, body: { code: 21_211, message: 'to +40722123456' } });
    expect(await send(provider)).toEqual({ kind: 'permanent', code: 'http-400-21211' });
  });

  it('drives a Kannel gateway: everything in the query of a GET', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: `${standIn.origin}/cgi-bin/sendsms`,
      'payload-template': {
        from: 'SENDER_PLACEHOLDER',
        to: 'RECEIVER_PLACEHOLDER',
        text: 'MESSAGE_PLACEHOLDER',
      },
      defaultSender: '1234',
      authentication: { username: 'user', password: 'pass' },
      connector: {
        method: 'GET',
        encoding: 'query',
        authentication: { kind: 'body', members: { username: 'username', password: 'password' } },
        success: { status: [202] },
      },
    });
    standIn.script({ status: 202, body: '0: Accepted for delivery' });
    expect(await send(provider)).toMatchObject({ kind: 'sent' });
    const [request] = standIn.requests;
    expect(request!.method).toBe('GET');
    expect(request!.body).toHaveLength(0);
    expect(Object.fromEntries(new URL(request!.path, standIn.origin).searchParams)).toEqual({
      from: '1234',
      to: '+40722123456',
      text: 'Your card was used for 12.50 EUR.',
      username: 'user',
      password: 'pass',
    });
  });

  it('lets a service make the text, as verification services do', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: `${standIn.origin}/2fa/2/pin`,
      'payload-template': { applicationId: 'app', messageId: 'm', to: 'RECEIVER_PLACEHOLDER' },
      authentication: { key: 'k3y' },
      connector: {
        authentication: { kind: 'prefix', prefix: 'App' },
        phoneFormat: 'digits',
        textByProvider: true,
        id: { pointer: '/pinId' },
      },
    });
    standIn.script({ status: 200, body: { pinId: '9C817C6F8AF3D48F9FE553282AFA2B67' } });
    expect(await send(provider)).toEqual({
      kind: 'sent',
      providerMessageId: '9C817C6F8AF3D48F9FE553282AFA2B67',
    });
    expect(JSON.parse(standIn.requests[0]!.body.toString())).toMatchObject({ to: '40722123456' });
  });

  it('sends its own id where the provider deduplicates by id, and may then retry', async () => {
    await using standIn = await startProviderStandIn();
    const byHeader = connector({
      url: standIn.origin,
      connector: {
        idempotency: { header: 'Idempotency-Key' },
        failures: [{ status: [409], tests: [{ pointer: '/error', equals: 'already_sent' }], result: 'sent' }],
      },
    });
    const byMember = connector({ url: standIn.origin, connector: { idempotency: { member: 'clientId' } } });
    await send(byHeader);
    await send(byMember);
    expect(standIn.requests[0]!.headers['idempotency-key']).toBe(ID);
    expect(JSON.parse(standIn.requests[1]!.body.toString())).toMatchObject({ clientId: ID });
    expect([byHeader.isIdempotent, byMember.isIdempotent]).toEqual([true, true]);
    standIn.script({ status: 409, body: { error: 'already_sent' } }, { status: 409, body: {} });
    expect(await send(byHeader)).toEqual({ kind: 'sent', providerMessageId: undefined });
    expect(await send(byHeader)).toEqual({
      kind: 'unknown',
      code: 'http-409',
      isAboutMessage: true,
    });
  });

  it('joins copies outside of a list, and leaves out what is empty', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: standIn.origin,
      'communication-channel': 'email',
      'payload-template': {
        from: 'SENDER_PLACEHOLDER',
        to: ['RECEIVER_PLACEHOLDER'],
        cc: 'CC_PLACEHOLDER',
        extra: {
          bcc: ['BCC_PLACEHOLDER'],
          files: [{ n: 'ATTACHMENT_NAME_PLACEHOLDER' }],
          data: ['ATTACHMENT_CONTENT_PLACEHOLDER'],
        },
        body: 'MESSAGE_PLACEHOLDER',
        note: 'cc: CC_PLACEHOLDER',
      },
      defaultSender: 'bank@bank.example',
      connector: { listSeparator: '; ' },
    });
    await send(provider, anEmail({ subject: '', cc: ['a@example.com', 'b@example.com'] }));
    await send(provider, anEmail({ subject: '' }));
    expect(standIn.requests.map(({ body }) => JSON.parse(body.toString()) as object)).toEqual([
      {
        from: 'bank@bank.example',
        to: ['customer@example.com'],
        cc: 'a@example.com; b@example.com',
        body: 'Please find it attached.',
        note: 'cc: a@example.com; b@example.com',
      },
      {
        from: 'bank@bank.example',
        to: ['customer@example.com'],
        body: 'Please find it attached.',
        note: 'cc: ',
      },
    ]);
  });

  it('writes headers with values of the message', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: standIn.origin,
      connector: {
        headers: { 'X-Reference': 'ref ID_PLACEHOLDER', 'X-To': 'RECEIVER_PLACEHOLDER', Accept: 'text/x' },
      },
    });
    await send(provider, anSms({ receiver: '+1\r\nx-evil: 1 ăß😀\ud800%' }));
    const { headers } = standIn.requests[0]!;
    expect(headers).toMatchObject({
      'x-reference': `ref ${ID}`,
      'x-to': '+1%0D%0Ax-evil: 1 %C4%83%C3%9F%F0%9F%98%80%EF%BF%BD%25',
      accept: 'text/x',
    });
    expect(headers).not.toHaveProperty('x-evil');
  });
});

describe('what a provider cannot carry', () => {
  it.each([
    ['copies', anEmail({ cc: ['a@example.com'] }), 'cc-unsupported'],
    ['hidden copies', anEmail({ bcc: ['a@example.com'] }), 'bcc-unsupported'],
    [
      'attachments',
      anEmail({ attachments: [{ name: 'a.txt', content: Buffer.from('a') }] }),
      'attachments-unsupported',
    ],
    ['HTML', anEmail({ contentType: 'text/html' }), 'content-type-unsupported'],
    ['a message without a sender', anEmail({ sender: undefined }), 'sender-missing'],
  ])('is refused permanently and not left out: %s', async (_, message, code) => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: standIn.origin,
      'communication-channel': 'email',
      'payload-template': {
        to: 'RECEIVER_PLACEHOLDER',
        text: 'TEXT_PLACEHOLDER',
        ...(code === 'sender-missing' ? { from: 'SENDER_PLACEHOLDER' } : {}),
      },
    });
    expect(await send(provider, message)).toEqual({ kind: 'permanent', code });
    expect(standIn.requests).toHaveLength(0);
  });

  it.each([
    ['a subject', anEmail(), 'subject-unsupported'],
    ['a sender of its own', anEmail({ subject: '', sender: 'me@bank.example' }), 'sender-unsupported'],
    ['HTML without its type', anEmail({ subject: '', contentType: 'text/html' }), 'content-type-unsupported'],
  ])('is refused permanently where the template has no place for it: %s', async (_, message, code) => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin, 'communication-channel': 'email' });
    expect(await send(provider, message)).toEqual({ kind: 'permanent', code });
    expect(standIn.requests).toHaveLength(0);
  });

  it('is not the default sender, nor HTML whose type or place the template has', async () => {
    await using standIn = await startProviderStandIn();
    const defaultSender = 'info@bank.example';
    const common = { url: standIn.origin, 'communication-channel': 'email', defaultSender };
    const typed = connector({
      ...common,
      'payload-template': {
        to: 'RECEIVER_PLACEHOLDER',
        as: 'CONTENT_TYPE_PLACEHOLDER',
        text: 'MESSAGE_PLACEHOLDER',
      },
    });
    const own = connector({
      ...common,
      'payload-template': { to: 'RECEIVER_PLACEHOLDER', html: 'HTML_PLACEHOLDER' },
    });
    const message = anEmail({ subject: '', contentType: 'text/html', sender: defaultSender });
    expect(await send(typed, message)).toMatchObject({ kind: 'sent' });
    expect(await send(own, message)).toMatchObject({ kind: 'sent' });
  });

  it('is not the fault of a message where a header of the settings cannot be written', async () => {
    const entry = httpEntry({ authentication: { key: 'k3y' } });
    const settings = { ...entry.settings, authentication: { ...entry.settings.authentication, key: 'k€y' } };
    const provider = createHttpConnector({ ...entry, settings }, { clock, timeoutMs: 1_000 });
    opened.push(provider);
    expect(await send(provider)).toEqual({ kind: 'misconfigured', code: 'request-invalid' });
  });

  it('refuses a value that would change the path of the address', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: `${standIn.origin}/to/{receiver}/x` });
    expect(await send(provider, anSms({ receiver: '..' }))).toEqual({
      kind: 'permanent',
      code: 'value-unfit-for-address',
    });
    await send(provider, anSms({ receiver: '../a?b#c' }));
    expect(standIn.requests.map(({ path }) => path)).toEqual(['/to/..%2Fa%3Fb%23c/x']);
    standIn.script({ status: 404 });
    expect(await send(provider)).toEqual({ kind: 'permanent', code: 'http-404' });
  });
});

describe('calls that fail', () => {
  it('surely sent nothing when the name of the host is unknown', async () => {
    const provider = connector({ url: 'https://host.invalid/' }, 5_000);
    expect(await send(provider)).toMatchObject({
      kind: 'transient',
      code: expect.stringMatching(/^connect-(enotfound|eai_again)$/),
    });
  });

  it('surely sent nothing when the certificate is not trusted', async () => {
    await using standIn = await startProviderStandIn({ tls: selfSigned() });
    expect(await send(connector({ url: standIn.origin }))).toMatchObject({
      kind: 'transient',
      code: expect.stringContaining('self_signed'),
    });
    expect(standIn.requests).toHaveLength(0);
  });

  it('trusts the authority that the configuration names', async () => {
    const tls = selfSigned();
    await using standIn = await startProviderStandIn({ tls });
    const provider = connector({ url: standIn.origin, connector: { tls: { ca: tls.cert } } }, 2_000);
    expect(await send(provider)).toMatchObject({ kind: 'sent' });
  });

  it('surely sent nothing when no connection came about in time', async () => {
    const deaf = createServer();
    await new Promise<void>((resolve) => {
      deaf.listen(0, '127.0.0.1', resolve);
    });
    const { port } = deaf.address() as { port: number };
    const provider = connector({ url: `https://127.0.0.1:${port}/` }, 200);
    const startedAt = performance.now();
    expect(await send(provider)).toMatchObject({ kind: 'transient' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await provider.close();
    deaf.close();
  });

  it('surely sent nothing when the connection ends while TLS is agreed upon', async () => {
    const rude = createServer((socket) => socket.resetAndDestroy());
    await new Promise<void>((resolve) => {
      rude.listen(0, '127.0.0.1', resolve);
    });
    const { port } = rude.address() as { port: number };
    expect(await send(connector({ url: `https://127.0.0.1:${port}/` }))).toMatchObject({ kind: 'transient' });
    rude.close();
  });

  it.each([
    ['keeps to a shorter time-out of its own', 100, 60_000],
    ['has no longer time-out than all', 60_000, 100],
  ])('%s', async (_, own, all) => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin, limits: { timeoutMs: own } }, all);
    await untilSent(() => send(provider));
    standIn.otherwise({ fault: 'silent' });
    const startedAt = performance.now();
    const result = await send(provider);
    expect(result).toEqual({ kind: 'unknown', code: 'timed-out' });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('surely sent nothing when a call was given up while it waited for a connection, and sends nothing later', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin, connector: { connections: 1 } }, 200);
    await untilSent(() => send(provider));
    standIn.reset();
    standIn.script({ fault: 'silent' });
    const results = await Promise.all([send(provider), send(provider), send(provider)]);
    expect(results).toEqual([
      { kind: 'unknown', code: 'timed-out' },
      { kind: 'transient', code: 'timed-out' },
      { kind: 'transient', code: 'timed-out' },
    ]);
    await sleep(100);
    expect(standIn.requests).toHaveLength(1);
  });

  it('surely sent nothing when it was called off before, and does not know when it was called off during the call', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin }, 5_000);
    expect(await send(provider, anSms(), AbortSignal.abort())).toEqual({
      kind: 'transient',
      code: 'aborted',
    });
    standIn.script({ fault: 'silent' });
    const controller = new AbortController();
    const call = send(provider, anSms(), controller.signal);
    while (standIn.requests.length === 0) await sleep(5);
    controller.abort();
    expect(await call).toEqual({ kind: 'unknown', code: 'aborted' });
  });

  it('takes a status alone for success where the body does not decide, even when the body is cut', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin, connector: { id: { pointer: '/id' } } });
    standIn.script({ fault: 'cut-answer', status: 201 }, { fault: 'endless', status: 200 });
    expect(await send(provider)).toEqual({ kind: 'sent', providerMessageId: undefined });
    expect(await send(provider)).toEqual({ kind: 'sent', providerMessageId: undefined });
  });

  it('never repeats a request by itself and keeps connections between calls', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin });
    for (let call = 0; call < 5; call++) await send(provider);
    expect(standIn.requests).toHaveLength(5);
    expect(standIn.connections).toBeLessThan(3);
  });

  it('ends what is under way when it is closed, and takes nothing more', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin }, 2_000);
    standIn.script({ status: 200, body: {}, delayMs: 100 });
    const call = send(provider);
    while (standIn.connections === 0) await sleep(5);
    await Promise.all([provider.close(), provider.close()]);
    expect(await call).toMatchObject({ kind: 'sent' });
    expect(await send(provider)).toEqual({ kind: 'transient', code: 'provider-closed' });
  });
});

describe('codes and ids of providers', () => {
  it.each([
    ['a telephone number', '40722123456'],
    ['a text', 'Invalid number +40722123456'],
    ['the code in the message', '4829'],
    ['markup', '<script>'],
  ])('are dropped when they could be personal: %s', async (_, code) => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: standIn.origin,
      connector: { errorCode: ['/code'], id: { pointer: '/id' } },
    });
    const message = anSms({ message: 'Your code is 482913' });
    standIn.script({ status: 422, body: { code } }, { status: 200, body: { id: '482913' } });
    expect(await send(provider, message)).toEqual({ kind: 'permanent', code: 'http-422-other' });
    expect(await send(provider, message)).toEqual({ kind: 'sent', providerMessageId: undefined });
  });
});

describe('multipart bodies', () => {
  it('carry files of any content under any name', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: standIn.origin,
      'communication-channel': 'email',
      'payload-template': {
        to: 'RECEIVER_PLACEHOLDER',
        text: 'MESSAGE_PLACEHOLDER',
        file: ['ATTACHMENT_PLACEHOLDER'],
      },
      connector: { encoding: 'multipart' },
    });
    const content = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10]);
    const attachments = [
      { name: 'a"\r\nx: y.bin', content },
      { name: 'ătă.csv', content: Buffer.from('a;b') },
    ];
    await send(provider, anEmail({ subject: '', attachments }));
    const parts = multipartParts(standIn.requests[0]!);
    expect(
      parts.map(({ headers }) => Buffer.from(headers['content-disposition']!, 'latin1').toString()),
    ).toEqual([
      'form-data; name="to"',
      'form-data; name="text"',
      'form-data; name="file"; filename="a%22%0D%0Ax: y.bin"',
      'form-data; name="file"; filename="ătă.csv"',
    ]);
    expect(parts[2]!.content).toEqual(content);
    expect(parts.map(({ headers }) => headers['content-type'])).toEqual([
      undefined,
      undefined,
      'application/octet-stream',
      'text/csv',
    ]);
  });
});
