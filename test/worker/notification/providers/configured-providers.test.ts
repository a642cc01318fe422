import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GuardedProvider, SendResult } from '../../../../shared/notification/provider.ts';
import { ConfigError } from '../../../../shared/platform/errors.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import {
  type ProviderSet,
  createProviders,
} from '../../../../workers/notification/providers/configured-providers.ts';
import { configurationText } from '../../../support/builders/provider-entry.ts';
import { anEmail, anSms, NEVER } from '../../../support/builders/outbound-messages.ts';
import { type ProviderStandIn, startProviderStandIn } from '../../../support/fakes/provider-stand-in.ts';

const SECRET = 's3cr3t-v4lue';

let folder: string;
let standIn: ProviderStandIn;
let opened: ProviderSet[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'providers-'));
  standIn = await startProviderStandIn();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((set) => set.close()));
  await standIn.stop();
  await rm(folder, { recursive: true });
});

async function open(configFile: string | undefined): Promise<ProviderSet> {
  const source = { configFile, outboxFolder: path.join(folder, 'outbox'), sendTimeoutMs: 500 };
  const set = await createProviders(source, systemPorts);
  opened.push(set);
  return set;
}

const sms = (provider: string, members: object = {}): object => ({
  url: `${standIn.origin}/${provider}`,
  provider,
  'payload-template': { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' },
  'communication-channel': 'sms',
  authentication: { key: SECRET },
  ...members,
});
const mail = { url: 'smtp://127.0.0.1:2525', provider: 'SMTP', 'communication-channel': 'email' };
const names = (providers: readonly GuardedProvider[]): readonly string[] => providers.map(({ name }) => name);

function send(provider: GuardedProvider): Promise<SendResult> {
  expect(provider.admit()).toEqual({ kind: 'go' });
  return provider.send(anSms(), NEVER);
}

describe('the configured providers', () => {
  it('are created in the order of the file, by channel (N2)', async () => {
    const file = path.join(folder, 'providers.json');
    const authentication = { username: `AC${'0'.repeat(32)}`, password: SECRET };
    const twilio = { provider: 'twilio', 'communication-channel': 'sms', authentication };
    await writeFile(file, configurationText(sms('one'), mail, twilio, sms('one')));
    const set = await open(file);
    expect(names(set.of('sms'))).toEqual(['one', 'twilio', 'one#2']);
    expect(names(set.of('email'))).toEqual(['SMTP']);
    expect(await send(set.of('sms')[0]!)).toMatchObject({ kind: 'sent' });
    const headers = { authorization: `Bearer ${SECRET}` };
    expect(standIn.requests[0]).toMatchObject({ path: '/one', headers });
  });

  it('are the outbox for both channels if there is no file', async () => {
    const set = await open(undefined);
    expect(await set.of('sms')[0]!.send(anSms(), NEVER)).toMatchObject({ kind: 'sent' });
    expect(await set.of('email')[0]!.send(anEmail(), NEVER)).toMatchObject({ kind: 'sent' });
    expect((await readdir(path.join(folder, 'outbox'))).length).toBeGreaterThan(0);
  });

  it('are rejected with ConfigError when the outbox cannot be written', async () => {
    await writeFile(path.join(folder, 'outbox'), 'a file instead of the folder');
    const words = /^the local outbox .*EEXIST.*DATA_DIR.*NOTIFICATION_CONFIG_FILE/;
    await expect(open(undefined)).rejects.toThrow(words);
  });

  it('are rejected with ConfigError when the file is invalid or missing', async () => {
    const file = path.join(folder, 'providers.json');
    await writeFile(file, configurationText({ ...sms('one'), url: SECRET }));
    const wrong = await open(file).catch((error: unknown) => error as ConfigError);
    expect(wrong).toBeInstanceOf(ConfigError);
    expect((wrong as ConfigError).message).toContain('provider-configurations[0].url: must be a URL');
    expect((wrong as ConfigError).message).not.toContain(SECRET);
    await expect(open(path.join(folder, 'none.json'))).rejects.toThrow(ConfigError);
  });

  it('are rejected with every fault of their creation', async () => {
    const file = path.join(folder, 'providers.json');
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const dkim = { domainName: 'bank.example', keySelector: 's1', privateKey: key };
    const signed = { ...mail, smtp: { dkim } };
    await writeFile(file, configurationText(signed, sms('one'), signed));
    const wrong = (await open(file).catch((error: unknown) => error)) as ConfigError;
    expect(wrong).toBeInstanceOf(ConfigError);
    for (const place of ['provider-configurations[0]', 'provider-configurations[2]'])
      expect(wrong.message).toContain(`${place}: the DKIM private key must be an RSA key`);
  });

  it('apply their limits', async () => {
    const file = path.join(folder, 'providers.json');
    const limits = { ratePerSecond: 1, breaker: { failures: 1, openMs: 60_000 } };
    await writeFile(file, configurationText(sms('slow', { limits }), sms('frail', { limits })));
    const set = await open(file);
    const [slow, frail] = set.of('sms');
    await send(slow!);
    expect(slow!.admit()).toMatchObject({ kind: 'wait' });
    standIn.script({ status: 503 });
    await send(frail!);
    expect(frail!.admit()).toMatchObject({ kind: 'open', code: 'http-503' });
    expect(frail!.health()).toEqual({ status: 'degraded', reason: 'circuit-open:http-503' });
  });
});
