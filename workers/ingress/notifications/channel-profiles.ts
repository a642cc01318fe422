import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Channel } from '../../../shared/notification/command.ts';
import {
  readChannelProfile,
  type ChannelProfile,
} from '../../../shared/notification/provider-configuration.ts';
import { ConfigError, errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Health } from '../../../shared/platform/health.ts';

/** What the ingress knows of the providers: which channels have one, and whether the sender may be omitted (N3). */
export interface ChannelProfiles {
  /** Undefined: no provider is configured for the channel. */
  of(channel: Channel): { readonly hasDefaultSender: boolean } | undefined;
  health(): Health;
  close(): void;
}

/** A change of the file takes effect within this time; checking it costs nothing. */
const POLL_MS = 2_000;
const READY: Health = { status: 'ready' };

/** Without a provider configuration the local outbox accepts everything and has a default sender. */
const OUTBOX: ChannelProfiles = {
  of: () => ({ hasDefaultSender: true }),
  health: () => READY,
  close: () => undefined,
};

/**
 * Follows the provider configuration. Throws ConfigError when it is wrong at the start; a later one that is wrong is
 * reported without any of its values, and the previous one stays in effect.
 */
export function createChannelProfiles(options: {
  readonly configFile: string | undefined;
  readonly log: Log;
  readonly pollMs?: number;
}): ChannelProfiles {
  const { configFile, log, pollMs = POLL_MS } = options;
  if (configFile === undefined) return OUTBOX;
  let version = readVersion(configFile);
  const { text, hash: firstHash } = readText(configFile);
  let hash = firstHash;
  let profile: ChannelProfile = readChannelProfile(text);
  let health = READY;
  /** Of the text that was read last: it stays wrong however often the file is touched or replaced by the same. */
  let isWrong = false;
  const readAgain = (found: string): void => {
    const changed = readText(configFile);
    version = found;
    if (changed.hash === hash) return;
    hash = changed.hash;
    isWrong = true;
    profile = readChannelProfile(changed.text);
    isWrong = false;
    log.info('the provider configuration was read again');
  };
  const check = (): void => {
    try {
      const found = readVersion(configFile);
      if (found !== version) readAgain(found);
      if (!isWrong) health = READY;
    } catch (error) {
      if (health !== READY) return;
      health = {
        status: 'degraded',
        reason: 'the provider configuration is wrong; the previous one stays in effect',
      };
      log.warn({ reason: errorText(error) }, 'the new provider configuration was not applied');
    }
  };
  const timer = setInterval(check, pollMs).unref();
  return {
    of: (channel) => {
      const known = profile.channels[channel];
      return known === undefined ? undefined : { hasDefaultSender: known.defaultSender !== undefined };
    },
    health: () => health,
    close: () => clearInterval(timer),
  };
}

/** Changes whenever the file is written or replaced, as mounted secrets are. */
function readVersion(file: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    throw unreadable();
  }
}

function readText(file: string): { readonly text: string; readonly hash: string } {
  try {
    const bytes = readFileSync(file);
    return { text: bytes.toString(), hash: createHash('sha256').update(bytes).digest('base64') };
  } catch {
    throw unreadable();
  }
}

function unreadable(): ConfigError {
  return new ConfigError('NOTIFICATION_CONFIG_FILE: the file cannot be read');
}
