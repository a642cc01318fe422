import { readFileSync } from 'node:fs';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';

/** Says of a channel whether requests may omit the sender (N3); undefined if no provider is configured for it. */
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
