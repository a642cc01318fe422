import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Outbound } from '../../../../shared/notification/notification-command.ts';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import { createHttpConnector } from '../../../../workers/notification/providers/http-provider.ts';
import { httpEntry } from '../../../support/builders/provider-entry.ts';
import { ID, anEmail, anSms } from '../../../support/builders/outbound-messages.ts';
import { startProviderStandIn } from '../../../support/fakes/provider-stand-in.ts';
import { permanent, transient, unknown } from '../../../support/fakes/scripted-providers.ts';
import { selfSigned } from '../../../support/self-signed-certificate.ts';
import { untilSent } from '../../../support/standing-connection.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const clock = { now: () => NOW };
const opened: Provider[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((provider) => provider.close()));
});

function connector(members: Readonly<Record<string, unknown>>, timeoutMs = 5_000): Provider {
  const provider = createHttpConnector(httpEntry(members), { ...systemPorts, clock, timeoutMs });
  opened.push(provider);
  return provider;
}

const send = (
  provider: Provider,
  message: Outbound = anSms(),
  signal: AbortSignal = new AbortController().signal,
): Promise<SendResult> => provider.send(message, signal);

it('without connector settings sends a JSON POST from a text template, with basic authentication (N1)', async () => {
  await using standIn = await startProviderStandIn();
  const provider = connector({
    url: `${standIn.origin}/send?v=1`,
    'payload-template':
      '{"from": SENDER_PLACEHOLDER, "to": "RECEIVER_PLACEHOLDER", "text": "MESSAGE_PLACEHOLDER", "ref": "n-ID_PLACEHOLDER"}',
    'default-sender': 'Bank',
    authentication: { username: 'user', password: 'pass', key: '' },
  });
  const text = 'She said "hi"\n\\o/';
  const sent = { kind: 'sent', providerMessageId: undefined };
  expect(await send(provider, anSms({ message: text }))).toEqual(sent);
  const [request] = standIn.requests;
  const authorization = `Basic ${Buffer.from('user:pass').toString('base64')}`;
  const headers = { 'content-type': 'application/json', authorization };
  expect(request).toMatchObject({ method: 'POST', path: '/send?v=1', headers });
  const body = { from: 'Bank', to: '+40722123456', text, ref: `n-${ID}` };
  expect(JSON.parse(request!.body.toString())).toEqual(body);
  expect(provider.isIdempotent).toBe(false);
});

const WITH_TEXT = { to: 'RECEIVER_PLACEHOLDER', text: 'TEXT_PLACEHOLDER' };
const WITH_MESSAGE = { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' };

describe('interfaces by configuration', () => {
  it('supports a Kannel gateway: all fields in the query of a GET', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: `${standIn.origin}/cgi-bin/sendsms`,
      'payload-template': { from: 'SENDER_PLACEHOLDER', ...WITH_MESSAGE },
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

  it('supports verification services that supply the text themselves', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({
      url: `${standIn.origin}/2fa/2/pin`,
      'payload-template': { messageId: 'm', to: 'RECEIVER_PLACEHOLDER' },
      connector: { phoneFormat: 'digits', textByProvider: true, id: { pointer: '/pinId' } },
    });
    standIn.script({ status: 200, body: { pinId: '9C817C6F8AF3' } });
    expect(await send(provider)).toEqual({ kind: 'sent', providerMessageId: '9C817C6F8AF3' });
    expect(JSON.parse(standIn.requests[0]!.body.toString())).toEqual({ messageId: 'm', to: '40722123456' });
  });

  it('sends the message id to a provider that recognises ids, and is then idempotent', async () => {
    await using standIn = await startProviderStandIn();
    const known = { errorCode: ['/error'], failures: { sent: { code: ['already_sent'] } } };
    const by = (idempotency: object) =>
      connector({ url: standIn.origin, connector: { idempotency, ...known } });
    const [byHeader, byMember] = [by({ header: 'Idempotency-Key' }), by({ member: 'clientId' })];
    await send(byHeader);
    await send(byMember);
    expect(standIn.requests[0]!.headers['idempotency-key']).toBe(ID);
    expect(JSON.parse(standIn.requests[1]!.body.toString())).toMatchObject({ clientId: ID });
    expect([byHeader.isIdempotent, byMember.isIdempotent]).toEqual([true, true]);
    standIn.script({ status: 409, body: { error: 'already_sent' } }, { status: 409, body: {} });
    expect(await send(byHeader)).toEqual({ kind: 'sent', providerMessageId: undefined });
    expect(await send(byHeader)).toEqual({ kind: 'unknown', code: 'http-409', isAboutMessage: true });
  });
});

describe('a message that does not fit the template', () => {
  const file = { name: 'a.txt', content: Buffer.from('a') };

  it.each<[object, Partial<ReturnType<typeof anEmail>>, string]>([
    [WITH_TEXT, { cc: ['a@example.com'] }, 'cc-unsupported'],
    [WITH_TEXT, { bcc: ['a@example.com'] }, 'bcc-unsupported'],
    [WITH_TEXT, { attachments: [file] }, 'attachments-unsupported'],
    [WITH_TEXT, { contentType: 'text/html' }, 'content-type-unsupported'],
    [{ ...WITH_TEXT, from: 'SENDER_PLACEHOLDER' }, { sender: undefined }, 'sender-missing'],
    [WITH_MESSAGE, {}, 'subject-unsupported'],
    [WITH_MESSAGE, { subject: '', sender: 'me@bank.example' }, 'sender-unsupported'],
    [WITH_MESSAGE, { subject: '', contentType: 'text/html' }, 'content-type-unsupported'],
  ])('is rejected permanently with template %j and %j: %s', async (template, changes, code) => {
    const provider = connector({ 'communication-channel': 'email', 'payload-template': template });
    expect(await send(provider, anEmail(changes))).toEqual({ kind: 'permanent', code });
  });

  it('leads to a misconfiguration instead of a rejection if a configured header cannot be written', async () => {
    const entry = httpEntry({ authentication: { key: 'k3y' } });
    const settings = { ...entry.settings, authentication: { ...entry.settings.authentication, key: 'k€y' } };
    const provider = createHttpConnector({ ...entry, settings }, { ...systemPorts, clock, timeoutMs: 1_000 });
    opened.push(provider);
    expect(await send(provider)).toEqual({ kind: 'misconfigured', code: 'request-invalid' });
  });

  it('is rejected when a value would change the path of the URL', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: `${standIn.origin}/to/{receiver}/x` });
    const unfit = permanent('value-unfit-for-address');
    expect(await send(provider, anSms({ receiver: '..' }))).toEqual(unfit);
    await send(provider, anSms({ receiver: '../a?b#c' }));
    expect(standIn.requests.map(({ path }) => path)).toEqual(['/to/..%2Fa%3Fb%23c/x']);
    standIn.script({ status: 404 });
    expect(await send(provider)).toEqual(permanent('http-404'));
  });
});

