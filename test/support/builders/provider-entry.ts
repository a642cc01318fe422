import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Channel, EmailCommand, Outbound, SmsCommand } from '../../../shared/notification/command.ts';
import {
  type ProviderEntry,
  configurationError,
  readProviderConfiguration,
} from '../../../shared/notification/provider-configuration.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/providers');
/** A notificationId. */
export const ID = '5b1f6b1e-2f5c-4a8e-9a44-0d9f5f0c7a11';

/** The text of a configuration file with these providers. */
export function configurationText(...providers: readonly object[]): string {
  return JSON.stringify({
    notificationConfigurations: [{ realmId: 'platrealm', 'provider-configurations': providers }],
  });
}

/** The entries of a configuration that is right. */
export function entriesOf(text: string): readonly ProviderEntry[] {
  const read = readProviderConfiguration(text);
  if (read.kind === 'invalid') throw configurationError(read.faults);
  return read.configuration.providers;
}

/** One provider with what every one needs, and these members. */
export function httpEntry(members: Readonly<Record<string, unknown>>): ProviderEntry {
  const [entry] = entriesOf(
    configurationText({
      url: 'http://127.0.0.1:1/send',
      provider: 'example',
      'communication-channel': 'sms',
      'payload-template': { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' },
      ...members,
    }),
  );
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

/** The text of a ready configuration as it is shipped. */
export function readyText(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8');
}

/** A shipped provider, at another host and with other credentials; path, template and connector as shipped. */
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

/** An SMS as a provider gets it. */
export function anSms(members: Partial<SmsCommand> = {}): Outbound {
  return {
    channel: 'sms',
    id: ID,
    notificationId: ID,
    sender: undefined,
    receiver: '+40722123456',
    message: 'Your card was used for 12.50 EUR.',
    ...members,
  };
}

/** An e-mail as a provider gets it. */
export function anEmail(members: Partial<EmailCommand> = {}): Outbound {
  return {
    channel: 'email',
    id: ID,
    notificationId: ID,
    sender: undefined,
    receiver: 'customer@example.com',
    cc: [],
    bcc: [],
    subject: 'Your statement',
    message: 'Please find it attached.',
    contentType: 'text/plain',
    attachments: [],
    ...members,
  };
}
