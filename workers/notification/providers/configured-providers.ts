import { createHash } from 'node:crypto';
import type { Channel } from '../../../shared/notification/command.ts';
import type { GuardedProvider, Provider, Providers } from '../../../shared/notification/provider.ts';
import {
  type ConfigurationFault,
  type ProviderEntry,
  configurationError,
  readProviderConfiguration,
} from '../../../shared/notification/provider-configuration.ts';
import { openOutboxFolder } from '../../../shared/notification/outbox-folder.ts';
import { monotonicClock, type Clock } from '../../../shared/platform/clock.ts';
import { ConfigError, errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { type FileText, readFileText, startPolling } from './configuration-file.ts';
import { type GuardHooks, guard } from './guarded-provider.ts';
import { makeProvider } from './make-provider.ts';
import { createRetirement } from './retire-providers.ts';

/** How soon a changed file counts. Secrets are mounted through symbolic links, which file watchers lose. */
const POLL_MS = 2_000;
/** Stands on the log beside unknown outcomes: enough to tell settings apart, too little to guess credentials by. */
const IDENTITY_DIGITS = 8;
const READY: Health = { status: 'ready' };
/** A round of delivery may still hold providers that were replaced; after so long, and all its time-outs, it does not. */
const RETIRE_MS = 60_000;

export interface ProviderSource {
  /** Undefined: everything goes to the local outbox. */
  readonly configFile: string | undefined;
  readonly outboxFolder: string;
  /** Of one call; the configuration may name shorter ones. */
  readonly sendTimeoutMs: number;
}

export interface ProviderDeps {
  readonly log: Log;
  readonly clock: Clock;
  /** For metrics and logs of one provider. */
  readonly hooks?:
    | ((provider: { readonly name: string; readonly channel: Channel }) => GuardHooks)
    | undefined;
  readonly pollMs?: number | undefined;
  readonly retireMs?: number | undefined;
}

/** The providers in force. */
export interface ProviderSet extends Providers {
  /** Degraded while the file is not right (the providers before it stay in force) or a provider is set aside. */
  health(): Health;
  /** Of the file alone. */
  fileHealth(): Health;
  /** Stops looking at the file; lets what is under way end; closes all connections. Idempotent. */
  close(): Promise<void>;
}

interface Built {
  readonly entries: ReadonlyMap<string, GuardedProvider>;
  readonly hash: string;
}

/**
 * Makes the providers in the order of the configuration file (N2), or the outbox for both channels where there is none.
 * A changed file counts within seconds, without a restart; providers whose entries did not change stay as they are. A file
 * that is wrong changes nothing: it is told once, by paths. Rejects with ConfigError when the first one is wrong, or when the
 * outbox cannot be written.
 */
export async function createProviders(source: ProviderSource, deps: ProviderDeps): Promise<ProviderSet> {
  const { configFile } = source;
  if (configFile === undefined) return outboxOnly(source, deps);
  const retiring = createRetirement((deps.retireMs ?? RETIRE_MS) + 2 * source.sendTimeoutMs);
  const first = await readFileText(configFile);
  if (first.kind === 'unreadable')
    throw new ConfigError('the file of NOTIFICATION_CONFIG_FILE cannot be read');
  const built = await build(first, new Map(), { source, deps });
  if (built.kind === 'invalid') throw configurationError(built.faults);
  let current: Built = built;
  let seen = first.hash;
  let fault: string | undefined;

  const refuse = (hash: string, faults: readonly ConfigurationFault[]): void => {
    seen = hash;
    fault = `provider-configuration: ${faults[0]?.path ?? 'file'}`;
    const lines = faults.map(({ path, message }) => `${path}: ${message}`);
    deps.log.warn({ faults: lines }, 'the provider configuration is wrong, the one before stays in force');
  };
  const look = async (): Promise<void> => {
    const file = await readFileText(configFile);
    if (file.hash === seen) return;
    if (file.kind === 'unreadable') return refuse(file.hash, [{ path: 'file', message: 'must be readable' }]);
    if (file.hash === current.hash) {
      seen = file.hash;
      fault = undefined;
      return;
    }
    const next = await build(file, current.entries, { source, deps });
    if (next.kind === 'invalid') return refuse(file.hash, next.faults);
    const kept = new Set(next.entries.values());
    retiring.add([...current.entries.values()].filter((provider) => !kept.has(provider)));
    current = next;
    seen = file.hash;
    fault = undefined;
    deps.log.info({ providers: namesOf(current) }, 'the provider configuration was read anew');
  };
  const lookSafely = (): Promise<void> =>
    look().catch(() => deps.log.error('the provider configuration cannot be looked at'));
  const poll = startPolling(lookSafely, deps.pollMs ?? POLL_MS);
  return {
    of: (channel) => [...current.entries.values()].filter((provider) => provider.channel === channel),
    health: () => (fault === undefined ? healthOf(current) : { status: 'degraded', reason: fault }),
    fileHealth: () => (fault === undefined ? READY : { status: 'degraded', reason: fault }),
    close: async () => {
      await poll.stop();
      retiring.add([...current.entries.values()]);
      await retiring.closeAll();
    },
  };
}

async function outboxOnly(source: ProviderSource, deps: ProviderDeps): Promise<ProviderSet> {
  const { createOutboxProvider } = await import('./outbox-provider.ts');
  try {
    await openOutboxFolder(source.outboxFolder).prepare();
  } catch (error) {
    throw new ConfigError(
      `OUTBOX_FOLDER: the local outbox cannot be written (${errorText(error)}); name a folder that this user may ` +
        'write to, or providers by NOTIFICATION_CONFIG_FILE',
    );
  }
  const made = (['sms', 'email'] as const).map((channel) => {
    const provider = createOutboxProvider({ name: 'outbox', channel, folder: source.outboxFolder }, deps);
    return guard(provider, { hooks: deps.hooks?.(provider) }, monotonicClock);
  });
  const built: Built = { entries: new Map(made.map((provider) => [provider.channel, provider])), hash: '' };
  return {
    of: (channel) => made.filter((provider) => provider.channel === channel),
    health: () => healthOf(built),
    fileHealth: () => READY,
    close: async () => {
      await Promise.all(made.map((provider) => provider.close()));
    },
  };
}

type BuildResult =
  | (Built & { readonly kind: 'built' })
  | { readonly kind: 'invalid'; readonly faults: readonly ConfigurationFault[] };

async function build(
  file: FileText & { readonly kind: 'text' },
  before: ReadonlyMap<string, GuardedProvider>,
  { source, deps }: { readonly source: ProviderSource; readonly deps: ProviderDeps },
): Promise<BuildResult> {
  const read = readProviderConfiguration(file.text);
  if (read.kind === 'invalid') return read;
  const entries = new Map<string, GuardedProvider>();
  const made: Provider[] = [];
  const faults: ConfigurationFault[] = [];
  for (const entry of read.configuration.providers) {
    const key = identityOf(entry);
    const kept = before.get(key);
    if (kept !== undefined) {
      entries.set(key, kept);
      continue;
    }
    try {
      const provider = await makeProvider(entry, { clock: deps.clock, timeoutMs: source.sendTimeoutMs });
      made.push(provider);
      entries.set(key, guarded(provider, entry, deps));
    } catch (error) {
      // Only our own words may be told; those of a library may hold a piece of a key.
      const message = error instanceof ConfigError ? errorText(error) : 'cannot be made of these settings';
      faults.push({ path: entry.path, message });
    }
  }
  if (faults.length === 0) return { kind: 'built', entries, hash: file.hash };
  await Promise.all(made.map((provider) => provider.close()));
  return { kind: 'invalid', faults };
}

function guarded(provider: Provider, entry: ProviderEntry, deps: ProviderDeps): GuardedProvider {
  const { ratePerSecond, breaker } = entry.members.limits;
  const { failures, openMs } = breaker ?? {};
  return guard(
    provider,
    {
      ratePerSecond,
      breaker: {
        ...(failures === undefined ? {} : { failureThreshold: failures }),
        ...(openMs === undefined ? {} : { openMs }),
      },
      hooks: deps.hooks?.(provider),
      identity: identityOf(entry).slice(0, IDENTITY_DIGITS),
    },
    monotonicClock,
  );
}

/** Tells whether an entry is the same as before; a hash, so that no credentials lie about in keys. */
function identityOf({ name, channel, defaultSender, members }: ProviderEntry): string {
  return createHash('sha256')
    .update(JSON.stringify([name, channel, defaultSender ?? null, members]))
    .digest('hex');
}

function namesOf({ entries }: Built): readonly string[] {
  return [...entries.values()].map(({ channel, name }) => `${channel}/${name}`);
}

function healthOf({ entries }: Built): Health {
  for (const provider of entries.values()) {
    const { status, reason } = provider.health();
    if (status !== 'ready')
      return { status, reason: `${provider.channel}/${provider.name}: ${reason ?? status}` };
  }
  return READY;
}
