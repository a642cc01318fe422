import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Channel } from '../../../shared/notification/command.ts';
import type { GuardedProvider, Provider, Providers } from '../../../shared/notification/provider.ts';
import type {
  ConfigurationFault,
  ProviderEntry,
} from '../../../shared/notification/provider-configuration.ts';
import { openOutboxFolder } from '../../../shared/notification/outbox-folder.ts';
import { assertNever, ConfigError, errorText } from '../../../shared/platform/errors.ts';
import type { Log } from '../../../shared/platform/log.ts';
import type { Health } from '../../../shared/platform/health.ts';
import type { SystemPorts } from '../../../shared/platform/system-ports.ts';
import { type GuardHooks, guard } from './guarded-provider.ts';

const MAX_FILE_BYTES = 1_048_576;
/** Interval of the checks of the file. File watchers do not follow the symbolic links of mounted secrets. */
const POLL_MS = 2_000;
/** Stored with unknown outcomes: enough to distinguish settings, too few to guess credentials. */
const IDENTITY_DIGITS = 8;
const READY: Health = { status: 'ready' };
/** Added to the timeouts of a round of delivery, which may still use providers that were replaced. */
const RETIRE_MS = 60_000;

export interface ProviderSource {
  /** Undefined: all messages go to the local outbox. */
  readonly configFile: string | undefined;
  readonly outboxFolder: string;
  /** Time limit of one call; the configuration may set shorter ones. */
  readonly sendTimeoutMs: number;
}

export interface ProviderDeps extends Pick<SystemPorts, 'clock' | 'monotonic' | 'timers' | 'newId'> {
  readonly log: Log;
  /** Observers of one provider, for metrics and logs. */
  readonly hooks?: (provider: { readonly name: string; readonly channel: Channel }) => GuardHooks;
}

export interface ProviderSet extends Providers {
  /** Degraded while the file is invalid (the previous providers are kept) or a circuit breaker is open. */
  health(): Health;
  /** Degraded while the file is invalid. */
  fileHealth(): Health;
  /** Stops checking the file, waits for the calls in progress, closes all connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Creates the providers in the order of the configuration file (N2), or the outbox for both channels without a file.
 * A changed file takes effect within seconds, without a restart; providers of unchanged entries are kept. An invalid
 * file is ignored, and its faults are logged once, by paths. Rejects with ConfigError when the file is invalid at
 * startup, or the outbox cannot be written.
 */
export async function createProviders(source: ProviderSource, deps: ProviderDeps): Promise<ProviderSet> {
  const { configFile } = source;
  if (configFile === undefined) return new ConfiguredProviders(await openOutbox(source, deps), source, deps);
  const file = await readFileText(configFile);
  if (file === undefined) throw new ConfigError('the file of NOTIFICATION_CONFIG_FILE cannot be read');
  const built = await build(file.text, new Map(), { source, deps });
  if (built.kind === 'invalid') {
    const { configurationError } = await loadReader();
    throw configurationError(built.faults);
  }
  return new ConfiguredProviders(built.entries, source, deps, file.hash);
}

interface FileText {
  readonly text: string;
  readonly hash: string;
}

type Entries = ReadonlyMap<string, GuardedProvider>;

class ConfiguredProviders implements ProviderSet {
  readonly #source: ProviderSource;
  readonly #deps: ProviderDeps;
  /** Replaced providers that a round of delivery may still use, with the cancel functions of their timers. */
  readonly #retired = new Map<Provider, () => void>();
  #entries: Entries;
  /** Hashes of the current file and of the one that was checked last; undefined: it was unreadable. */
  #hash: string | undefined;
  #checkedHash: string | undefined;
  #fault: string | undefined;
  #check: Promise<void> = Promise.resolve();
  #cancelCheck: (() => void) | undefined;
  #isClosed = false;

  constructor(entries: Entries, source: ProviderSource, deps: ProviderDeps, hash?: string) {
    this.#entries = entries;
    this.#source = source;
    this.#deps = deps;
    this.#hash = hash;
    this.#checkedHash = hash;
    if (source.configFile !== undefined) this.#scheduleCheck(source.configFile);
  }

