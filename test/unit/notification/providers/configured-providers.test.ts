import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { createProviders } from '../../../../workers/notification/providers/configured-providers.ts';
import { anEmail, anSms, NEVER } from '../../../support/builders/outbound-messages.ts';
import { configurationText } from '../../../support/builders/provider-entry.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const SMS = {
  url: 'https://127.0.0.1:1/',
  provider: 'one',
  'communication-channel': 'sms',
  'payload-template': { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' },
};

const MAIL = { provider: 'SMTP', url: 'smtp://127.0.0.1', 'communication-channel': 'email' };

/** The providers of a file, which are closed; without one those of the outbox. */
async function providersOf(text?: string, folder = scratchFolder()) {
  const configFile = text === undefined ? undefined : path.join(folder, 'providers.json');
  if (configFile !== undefined && text !== '') writeFileSync(configFile, text ?? '');
  const source = {
    configFile,
    outboxFolder: path.join(folder, 'outbox'),
    sendTimeoutMs: 500,
    publicUrl: undefined,
  };
  const set = await createProviders(source, systemPorts);
  await set.close();
  return set;
}

it('providers have the order of the file, by channel (N2), and their own limits', async () => {
  const authentication = { username: `AC${'0'.repeat(32)}`, password: 'p' };
  const twilio = { provider: 'twilio', 'communication-channel': 'sms', authentication };
  const limits = { ratePerSecond: 1, breaker: { failures: 1, openMs: 60_000 } };
  const set = await providersOf(configurationText({ ...SMS, limits }, MAIL, twilio, SMS));
  const [limited, ...others] = set.of('sms');
  expect(others.map(({ name }) => name)).toEqual(['twilio', 'one#2']);
  expect([limited?.admit().kind, limited?.admit().kind]).toEqual(['go', 'wait']);
  await limited?.send(anSms(), NEVER);
  expect(limited?.admit()).toMatchObject({ kind: 'open', code: 'provider-closed' });
  expect(limited?.health()).toEqual({ status: 'degraded', reason: 'circuit-open:provider-closed' });
});

async function identities(...entries: readonly object[]) {
  const set = await providersOf(configurationText(MAIL, ...entries));
  expect(set.of('email').map(({ name }) => name)).toEqual(['SMTP']);
  return set.of('sms').map(({ identity }) => identity);
}

it('providers are those of the channel, and are known by their settings, also after a restart', async () => {
  const [one = '', two] = await identities(SMS, { ...SMS, authentication: { key: 'k' } });
  expect(one).toMatch(/^[0-9a-f]{8}$/);
  expect(two).not.toBe(one);
  expect(await identities(SMS)).toEqual([one]);
});

it('a configuration is read up to 1 MiB, and rejected with every fault that it has', async () => {
  await providersOf(configurationText(SMS).padEnd(1_048_576));
  const privateKey = String(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  const signed = { ...MAIL, smtp: { dkim: { domainName: 'bank.example', keySelector: 's1', privateKey } } };
  const fault = String.raw`\]: the DKIM private key must be an RSA key`;
  for (const [text, message] of [
    [configurationText(SMS).padEnd(1_048_577), 'cannot be read'],
    ['', 'cannot be read'],
    [
      configurationText({ ...SMS, url: 's3cr3t' }),
      /^(?!.*s3cr3t).*provider-configurations\[0\].url: must be a URL/s,
    ],
    [configurationText(signed, SMS, signed), new RegExp(`0${fault}.*2${fault}`, 's')],
  ] as const)
    await expect(providersOf(text)).rejects.toThrow(message);
});

it('without a configuration a folder is needed that can be written', async () => {
  const folder = scratchFolder();
  writeFileSync(path.join(folder, 'outbox'), 'a file instead of the folder');
  const words = /^the local outbox .*EEXIST.*DATA_DIR.*NOTIFICATION_CONFIG_FILE/;
  await expect(providersOf(undefined, folder)).rejects.toThrow(words);
});

it('without a configuration both channels are written to the outbox', async () => {
  const set = await providersOf();
  for (const message of [anSms(), anEmail()]) {
    const [provider] = set.of(message.channel);
    expect(await provider?.send(message, NEVER)).toEqual({ kind: 'sent', providerMessageId: message.id });
    expect([provider?.isIdempotent, provider?.identity]).toEqual([true, undefined]);
  }
});
