import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import {
  type ProviderEntry,
  configurationError,
  readProviderConfiguration,
} from '../../../shared/notification/provider-configuration.ts';
import { smtpSettings, type SmtpSettings } from '../../../workers/notification/providers/smtp-provider.ts';

/** Long enough not to expire on a busy machine. */
const SMTP_TIMEOUT_MS = 20_000;
const FOLDER = path.resolve(import.meta.dirname, '../../../docs/providers');

export function configurationText(...providers: readonly object[]): string {
  return JSON.stringify({
    notificationConfigurations: [{ realmId: 'platrealm', 'provider-configurations': providers }],
  });
}

/** The secret in the address at which the counting provider reports. */
export const COUNTING_SECRET = 'a-secret-of-the-counting-provider';

export function countingProviderFile(folder: string, origin: string): string {
  const file = path.join(folder, 'providers.json');
  const entry = {
    url: `${origin}/sms`,
    provider: 'counting',
    'communication-channel': 'sms',
    'payload-template': { id: 'ID_PLACEHOLDER', to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' },
    defaultSender: 'Bank',
    receipts: {
      kind: 'path',
      key: COUNTING_SECRET,
      id: '/id',
      status: ['/state'],
      states: { delivered: 'delivered' },
    },
  };
  writeFileSync(file, configurationText(entry));
  return file;
}

export function entriesOf(text: string): readonly ProviderEntry[] {
  const read = readProviderConfiguration(text);
  if (read.kind === 'invalid') throw configurationError(read.faults);
  return read.providers;
}

export function httpEntry(fields: Readonly<Record<string, unknown>>): ProviderEntry {
  const [entry] = entriesOf(
    configurationText({
      url: 'http://127.0.0.1:1/send',
      provider: 'example',
      'communication-channel': 'sms',
      'payload-template': { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' },
      ...fields,
    }),
  );
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

export function smtpSettingsOf(port: number, changes: Partial<SmtpSettings> = {}): SmtpSettings {
  const url = `smtp://127.0.0.1:${port}`;
  const entry = httpEntry({ provider: 'SMTP', url, 'communication-channel': 'email' });
  return { ...smtpSettings(entry, SMTP_TIMEOUT_MS), ...changes };
}

export function readyText(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8');
}

export function readyEntry(
  file: string,
  which: { readonly provider: string; readonly channel: Channel },
  at: { readonly origin: string; readonly authentication: object; readonly parameters?: object },
): ProviderEntry {
  const configuration = JSON.parse(readyText(file)) as {
    notificationConfigurations: { 'provider-configurations': Record<string, unknown>[] }[];
  };
  const shipped = configuration.notificationConfigurations[0]?.['provider-configurations'].find(
    (entry) => entry['provider'] === which.provider && entry['communication-channel'] === which.channel,
  );
  if (shipped === undefined) throw new Error(`${file} has no ${which.provider} for ${which.channel}`);
  const connector = shipped['connector'] as { parameters?: object };
  return httpEntry({
    ...shipped,
    url: String(shipped['url']).replace(/^https?:\/\/[^/]+/, at.origin),
    authentication: at.authentication,
    connector: { ...connector, ...(at.parameters === undefined ? {} : { parameters: at.parameters }) },
  });
}
