import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Channel } from '../../../shared/notification/command.ts';
import { ConfigError, errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { repeat, type Timers } from '../../../shared/platform/timers.ts';

/** Which channels have a provider, and whether a request may omit the sender (N3). */
export interface ChannelProfiles {
  /** Undefined: no provider is configured for the channel. */
  of(channel: Channel): { readonly hasDefaultSender: boolean } | undefined;
  health(): Health;
  close(): void;
}

/** The file is polled, since secrets are mounted through symbolic links, which file watchers do not follow. */
const POLL_MS = 2_000;
const READY: Health = { status: 'ready' };

/** Without a provider configuration the local outbox accepts everything and has a default sender. */
const OUTBOX: ChannelProfiles = {
  of: () => ({ hasDefaultSender: true }),
  health: () => READY,
  close: () => undefined,
};

/**
 * Reads the provider configuration and reloads it when it changes. Rejects with ConfigError when it is invalid at startup. A
 * later invalid one is reported without its values, and the previous one stays in effect.
 */
export async function createChannelProfiles(options: {
  readonly configFile: string | undefined;
  readonly log: Log;
  readonly timers: Timers;
  readonly pollMs?: number;
}): Promise<ChannelProfiles> {
  const { configFile, log, timers, pollMs = POLL_MS } = options;
  if (configFile === undefined) return OUTBOX;
  const { readChannelProfile } = await import('../../../shared/notification/provider-configuration.ts');
  const first = readFile(configFile);
  let profile = readChannelProfile(first.text);
  let health = READY;
  /** Hash of the last text, so that an unchanged invalid file is reported once. */
  let { hash } = first;
  let isValid = true;
  const check = (): void => {
    try {
      const file = readFile(configFile);
      if (file.hash !== hash) {
        ({ hash } = file);
        isValid = false;
        profile = readChannelProfile(file.text);
        isValid = true;
        log.info('the provider configuration was reloaded');
      }
      if (isValid) health = READY;
    } catch (error) {
      if (health !== READY) return;
      health = {
        status: 'degraded',
        reason: 'the provider configuration is invalid; the previous one stays in effect',
      };
      log.warn({ reason: errorText(error) }, 'the new provider configuration was not applied');
    }
  };
  const stopChecks = repeat(timers, check, pollMs, 'background');
  return {
    of: (channel) => {
      const known = profile.channels[channel];
      return known === undefined ? undefined : { hasDefaultSender: known.defaultSender !== undefined };
    },
    health: () => health,
    close: stopChecks,
  };
}

function readFile(file: string): { readonly text: string; readonly hash: string } {
  try {
    const bytes = readFileSync(file);
    return { text: bytes.toString(), hash: createHash('sha256').update(bytes).digest('base64') };
  } catch {
    throw new ConfigError('NOTIFICATION_CONFIG_FILE: the file cannot be read');
  }
}