  of(channel: Channel): readonly GuardedProvider[] {
    return [...this.#entries.values()].filter((provider) => provider.channel === channel);
  }

  health(): Health {
    if (this.#fault !== undefined) return this.fileHealth();
    for (const provider of this.#entries.values()) {
      const { status, reason = status } = provider.health();
      if (status !== 'ready') return { status, reason: `${nameOf(provider)}: ${reason}` };
    }
    return READY;
  }

  fileHealth(): Health {
    return this.#fault === undefined ? READY : { status: 'degraded', reason: this.#fault };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelCheck?.();
    await this.#check;
    for (const cancel of this.#retired.values()) cancel();
    const all = [...this.#retired.keys(), ...this.#entries.values()];
    await Promise.all(all.map((provider) => provider.close()));
  }

  /** One check at a time, each after a pause. */
  #scheduleCheck(configFile: string): void {
    if (this.#isClosed) return;
    const check = (): void => {
      this.#check = this.#checkFile(configFile)
        .catch(() => this.#deps.log.error('the provider configuration cannot be checked'))
        .finally(() => this.#scheduleCheck(configFile));
    };
    this.#cancelCheck = this.#deps.timers.schedule(check, POLL_MS, 'background');
  }

  async #checkFile(configFile: string): Promise<void> {
    const file = await readFileText(configFile);
    if (file?.hash === this.#checkedHash) return;
    const faults =
      file === undefined ? [{ path: 'file', message: 'must be readable' }] : await this.#reload(file);
    this.#checkedHash = file?.hash;
    const [first] = faults;
    this.#fault = first === undefined ? undefined : `provider-configuration: ${first.path}`;
    if (first === undefined) return;
    const lines = faults.map(({ path, message }) => `${path}: ${message}`);
    const text = 'the provider configuration is invalid; the previous one is kept';
    this.#deps.log.warn({ faults: lines }, text);
  }

  /** Replaces the providers with those of the file, unless they are current. Returns the faults of an invalid file. */
  async #reload({ text, hash }: FileText): Promise<readonly ConfigurationFault[]> {
    if (hash === this.#hash) return [];
    const built = await build(text, this.#entries, { source: this.#source, deps: this.#deps });
    if (built.kind === 'invalid') return built.faults;
    const kept = new Set(built.entries.values());
    for (const provider of this.#entries.values()) if (!kept.has(provider)) this.#retire(provider);
    this.#entries = built.entries;
    this.#hash = hash;
    this.#deps.log.info({ providers: [...kept].map(nameOf) }, 'the provider configuration was reloaded');
    return [];
  }

  /** Closes a replaced provider once no round of delivery can use it. */
  #retire(provider: Provider): void {
    const close = (): void => {
      this.#retired.delete(provider);
      provider.close().catch(() => undefined);
    };
    const afterMs = RETIRE_MS + 2 * this.#source.sendTimeoutMs;
    this.#retired.set(provider, this.#deps.timers.schedule(close, afterMs, 'background'));
  }
}

function nameOf({ channel, name }: Provider): string {
  return `${channel}/${name}`;
}

async function openOutbox({ outboxFolder }: ProviderSource, deps: ProviderDeps): Promise<Entries> {
  const { createOutboxProvider } = await import('./outbox-provider.ts');
  try {
    await openOutboxFolder(outboxFolder).prepare();
  } catch (error) {
    throw new ConfigError(
      `the local outbox ${outboxFolder} cannot be written (${errorText(error)}); set a DATA_DIR that this user may ` +
        'write to, or providers by NOTIFICATION_CONFIG_FILE',
    );
  }
  const entries = (['sms', 'email'] as const).map((channel) => {
    const provider = createOutboxProvider({ name: 'outbox', channel, folder: outboxFolder }, deps);
    return [channel, guard(provider, { hooks: deps.hooks?.(provider) }, deps.monotonic)] as const;
  });
  return new Map(entries);
}

/** Loaded only for a configuration file. */
const loadReader = () => import('../../../shared/notification/provider-configuration.ts');

type BuildResult =
  | { readonly kind: 'built'; readonly entries: Entries }
  | { readonly kind: 'invalid'; readonly faults: readonly ConfigurationFault[] };

async function build(
  text: string,
  before: Entries,
  { source, deps }: { readonly source: ProviderSource; readonly deps: ProviderDeps },
): Promise<BuildResult> {
  const { readProviderConfiguration } = await loadReader();
  const read = readProviderConfiguration(text);
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
      const provider = await makeProvider(entry, { ...deps, timeoutMs: source.sendTimeoutMs });
      made.push(provider);
      entries.set(key, guarded(provider, entry, deps));
    } catch (error) {
      // Only error messages of this project are reported; those of a library may contain a part of a key.
      const message =
        error instanceof ConfigError ? errorText(error) : 'cannot be created from these settings';
      faults.push({ path: entry.path, message });
    }
  }
  if (faults.length === 0) return { kind: 'built', entries };
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
    deps.monotonic,
  );
}

/** A hash that is equal for equal entries and does not contain credentials. */
function identityOf({ name, channel, defaultSender, settings }: ProviderEntry): string {
  return createHash('sha256')
    .update(JSON.stringify([name, channel, defaultSender ?? null, settings]))
    .digest('hex');
}

/**
 * Creates the provider of one entry and loads its client. `timeoutMs` is the maximum duration of a call, from which leases
 * are computed; the entry may set a shorter one. Rejects with ConfigError.
 */
export async function makeProvider(
  entry: ProviderEntry,
  deps: Pick<SystemPorts, 'clock' | 'newId'> & { readonly timeoutMs: number },
): Promise<Provider> {
  switch (entry.kind) {
    case 'smtp': {
      const { createSmtpProvider, smtpSettings } = await import('./mail/smtp-provider.ts');
      return createSmtpProvider(smtpSettings(entry, deps.timeoutMs), deps);
    }
    case 'twilio': {
      const { createTwilioProvider } = await import('./sms/twilio-provider.ts');
      return createTwilioProvider(entry, deps);
    }
    case 'http': {
      const { createHttpConnector } = await import('./http/http-connector.ts');
      return createHttpConnector(entry, deps);
    }
    default:
      return assertNever(entry.kind);
  }
}

/** The text of a file; undefined when it cannot be read. Compared by hash, since a new link may lead to an older file. */
async function readFileText(file: string): Promise<FileText | undefined> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) return undefined;
    const text = await readFile(file, 'utf8');
    return { text, hash: createHash('sha256').update(text).digest('hex') };
  } catch {
    return undefined;
  }
}
