import { readFileSync } from 'node:fs';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import { ConfigError } from '../../../shared/platform/errors.ts';
import type { ReceiptSource } from '../../../shared/notification/provider-configuration.ts';

/** Says whether requests of a channel may omit the sender (N3). Undefined if the channel has no provider. */
export type ChannelProfiles = (
  channel: Channel,
) => { readonly hasDefaultSender: boolean; readonly makesCodes?: boolean } | undefined;

export interface ProviderFacts {
  readonly channelProfiles: ChannelProfiles;
  readonly receiptSources: readonly ReceiptSource[];
}

/** Reads the provider configuration, or rejects with ConfigError. Without a file all channels have a default sender. */
export async function readProviderFacts(
  configFile: string | undefined,
  publicUrl?: string,
): Promise<ProviderFacts> {
  if (configFile === undefined)
    return { channelProfiles: () => ({ hasDefaultSender: true }), receiptSources: [] };
  const { readChannelProfile } = await import('../../../shared/notification/provider-configuration.ts');
  const { channels, codeChannels, receiptSources } = readChannelProfile(readText(configFile), publicUrl);
  const channelProfiles: ChannelProfiles = (channel) =>
    channels[channel] && { ...channels[channel], makesCodes: codeChannels.includes(channel) };
  return { channelProfiles, receiptSources };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError('NOTIFICATION_CONFIG_FILE: the file cannot be read');
  }
}
