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

/**
 * Creates the providers in the order of the configuration file (N2), or the outbox for both channels without a file. A
 * changed file takes effect within seconds, without a restart; providers whose entries did not change are kept. An invalid
 * file changes nothing: its faults are logged once, by paths. Rejects with ConfigError when the first file is invalid, or
 * when the outbox cannot be written.
 */
export async function createProviders(source: ProviderSource, deps: ProviderDeps): Promise<ProviderSet> {
  const { configFile } = source;
  if (configFile === undefined) return new ConfiguredProviders(await openOutbox(source, deps), source, deps);
  const file = await readFileText(configFile);
  if (file === undefined) throw new ConfigError('the file of NOTIFICATION_CONFIG_FILE cannot be read');
  const built = await build(file.text, new Map(), { source, deps });
  if (built.kind === 'invalid') throw configurationError(built.faults);
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
  /** Replaced providers that a round of delivery may still use. */
  readonly #retired = new Set<Provider>();
  #entries: Entries;
  /** Hashes of the file in force and of the one that was checked last; undefined: it was unreadable. */
  #hash: string | undefined;
  #checkedHash: string | undefined;
  #fault: string | undefined;
  #check: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
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
    clearTimeout(this.#timer);
    await this.#check;
    await Promise.all([...this.#retired, ...this.#entries.values()].map((provider) => provider.close()));
  }

  /** One check at a time, each after a pause. */
  #scheduleCheck(configFile: string): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#check = this.#checkFile(configFile)
        .catch(() => this.#deps.log.error('the provider configuration cannot be checked'))
        .finally(() => this.#scheduleCheck(configFile));
    }, this.#deps.pollMs ?? POLL_MS);
    this.#timer.unref();
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
    const text = 'the provider configuration is invalid; the previous one stays in force';
    this.#deps.log.warn({ faults: lines }, text);
  }

  /** Puts the providers of the file in force, unless they are; the faults of an invalid file. */
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

  /** Closes a replaced provider when no round of delivery can use it any more. */
  #retire(provider: Provider): void {
    this.#retired.add(provider);
    const afterMs = (this.#deps.retireMs ?? RETIRE_MS) + 2 * this.#source.sendTimeoutMs;
    const timer = setTimeout(() => {
      if (this.#retired.delete(provider)) provider.close().catch(() => undefined);
    }, afterMs);
    timer.unref();
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
      `OUTBOX_FOLDER: the local outbox cannot be written (${errorText(error)}); name a folder that this user may ` +
        'write to, or providers by NOTIFICATION_CONFIG_FILE',
    );
  }
  const entries = (['sms', 'email'] as const).map((channel) => {
    const provider = createOutboxProvider({ name: 'outbox', channel, folder: outboxFolder }, deps);
    return [channel, guard(provider, { hooks: deps.hooks?.(provider) }, monotonicClock)] as const;
  });
  return new Map(entries);
}

type BuildResult =
  | { readonly kind: 'built'; readonly entries: Entries }
  | { readonly kind: 'invalid'; readonly faults: readonly ConfigurationFault[] };

async function build(
  text: string,
  before: Entries,
  { source, deps }: { readonly source: ProviderSource; readonly deps: ProviderDeps },
): Promise<BuildResult> {
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
    monotonicClock,
  );
}

/** Equal for equal entries; a hash, so that keys contain no credentials. */
function identityOf({ name, channel, defaultSender, settings }: ProviderEntry): string {
  return createHash('sha256')
    .update(JSON.stringify([name, channel, defaultSender ?? null, settings]))
    .digest('hex');
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

/** The text of a file; undefined when it cannot be read. Contents decide, not times: a new link may lead to an older file. */
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