const transientAs = (code: RegExp) => ({ kind: 'transient', code: expect.stringMatching(code) as string });

describe('a call', () => {
  it('is transient when the host is unknown or refuses connections', async () => {
    const unheard = await send(connector({ url: 'https://host.invalid/' }));
    expect(unheard).toMatchObject(transientAs(/^connect-(enotfound|eai_again)$/));
    const stopped = await startProviderStandIn();
    await stopped.stop();
    const refused = await send(connector({ url: stopped.origin }));
    expect(refused).toMatchObject(transientAs(/^connect-econnrefused$/));
  });

  it('is transient when the certificate is not trusted, and succeeds with a configured authority', async () => {
    const tls = selfSigned();
    await using standIn = await startProviderStandIn({ tls });
    expect(await send(connector({ url: standIn.origin }))).toMatchObject(transientAs(/self_signed/));
    expect(standIn.requests).toHaveLength(0);
    const provider = connector({ url: standIn.origin, connector: { tls: { ca: tls.cert } } }, 2_000);
    expect(await send(provider)).toMatchObject({ kind: 'sent' });
  });

  it('fails transiently if no connection is established in time', async () => {
    const deaf = createServer().listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const { port } = deaf.address() as { port: number };
    const provider = connector({ url: `https://127.0.0.1:${port}/` }, 200);
    const startedAt = performance.now();
    expect(await send(provider)).toMatchObject({ kind: 'transient' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await provider.close();
    deaf.close();
  });

  it.each([
    ['no response within its own, shorter timeout', 100, 60_000, 'silent'],
    ['no response within the common timeout', 60_000, 100, 'silent'],
    ['half a status line', 60_000, 100, 'slow-headers'],
  ] as const)('is unknown with %s', async (_, own, all, fault) => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin, limits: { timeoutMs: own } }, all);
    await untilSent(() => send(provider));
    standIn.otherwise({ fault });
    const startedAt = performance.now();
    const result = await send(provider);
    expect(result).toEqual(unknown('timed-out'));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('is transient and no failure of the provider when no connection is free in half of its time, and sends nothing later', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin, connector: { connections: 1 } }, 200);
    await untilSent(() => send(provider));
    standIn.reset();
    standIn.script({ fault: 'silent' });
    const results = await Promise.all([1, 2, 3].map(() => send(provider)));
    const uncalled = { ...transient('no-connection'), isUncalled: true };
    expect(results).toEqual([unknown('timed-out'), uncalled, uncalled]);
    await sleep(100);
    expect(standIn.requests).toHaveLength(1);
  });

  it('that is urgent is made before waiting normal ones', async () => {
    await using standIn = await startProviderStandIn();
    standIn.otherwise({ status: 200, body: {}, delayMs: 50 });
    const provider = connector({ url: standIn.origin, connector: { connections: 2 } });
    expect(provider.concurrency).toBe(2);
    const normal = Array.from({ length: 6 }, () => send(provider));
    const urgent = provider.send(anSms({ message: 'urgent' }), new AbortController().signal, 'urgent');
    await Promise.all([...normal, urgent]);
    // The calls that were made before it may be received after it.
    const at = standIn.requests.findIndex(({ body }) => body.toString().includes('urgent'));
    expect(at).toBeLessThanOrEqual(2);
  });

  it('is transient when aborted before the call, and unknown when aborted during it', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin }, 5_000);
    expect(await send(provider, anSms(), AbortSignal.abort())).toEqual(transient('aborted'));
    standIn.script({ fault: 'silent' });
    const controller = new AbortController();
    const call = send(provider, anSms(), controller.signal);
    while (standIn.requests.length === 0) await sleep(5);
    controller.abort();
    expect(await call).toEqual(unknown('aborted'));
  });

  it.each(['reset-unread', 'reset', 'close'] as const)(
    'is unknown when the connection ends without a response: %s',
    async (fault) => {
      await using standIn = await startProviderStandIn();
      standIn.script({ fault });
      const code = expect.stringContaining('connection') as string;
      expect(await send(connector({ url: standIn.origin }))).toMatchObject({ kind: 'unknown', code });
      expect(standIn.requests).toHaveLength(1);
    },
  );

  it('is never repeated, and connections are reused between calls', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin });
    for (let call = 0; call < 5; call++) await send(provider);
    expect(standIn.requests).toHaveLength(5);
    expect(standIn.connections).toBeLessThan(3);
  });

  it('is transient after close, which waits for calls in progress', async () => {
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
