import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Provider, SendResult } from '../../../../../shared/notification/provider.ts';
import type { TwilioSettings } from '../../../../../workers/notification/providers/sms/twilio-provider.ts';
import { createTwilioProvider } from '../../../../../workers/notification/providers/sms/twilio-provider.ts';
import { NEVER, outboundEmail, outboundSms } from '../../../../support/builders/outbound-messages.ts';
import { untilSent } from '../../../../support/standing-connection.ts';

const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`;
const NOW = Date.UTC(2031, 4, 6, 7, 8, 9);
const TIMEOUT_MS = 5_000;
/** Where the time limit is the test. */
const SHORT_TIMEOUT_MS = 300;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly form: Readonly<Record<string, string>>;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).toReversed()) await item.close();
});

/** What speaks Twilio's interface on loopback, as far as the test says. */
async function standIn(answer: Answer): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.once('end', () => {
      asked.push({
        method: request.method ?? '',
        path: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
      });
      answer(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function providerFor(baseUrl: string, settings: Partial<TwilioSettings> = {}): Provider {
  const provider = createTwilioProvider(
    {
      name: 'twilio',
      accountSid: ACCOUNT,
      username: ACCOUNT,
      password: 'token',
      baseUrl,
      timeoutMs: TIMEOUT_MS,
      ...settings,
    },
    { clock: { now: () => NOW } },
  );
  open.push(provider);
  return provider;
}

function json(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

const GARBLED: Answer = (response) => response.writeHead(201).end('<html>');
const CREATED = json(201, { sid: 'SM0123', status: 'queued', error_code: null });

async function resultOf(answer: Answer): Promise<SendResult> {
  const { url } = await standIn(answer);
  return providerFor(url).send(outboundSms(), NEVER);
}

describe('an SMS by Twilio', () => {
  it('is one request of the official client, with number, sender and text as given', async () => {
    const { url, asked } = await standIn(CREATED);
    const message = 'Cod: 1 + 1 & "ș" = 2\nA doua linie';
    const result = await providerFor(url).send(outboundSms({ message }), NEVER);
    expect(result).toEqual({ kind: 'sent', providerMessageId: 'SM0123' });
    expect(asked).toEqual([
      {
        method: 'POST',
        path: `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
        authorization: `Basic ${Buffer.from(`${ACCOUNT}:token`).toString('base64')}`,
        form: { To: '+40722123456', From: '+40311000000', Body: message },
      },
    ]);
  });

  it('is authenticated by an API key, for the account of the settings', async () => {
    const { url, asked } = await standIn(CREATED);
    await providerFor(url, { username: 'SK1', password: 'secret' }).send(outboundSms(), NEVER);
    expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from('SK1:secret').toString('base64')}`);
    expect(asked[0]?.path).toContain(ACCOUNT);
  });

  it('takes the sender of the settings where it names none (N3), or a messaging service', async () => {
    const { url, asked } = await standIn(CREATED);
    const service = `MG${'a'.repeat(32)}`;
    const message = outboundSms({ sender: undefined });
    expect(await providerFor(url).send(message, NEVER)).toEqual({
      kind: 'permanent',
      code: 'sender-invalid',
    });
    await providerFor(url, { defaultSender: 'Bank' }).send(message, NEVER);
    await providerFor(url, { defaultSender: service }).send(message, NEVER);
    expect(asked[0]?.form).toMatchObject({ From: 'Bank' });
    expect(asked[1]?.form).toMatchObject({ MessagingServiceSid: service });
    expect(asked[1]?.form).not.toHaveProperty('From');
  });

  it('is sent when the answer to it cannot be read, since the message was made', async () => {
    expect(await resultOf(GARBLED)).toEqual({ kind: 'sent', providerMessageId: undefined });
  });

  it('is not sent over e-mail', async () => {
    const provider = providerFor('http://127.0.0.1:1');
    expect(await provider.send(outboundEmail(), NEVER)).toEqual({ kind: 'permanent', code: 'channel-wrong' });
  });
});

describe('what Twilio answers', () => {
  const fault = (status: number, code: number, headers: Record<string, string> = {}): Answer =>
    json(status, { code, status, message: 'About +40722123456', more_info: 'https://…' }, headers);

  it.each([
    [
      'too many requests',
      fault(429, 20_429, { 'retry-after': '7' }),
      { kind: 'transient', retryAfterMs: 7_000 },
    ],
    [
      'too many requests until a date',
      fault(429, 20_429, { 'retry-after': new Date(NOW + 90_000).toUTCString() }),
      { kind: 'transient', retryAfterMs: 90_000 },
    ],
    ['too many requests, no hint', fault(429, 20_429), { kind: 'transient', code: 'twilio-20429' }],
    ['not available', fault(503, 20_503), { kind: 'transient', code: 'twilio-20503' }],
    ['queue of the sender full', fault(400, 21_611), { kind: 'transient', code: 'twilio-21611' }],
    ['maintenance', fault(400, 21_730), { kind: 'transient', code: 'twilio-21730' }],
    [
      'an internal error, which may have sent it',
      fault(500, 20_500),
      { kind: 'unknown', code: 'twilio-20500' },
    ],
    ['a bad gateway', json(502, {}), { kind: 'unknown', code: 'twilio-http-502' }],
    ['a gateway that gave up', json(504, {}), { kind: 'unknown', code: 'twilio-http-504' }],
    ['wrong credentials', fault(401, 20_003), { kind: 'misconfigured', code: 'twilio-20003' }],
    ['no permission', json(403, {}), { kind: 'misconfigured', code: 'twilio-http-403' }],
    ['no such account', fault(404, 20_404), { kind: 'misconfigured', code: 'twilio-20404' }],
    ['a redirect, which is not followed', json(302, {}, { location: '/' }), { kind: 'misconfigured' }],
    ['no such number', fault(400, 21_211), { kind: 'permanent', code: 'twilio-21211' }],
    ['unsubscribed', fault(400, 21_610), { kind: 'permanent', code: 'twilio-21610' }],
    ['no mobile number', fault(400, 21_614), { kind: 'permanent', code: 'twilio-21614' }],
    ['no permission for that country', fault(403, 21_408), { kind: 'permanent', code: 'twilio-21408' }],
    [
      'made and failed at once',
      json(201, { sid: 'SM1', status: 'failed', error_code: 30_007 }),
      { kind: 'permanent', code: 'twilio-30007' },
    ],
  ] satisfies [string, Answer, Partial<SendResult>][])('%s', async (_, answer, expected) => {
    const result = await resultOf(answer);
    expect(result).toMatchObject(expected);
    expect(JSON.stringify(result)).not.toContain('40722');
  });

  it.each([
    ['a number of the message', fault(400, 48_291), 'twilio-http-400-other'],
    ['a long number', fault(400, 482_913), 'twilio-http-400-other'],
    [
      'a number of the message in the answer that makes it',
      json(201, { sid: 'SM1', status: 'failed', error_code: 48_291 }),
      'twilio-failed-other',
    ],
  ])('is not passed on where it may be of the message: %s', async (_, answer, code) => {
    const { url } = await standIn(answer);
    const message = outboundSms({ message: 'Your code is 48291.' });
    expect(await providerFor(url).send(message, NEVER)).toMatchObject({ kind: 'permanent', code });
  });

  it('is no id where it holds the number', async () => {
    const { url } = await standIn(json(201, { sid: 'SM40722123456', status: 'queued' }));
    expect(await providerFor(url).send(outboundSms(), NEVER)).toEqual({
      kind: 'sent',
      providerMessageId: undefined,
    });
  });

  it('is a fault of the settings where it is about the default sender', async () => {
    const { url } = await standIn(fault(400, 21_212));
    const message = outboundSms({ sender: undefined });
    const provider = providerFor(url, { defaultSender: 'Bank' });
    expect(await provider.send(message, NEVER)).toEqual({ kind: 'misconfigured', code: 'twilio-21212' });
    const own = await standIn(fault(400, 21_212));
    expect(await providerFor(own.url).send(outboundSms(), NEVER)).toMatchObject({ kind: 'permanent' });
  });

  it('is asked once: nothing is tried again by itself', async () => {
    const { url, asked } = await standIn(fault(429, 20_429));
    await providerFor(url).send(outboundSms(), NEVER);
    await sleep(300);
    expect(asked).toHaveLength(1);
  });
});

describe('a connection to Twilio that breaks', () => {
  it('is refused: surely not sent', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const result = await providerFor(`http://127.0.0.1:${port}`).send(outboundSms(), NEVER);
    expect(result).toMatchObject({ kind: 'transient' });
  });

  it('cannot be made for want of TLS: surely not sent', async () => {
    const { url, asked } = await standIn(CREATED);
    const result = await providerFor(url.replace('http:', 'https:')).send(outboundSms(), NEVER);
    expect(result).toMatchObject({ kind: 'transient' });
    expect(asked).toHaveLength(0);
  });

  it('is dropped after the request: unknown', async () => {
    expect(await resultOf((_, request) => request.socket.destroy())).toMatchObject({ kind: 'unknown' });
  });

  it('is never answered: unknown at the time limit', async () => {
    let isMute = false;
    const { url } = await standIn((...given) => (isMute ? undefined : CREATED(...given)));
    const provider = providerFor(url, { timeoutMs: SHORT_TIMEOUT_MS });
    await untilSent(() => provider.send(outboundSms(), NEVER));
    isMute = true;
    const result = await provider.send(outboundSms(), NEVER);
    expect(result).toMatchObject({ kind: 'unknown' });
  });

  it('was given up before it began: surely not sent', async () => {
    const { url, asked } = await standIn(CREATED);
    expect(await providerFor(url).send(outboundSms(), AbortSignal.abort())).toMatchObject({
      kind: 'transient',
    });
    expect(asked).toHaveLength(0);
  });

  it('is given up by the caller after the request: unknown', async () => {
    const { url, asked } = await standIn(() => undefined);
    const controller = new AbortController();
    const sending = providerFor(url).send(outboundSms(), controller.signal);
    await expect.poll(() => asked.length, { timeout: TIMEOUT_MS }).toBe(1);
    controller.abort();
    expect(await sending).toMatchObject({ kind: 'unknown' });
  });

  it('lets what is under way end when the provider is closed, and then takes nothing', async () => {
    const { url, asked } = await standIn((response, request) =>
      setTimeout(() => CREATED(response, request), 200),
    );
    const provider = providerFor(url);
    const sending = provider.send(outboundSms(), NEVER);
    await expect.poll(() => asked.length, { timeout: TIMEOUT_MS, interval: 5 }).toBe(1);
    await provider.close();
    expect(await sending).toMatchObject({ kind: 'sent' });
    expect(await provider.send(outboundSms(), NEVER)).toMatchObject({ kind: 'transient' });
  });
});
