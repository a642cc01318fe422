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
/** For tests of the timeout. */
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

/** A stand-in of Twilio on loopback with scripted responses. */
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
  it('is one request of the official client with unchanged number, sender and text', async () => {
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

  it('is authenticated by an API key for the configured account', async () => {
    const { url, asked } = await standIn(CREATED);
    await providerFor(url, { username: 'SK1', password: 'secret' }).send(outboundSms(), NEVER);
    expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from('SK1:secret').toString('base64')}`);
    expect(asked[0]?.path).toContain(ACCOUNT);
  });

  it('has the default sender if it names none (N3), or a messaging service', async () => {
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

  it('is sent when the response cannot be read, since the message was created', async () => {
    expect(await resultOf(GARBLED)).toEqual({ kind: 'sent', providerMessageId: undefined });
  });

  it('is rejected when the message is an e-mail', async () => {
    const provider = providerFor('http://127.0.0.1:1');
    expect(await provider.send(outboundEmail(), NEVER)).toEqual({ kind: 'permanent', code: 'channel-wrong' });
  });
});

describe('a response of Twilio', () => {
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
    [
      'too many requests without Retry-After',
      fault(429, 20_429),
      { kind: 'transient', code: 'twilio-20429' },
    ],
    ['service unavailable', fault(503, 20_503), { kind: 'transient', code: 'twilio-20503' }],
    ['queue of the sender full', fault(400, 21_611), { kind: 'transient', code: 'twilio-21611' }],
    ['maintenance', fault(400, 21_730), { kind: 'transient', code: 'twilio-21730' }],
    [
      'an internal error, after which it may have been sent',
      fault(500, 20_500),
      { kind: 'unknown', code: 'twilio-20500' },
    ],
    ['a bad gateway', json(502, {}), { kind: 'unknown', code: 'twilio-http-502' }],
    ['a gateway timeout', json(504, {}), { kind: 'unknown', code: 'twilio-http-504' }],
    ['wrong credentials', fault(401, 20_003), { kind: 'misconfigured', code: 'twilio-20003' }],
    ['no permission', json(403, {}), { kind: 'misconfigured', code: 'twilio-http-403' }],
    ['unknown account', fault(404, 20_404), { kind: 'misconfigured', code: 'twilio-20404' }],
    ['a redirect, which is not followed', json(302, {}, { location: '/' }), { kind: 'misconfigured' }],
    ['unknown number', fault(400, 21_211), { kind: 'permanent', code: 'twilio-21211' }],
    ['unsubscribed', fault(400, 21_610), { kind: 'permanent', code: 'twilio-21610' }],
    ['no mobile number', fault(400, 21_614), { kind: 'permanent', code: 'twilio-21614' }],
    ['no permission for that country', fault(403, 21_408), { kind: 'permanent', code: 'twilio-21408' }],
    [
      'created and failed immediately',
      json(201, { sid: 'SM1', status: 'failed', error_code: 30_007 }),
      { kind: 'permanent', code: 'twilio-30007' },
    ],
  ] satisfies [string, Answer, Partial<SendResult>][])('is classified: %s', async (_, answer, expected) => {
    const result = await resultOf(answer);
    expect(result).toMatchObject(expected);
    expect(JSON.stringify(result)).not.toContain('40722');
  });

  it.each([
    ['a number of the message', fault(400, 48_291), 'twilio-http-400-other'],
    ['a long number', fault(400, 482_913), 'twilio-http-400-other'],
    [
      'a number of the message in the response that creates it',
      json(201, { sid: 'SM1', status: 'failed', error_code: 48_291 }),
      'twilio-failed-other',
    ],
  ])('is not passed on as a code if it may be of the message: %s', async (_, answer, code) => {
    const { url } = await standIn(answer);
    const message = outboundSms({ message: 'Your code is 48291.' });
    expect(await providerFor(url).send(message, NEVER)).toMatchObject({ kind: 'permanent', code });
  });

  it('is not passed on as an id if it contains the telephone number', async () => {
    const { url } = await standIn(json(201, { sid: 'SM40722123456', status: 'queued' }));
    expect(await providerFor(url).send(outboundSms(), NEVER)).toEqual({
      kind: 'sent',
      providerMessageId: undefined,
    });
  });

  it('is a misconfiguration if it rejects the default sender', async () => {
    const { url } = await standIn(fault(400, 21_212));
    const message = outboundSms({ sender: undefined });
    const provider = providerFor(url, { defaultSender: 'Bank' });
    expect(await provider.send(message, NEVER)).toEqual({ kind: 'misconfigured', code: 'twilio-21212' });
    const own = await standIn(fault(400, 21_212));
    expect(await providerFor(own.url).send(outboundSms(), NEVER)).toMatchObject({ kind: 'permanent' });
  });

  it('does not cause a retry by the client', async () => {
    const { url, asked } = await standIn(fault(429, 20_429));
    await providerFor(url).send(outboundSms(), NEVER);
    await sleep(300);
    expect(asked).toHaveLength(1);
  });
});

describe('a failed connection to Twilio', () => {
  it('is transient when it is refused', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const result = await providerFor(`http://127.0.0.1:${port}`).send(outboundSms(), NEVER);
    expect(result).toMatchObject({ kind: 'transient' });
  });

  it('is transient when TLS fails', async () => {
    const { url, asked } = await standIn(CREATED);
    const result = await providerFor(url.replace('http:', 'https:')).send(outboundSms(), NEVER);
    expect(result).toMatchObject({ kind: 'transient' });
    expect(asked).toHaveLength(0);
  });

  it('is unknown when it is dropped after the request', async () => {
    expect(await resultOf((_, request) => request.socket.destroy())).toMatchObject({ kind: 'unknown' });
  });

  it('is unknown at the timeout without a response', async () => {
    let isMute = false;
    const { url } = await standIn((...given) => (isMute ? undefined : CREATED(...given)));
    const provider = providerFor(url, { timeoutMs: SHORT_TIMEOUT_MS });
    await untilSent(() => provider.send(outboundSms(), NEVER));
    isMute = true;
    const result = await provider.send(outboundSms(), NEVER);
    expect(result).toMatchObject({ kind: 'unknown' });
  });

  it('is transient when aborted before the call', async () => {
    const { url, asked } = await standIn(CREATED);
    expect(await providerFor(url).send(outboundSms(), AbortSignal.abort())).toMatchObject({
      kind: 'transient',
    });
    expect(asked).toHaveLength(0);
  });

  it('is unknown when aborted after the request', async () => {
    const { url, asked } = await standIn(() => undefined);
    const controller = new AbortController();
    const sending = providerFor(url).send(outboundSms(), controller.signal);
    await expect.poll(() => asked.length, { timeout: TIMEOUT_MS }).toBe(1);
    controller.abort();
    expect(await sending).toMatchObject({ kind: 'unknown' });
  });

  it('is transient after close, which waits for calls in progress', async () => {
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
