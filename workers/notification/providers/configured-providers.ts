import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
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
import { assertNever, ConfigError, errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { type GuardHooks, guard } from './guarded-provider.ts';

const MAX_FILE_BYTES = 1_048_576;
/** Interval at which the file is checked. Secrets are mounted through symbolic links, which file watchers lose. */
const POLL_MS = 2_000;
/** Part of the records of unknown outcomes: enough to distinguish settings, too little to guess credentials by. */
const IDENTITY_DIGITS = 8;
const READY: Health = { status: 'ready' };
/** A round of delivery may still use providers that were replaced; after this time and all its time-outs, none does. */
const RETIRE_MS = 60_000;

export interface ProviderSource {
  /** Undefined: all messages go to the local outbox. */
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
  /** Degraded while the file is invalid (the previous providers stay in force) or a provider is set aside. */
  health(): Health;
  /** Degraded while the file is invalid. */
  fileHealth(): Health;
  /** Stops checking the file, lets calls in progress end, closes all connections. Idempotent. */
  close(): Promise<void>;
}

interface Built {
  readonly entries: ReadonlyMap<string, GuardedProvider>;
  readonly hash: string;
}

/**
 * Creates the providers in the order of the configuration file (N2), or the outbox for both channels without a file. A
 * changed file takes effect within seconds, without a restart; providers whose entries did not change are kept. An invalid
 * file changes nothing: its faults are logged once, by paths. Rejects with ConfigError when the first file is invalid, or
 * when the outbox cannot be written.
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
    deps.log.warn(
      { faults: lines },
      'the provider configuration is invalid; the previous one stays in force',
    );
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
    deps.log.info({ providers: namesOf(current) }, 'the provider configuration was reloaded');
  };
  const lookSafely = (): Promise<void> =>
    look().catch(() => deps.log.error('the provider configuration cannot be checked'));
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
      // Only our own texts may be reported; those of a library may contain a part of a key.
      const message =
        error instanceof ConfigError ? errorText(error) : 'cannot be created from these settings';
      faults.push({ path: entry.path, message });
    }
  }
  if (faults.length === 0) return { kind: 'built', entries, hash: file.hash };
  await Promise.all(made.map((provider) => provider.close()));
  return { kind: 'invalid', faults };
}

function guarded(provider: Provider, entry: ProviderEntry, deps: ProviderDeps): GuardedProvider {
  const { ratePerSecond, breaker } = entry.settings.limits;
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

/** Equal for equal entries; a hash, so that keys contain no credentials. */
function identityOf({ name, channel, defaultSender, settings }: ProviderEntry): string {
  return createHash('sha256')
    .update(JSON.stringify([name, channel, defaultSender ?? null, settings]))
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

/**
 * Creates the provider of one entry; its client is loaded only now. `timeoutMs` limits a call, as leases are computed from
 * it; the entry may name a shorter one. Rejects with ConfigError.
 */
export async function makeProvider(
  entry: ProviderEntry,
  deps: { readonly clock: Clock; readonly timeoutMs: number },
): Promise<Provider> {
  switch (entry.kind) {
    case 'smtp': {
      const { createSmtpProvider, smtpSettings } = await import('./mail/smtp-provider.ts');
      return createSmtpProvider(smtpSettings(entry, deps.timeoutMs), deps);
    }
    case 'twilio': {
      const { createTwilioProvider, twilioSettings } = await import('./sms/twilio-provider.ts');
      return createTwilioProvider(twilioSettings(entry, deps.timeoutMs), deps);
    }
    case 'http': {
      const { createHttpConnector } = await import('./http/http-connector.ts');
      return createHttpConnector(entry, deps);
    }
    default:
      return assertNever(entry.kind);
  }
}

/** The text of a file; its hash changes with it. */
type FileText =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'unreadable'; readonly hash: 'unreadable' };

/** Contents decide, not times: a replaced link may lead to an older file. */
async function readFileText(file: string): Promise<FileText> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) return { kind: 'unreadable', hash: 'unreadable' };
    const text = await readFile(file, 'utf8');
    return { kind: 'text', text, hash: createHash('sha256').update(text).digest('hex') };
  } catch {
    return { kind: 'unreadable', hash: 'unreadable' };
  }
}

/** Runs `look` again and again, each time `everyMs` after the previous one has ended. It must not reject. */
function startPolling(look: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = look().finally(schedule);
    }, everyMs);
    timer.unref();
  };
  schedule();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

interface Retirement {
  add(providers: readonly Provider[]): void;
  /** Closes all that still wait, and waits for that. */
  closeAll(): Promise<void>;
}

/** Closes replaced providers when no round of delivery can use them any more. */
function createRetirement(afterMs: number): Retirement {
  const waiting = new Set<Provider>();
  return {
    add: (providers) => {
      for (const provider of providers) {
        waiting.add(provider);
        const timer = setTimeout(() => {
          if (waiting.delete(provider)) provider.close().catch(() => undefined);
        }, afterMs);
        timer.unref();
      }
    },
    closeAll: async () => {
      const providers = [...waiting];
      waiting.clear();
      await Promise.all(providers.map((provider) => provider.close()));
    },
  };
}
