import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Provider, SendResult } from '../../../../../shared/notification/provider.ts';
import { createTwilioProvider } from '../../../../../workers/notification/providers/sms/twilio-provider.ts';
import { NEVER, outboundSms } from '../../../../support/builders/outbound-messages.ts';
import { httpEntry } from '../../../../support/builders/provider-entry.ts';
import {
  type ProviderStandIn,
  type StandInReply,
  type StandInRequest,
  startProviderStandIn,
} from '../../../../support/fakes/provider-stand-in.ts';
import { untilSent } from '../../../../support/standing-connection.ts';

const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`;
const NOW = Date.UTC(2031, 4, 6, 7, 8, 9);
const TIMEOUT_MS = 5_000;
/** For tests of the timeout. */
const SHORT_TIMEOUT_MS = 300;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).toReversed()) await item.close();
});

/** A stand-in for Twilio on loopback that sends this reply to every request. */
async function standIn(reply: StandInReply): Promise<ProviderStandIn> {
  const server = await startProviderStandIn();
  server.otherwise(reply);
  open.push({ close: () => server.stop() });
  return server;
}

const formOf = ({ body }: StandInRequest) => Object.fromEntries(new URLSearchParams(body.toString()));

function providerFor(
  url: string,
  { timeoutMs = TIMEOUT_MS, ...settings }: { timeoutMs?: number; [setting: string]: unknown } = {},
): Provider {
  const entry = httpEntry({
    provider: 'twilio',
    url,
    authentication: { username: ACCOUNT, password: 'token' },
    ...settings,
  });
  const provider = createTwilioProvider(entry, { clock: { now: () => NOW }, timeoutMs });
  open.push(provider);
  return provider;
}

const json = (status: number, body: object, headers: Record<string, string> = {}): StandInReply => ({
  status,
  body,
  headers,
});

const CREATED = json(201, { sid: 'SM0123', status: 'queued', error_code: null });

async function resultOf(reply: StandInReply): Promise<SendResult> {
  const { origin } = await standIn(reply);
  return providerFor(origin).send(outboundSms(), NEVER);
}

describe('an SMS by Twilio', () => {
  it('is one request of the official client with unchanged number, sender and text', async () => {
    const { origin, requests } = await standIn(CREATED);
    const message = 'Cod: 1 + 1 & "ș" = 2\nA doua linie';
    const result = await providerFor(origin).send(outboundSms({ message }), NEVER);
    expect(result).toEqual({ kind: 'sent', providerMessageId: 'SM0123' });
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
        headers: { authorization: `Basic ${Buffer.from(`${ACCOUNT}:token`).toString('base64')}` },
      },
    ]);
    expect(formOf(requests[0]!)).toEqual({ To: '+40722123456', From: '+40311000000', Body: message });
  });

  it('is authenticated by an API key for the configured account', async () => {
    const { origin, requests } = await standIn(CREATED);
    const settings = {
      authentication: { username: 'SK1', password: 'secret' },
      twilio: { accountSid: ACCOUNT },
    };
    await providerFor(origin, settings).send(outboundSms(), NEVER);
    expect(requests[0]?.headers['authorization']).toBe(
      `Basic ${Buffer.from('SK1:secret').toString('base64')}`,
    );
    expect(requests[0]?.path).toContain(ACCOUNT);
  });

  it('has the default sender (N3) or a messaging service if it does not name a sender', async () => {
    const { origin, requests } = await standIn(CREATED);
    const service = `MG${'a'.repeat(32)}`;
    const message = outboundSms({ sender: undefined });
    expect(await providerFor(origin).send(message, NEVER)).toEqual({
      kind: 'permanent',
      code: 'sender-invalid',
    });
    await providerFor(origin, { defaultSender: 'Bank' }).send(message, NEVER);
    await providerFor(origin, { defaultSender: service }).send(message, NEVER);
    const forms = requests.map(formOf);
    expect(forms[0]).toMatchObject({ From: 'Bank' });
    expect(forms[1]).toMatchObject({ MessagingServiceSid: service });
    expect(forms[1]).not.toHaveProperty('From');
  });

  it('is sent at once if it is urgent, while normal ones occupy the other connections or wait for them', async () => {
    const server = await standIn({ fault: 'silent' });
    const provider = providerFor(server.origin);
    expect(provider.concurrency).toBe(32);
    const stop = new AbortController();
    const normal = Array.from({ length: 64 }, () => provider.send(outboundSms(), stop.signal));
    await expect.poll(() => server.requests.length).toBe(31);
    server.script(CREATED);
    expect(await provider.send(outboundSms(), NEVER, 'urgent')).toMatchObject({ kind: 'sent' });
    expect(server.requests).toHaveLength(32);
    stop.abort();
    await Promise.all(normal);
  });

  it('is not retried by the client', async () => {
    const { origin, requests } = await standIn(json(429, { code: 20_429 }));
    const result = await providerFor(origin).send(outboundSms(), NEVER);
    expect(result).toEqual({ kind: 'transient', code: 'http-429-20429' });
    await sleep(300);
    expect(requests).toHaveLength(1);
  });
});

describe('a failed connection to Twilio', () => {
  it('is transient when TLS fails', async () => {
    const { origin, requests } = await standIn(CREATED);
    const result = await providerFor(origin.replace('http:', 'https:')).send(outboundSms(), NEVER);
    expect(result).toMatchObject({ kind: 'transient' });
    expect(requests).toHaveLength(0);
  });

  it('is unknown when it is dropped after the request', async () => {
    expect(await resultOf({ fault: 'reset' })).toMatchObject({ kind: 'unknown' });
  });

  it('is unknown at the timeout without a response', async () => {
    const server = await standIn(CREATED);
    const provider = providerFor(server.origin, { timeoutMs: SHORT_TIMEOUT_MS });
    await untilSent(() => provider.send(outboundSms(), NEVER));
    server.otherwise({ fault: 'silent' });
    const result = await provider.send(outboundSms(), NEVER);
    expect(result).toMatchObject({ kind: 'unknown' });
  });

  it('is transient after close, which waits for calls in progress', async () => {
    const { origin, requests } = await standIn({ ...CREATED, delayMs: 200 });
    const provider = providerFor(origin);
    const sending = provider.send(outboundSms(), NEVER);
    await expect.poll(() => requests.length, { timeout: TIMEOUT_MS, interval: 5 }).toBe(1);
    await provider.close();
    expect(await sending).toMatchObject({ kind: 'sent' });
    expect(await provider.send(outboundSms(), NEVER)).toMatchObject({ kind: 'transient' });
  });
});
