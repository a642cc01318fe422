import { readFileSync } from 'node:fs';
import {
  emailReader,
  smsReader,
  type NotificationReader,
} from '../../../shared/api/notification/read-command.ts';
import type { TopicKey } from '../../../shared/messaging/topics/topic-list.ts';
import type {
  Channel,
  EmailCommand,
  Priority,
  SmsCommand,
} from '../../../shared/notification/notification-command.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';

/** How the notifications of a channel are requested and published (interface 4.8). */
export interface ChannelContract {
  readonly channel: Channel;
  /** The value of X-Communication-Channel. */
  readonly number: string;
  /** Record name of its command in schemas/messages.ts. */
  readonly commandType: string;
  /** The topics of its commands, by priority. */
  readonly topics: Readonly<Record<Priority, TopicKey>>;
  readonly reader: NotificationReader<SmsCommand | EmailCommand>;
}

export const CHANNELS: Readonly<Record<Channel, ChannelContract>> = {
  sms: {
    channel: 'sms',
    number: '1',
    commandType: 'SendSmsCommand',
    topics: { normal: 'smsCommands', urgent: 'smsUrgentCommands' },
    reader: smsReader,
  },
  email: {
    channel: 'email',
    number: '2',
    commandType: 'SendEmailCommand',
    topics: { normal: 'emailCommands', urgent: 'emailUrgentCommands' },
    reader: emailReader,
  },
};

/** Whether a request of a channel may omit the sender (N3); undefined: no provider is configured for it. */
export type ChannelProfiles = (channel: Channel) => { readonly hasDefaultSender: boolean } | undefined;

/**
 * Reads the provider configuration. Rejects with ConfigError when it is invalid. Without one the local outbox accepts everything
 * and has a default sender.
 */
export async function readChannelProfiles(configFile: string | undefined): Promise<ChannelProfiles> {
  if (configFile === undefined) return () => ({ hasDefaultSender: true });
  const { readChannelProfile } = await import('../../../shared/notification/provider-configuration.ts');
  const { channels } = readChannelProfile(readText(configFile));
  return (channel) => {
    const known = channels[channel];
    return known === undefined ? undefined : { hasDefaultSender: known.defaultSender !== undefined };
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError('NOTIFICATION_CONFIG_FILE: the file cannot be read');
  }
}
