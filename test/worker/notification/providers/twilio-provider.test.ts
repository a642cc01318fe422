import { afterEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../../../shared/notification/provider.ts';
import { createTwilioProvider } from '../../../../workers/notification/providers/twilio-provider.ts';
import { NEVER, outboundSms } from '../../../support/builders/outbound-messages.ts';
import { httpEntry } from '../../../support/builders/provider-entry.ts';
import { permanent } from '../../../support/fakes/scripted-providers.ts';
import {
  type ProviderStandIn,
  type StandInReply,
  type StandInRequest,
  startProviderStandIn,
} from '../../../support/fakes/provider-stand-in.ts';

const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`;
const NOW = Date.UTC(2031, 4, 6, 7, 8, 9);
const TIMEOUT_MS = 5_000;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).toReversed()) await item.close();
});

async function standIn(reply: StandInReply): Promise<ProviderStandIn> {
  const server = await startProviderStandIn();
  server.otherwise(reply);
  open.push({ close: () => server.stop() });
  return server;
}

const basic = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`;
const formOf = ({ body }: StandInRequest) => Object.fromEntries(new URLSearchParams(body.toString()));

function providerFor(url: string, settings: Readonly<Record<string, unknown>> = {}): Provider {
  const authentication = { username: ACCOUNT, password: 'token' };
  const entry = httpEntry({ provider: 'twilio', url, authentication, ...settings });
  const provider = createTwilioProvider(entry, { clock: { now: () => NOW }, timeoutMs: TIMEOUT_MS });
  open.push(provider);
  return provider;
}

const CREATED = { status: 201, body: { sid: 'SM0123', status: 'queued', error_code: null } };

describe('an SMS by Twilio', () => {
  it('is one request with unchanged number, sender and text', async () => {
    const { origin, requests } = await standIn(CREATED);
    const message = 'Cod: 1 + 1 & "ș" = 2\nA doua linie';
    const result = await providerFor(origin).send(outboundSms({ message }), NEVER);
    expect(result).toEqual({ kind: 'sent', providerMessageId: 'SM0123' });
    const path = `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`;
    const headers = { authorization: basic(`${ACCOUNT}:token`) };
    expect(requests).toMatchObject([{ method: 'POST', path, headers }]);
    expect(formOf(requests[0]!)).toEqual({ To: '+40722123456', From: '+40311000000', Body: message });
    expect(requests[0]?.headers['user-agent']).toMatch(/^twilio-node\//);
  });

  it('is authenticated by an API key for the configured account', async () => {
    const { origin, requests } = await standIn(CREATED);
    const authentication = { username: 'SK1', password: 'secret' };
    const settings = { authentication, twilio: { accountSid: ACCOUNT } };
    await providerFor(origin, settings).send(outboundSms(), NEVER);
    expect(requests[0]?.headers['authorization']).toBe(basic('SK1:secret'));
    expect(requests[0]?.path).toContain(ACCOUNT);
  });

  it('has the default sender (N3) or a messaging service if it does not name a sender', async () => {
    const { origin, requests } = await standIn(CREATED);
    const service = `MG${'a'.repeat(32)}`;
    const message = outboundSms({ sender: undefined });
    expect(await providerFor(origin).send(message, NEVER)).toEqual(permanent('sender-invalid'));
    await providerFor(origin, { defaultSender: 'Bank' }).send(message, NEVER);
    await providerFor(origin, { defaultSender: service }).send(message, NEVER);
    const forms = requests.map(formOf);
    expect(forms[0]).toMatchObject({ From: 'Bank' });
    expect(forms[1]).toMatchObject({ MessagingServiceSid: service });
    expect(forms[1]).not.toHaveProperty('From');
  });
});

const created = (status: string, error_code: number, sid = 'SM1') => ({ sid, status, error_code });
const fault = (code: number) => ({ code, message: 'About +40722123456', more_info: 'https://…' });

const faults = (kind: string, ...all: readonly [status: number, code: number][]) =>
  all.map(([status, code]): [number, object, string] => [
    status,
    fault(code),
    `${kind} http-${status}-${code}`,
  ]);

describe('a response of Twilio', () => {
  const otp = outboundSms({ message: 'Your code is 48291.' });

  it.each<[number, object | string, string]>([
    ...faults('transient', [429, 20_429], [503, 20_503], [408, 20_408], [400, 21_611], [500, 20_429]),
    ...faults('unknown', [500, 20_500], [500, 20_003], [502, 20_404], [500, 21_212]),
    ...faults('misconfigured', [401, 20_003], [404, 20_404], [403, 20_999]),
    ...faults('permanent', [400, 21_211], [400, 21_212], [409, 30_001]),
    [302, '<html>', 'misconfigured http-302'],
    [502, '<html>', 'unknown http-502'],
    [201, created('failed', 30_007), 'permanent http-201-30007'],
    [201, created('canceled', 20_429), 'sent '],
    [201, '<html>', 'sent '],
    [400, fault(48_291), 'permanent http-400-other'],
    [400, fault(482_913), 'permanent http-400-other'],
    [201, created('queued', 48_291, 'SM40722123456'), 'sent '],
  ])('with HTTP status %i and the body %j is classified as %s', async (status, body, expected) => {
    const { origin } = await standIn({ status, body });
    expect(Object.values(await providerFor(origin).send(otp, NEVER)).join(' ')).toBe(expected);
  });

  it('is a misconfiguration if it rejects the default sender', async () => {
    const { origin } = await standIn({ status: 400, body: fault(21_212) });
    const provider = providerFor(origin, { defaultSender: 'Bank' });
    const misconfigured = { kind: 'misconfigured', code: 'http-400-21212' };
    expect(await provider.send(outboundSms({ sender: undefined }), NEVER)).toEqual(misconfigured);
  });
});
