import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Channel } from '../../../shared/notification/notification-command.ts';
import type { GuardedProvider, Provider, Providers } from '../../../shared/notification/provider.ts';
import type {
  ConfigurationFault,
  ProviderEntry,
} from '../../../shared/notification/provider-configuration.ts';
import { openSentMessages } from '../../../shared/notification/sent-messages.ts';
import { assertNever, ConfigError, errorText } from '../../../shared/platform/errors.ts';
import type { Config } from '../../../shared/platform/load-config.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import { type GuardHooks, guard } from './guarded-provider.ts';

const MAX_FILE_BYTES = 1_048_576;
/** Digits stored with unknown outcomes: 32 bits tell settings apart, but are too few to guess credentials from. */
const IDENTITY_DIGITS = 8;

type ProviderSource = Pick<
  Config['notification'],
  'configFile' | 'outboxFolder' | 'sendTimeoutMs' | 'publicUrl'
>;

interface ProviderDeps extends Pick<SystemPorts, 'clock' | 'monotonic'> {
  readonly hooks?: (provider: { readonly name: string; readonly channel: Channel }) => GuardHooks;
}

export interface ProviderSet extends Providers {
  /** Waits for the calls in progress, then closes all connections. Idempotent. */
  close(): Promise<void>;
}

/** Creates the providers in the order of the file (N2) or, without a file, the outbox. Rejects with ConfigError. */
export async function createProviders(source: ProviderSource, deps: ProviderDeps): Promise<ProviderSet> {
  const providers = await (source.configFile === undefined
    ? openOutbox(source.outboxFolder, deps)
    : openConfigured(source.configFile, source, deps));
  return {
    of: (channel) => providers.filter((provider) => provider.channel === channel),
    close: async () => {
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}

async function openOutbox(outboxFolder: string, deps: ProviderDeps) {
  const { createSentMessagesProvider } = await import('./sent-messages-provider.ts');
  try {
    await openSentMessages(outboxFolder).prepare();
  } catch (error) {
    throw new ConfigError(
      `the local outbox ${outboxFolder} cannot be written (${errorText(error)}); set a DATA_DIR that this user may ` +
        'write to, or providers by NOTIFICATION_CONFIG_FILE',
    );
  }
  return (['sms', 'email'] as const).map((channel) => {
    const provider = createSentMessagesProvider({ name: 'outbox', channel, folder: outboxFolder }, deps);
    return guard(provider, { hooks: deps.hooks?.(provider) }, deps.monotonic);
  });
}

async function openConfigured(
  configFile: string,
  { sendTimeoutMs: timeoutMs, publicUrl }: ProviderSource,
  deps: ProviderDeps,
) {
  // Loaded only for a configuration file.
  const { configurationError, readProviderConfiguration } =
    await import('../../../shared/notification/provider-configuration.ts');
  const read = readProviderConfiguration(await readText(configFile));
  if (read.kind === 'invalid') throw configurationError(read.faults);
  const made: GuardedProvider[] = [];
  const faults: ConfigurationFault[] = [];
  for (const entry of read.providers) {
    try {
      const provider = await makeProvider(entry, { ...deps, timeoutMs, publicUrl });
      const about = { hooks: deps.hooks?.(provider), identity: identityOf(entry) };
      made.push(guard(provider, { ...entry.settings.limits, ...about }, deps.monotonic));
    } catch (error) {
      // Only error messages of this project are reported. Messages of a library may contain a part of a key.
      const message =
        error instanceof ConfigError ? errorText(error) : 'cannot be created from these settings';
      faults.push({ path: entry.path, message });
    }
  }
  if (faults.length === 0) return made;
  await Promise.all(made.map((provider) => provider.close()));
  throw configurationError(faults);
}

function identityOf({ name, channel, defaultSender, settings }: ProviderEntry): string {
  return createHash('sha256')
    .update(JSON.stringify([name, channel, defaultSender ?? null, settings]))
    .digest('hex')
    .slice(0, IDENTITY_DIGITS);
}

/** `timeoutMs` limits a call, and leases are computed from it. The entry may set a shorter limit. */
export async function makeProvider(
  entry: ProviderEntry,
  deps: Pick<SystemPorts, 'clock'> & { readonly timeoutMs: number; readonly publicUrl?: string | undefined },
): Promise<Provider> {
  switch (entry.kind) {
    case 'smtp': {
      const { createSmtpProvider, smtpSettings } = await import('./smtp-provider.ts');
      return createSmtpProvider(smtpSettings(entry, deps.timeoutMs), deps);
    }
    case 'twilio': {
      const { createTwilioProvider } = await import('./twilio-provider.ts');
      return createTwilioProvider(entry, deps);
    }
    case 'http': {
      const { createHttpConnector } = await import('./http-provider.ts');
      return createHttpConnector(entry, deps);
    }
    default:
      return assertNever(entry.kind);
  }
}

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size <= MAX_FILE_BYTES) return await readFile(file, 'utf8');
  } catch {
    // The error below covers this case.
  }
  throw new ConfigError('the file of NOTIFICATION_CONFIG_FILE cannot be read, or has more than 1 MiB');
}
