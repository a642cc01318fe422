import { readFileSync } from 'node:fs';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';

/** Says whether requests of a channel may omit the sender (N3). Undefined if the channel has no provider. */
export type ChannelProfiles = (channel: Channel) => { readonly hasDefaultSender: boolean } | undefined;

/** Reads the provider configuration, or rejects with ConfigError. Without a file all channels have a default sender. */
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
