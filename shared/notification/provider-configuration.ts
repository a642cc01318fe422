/** Reads the provider configuration (interface 4.8, N1). */

import type { z } from 'zod';
import { ConfigError } from '../platform/errors.ts';
import { parseJson } from '../platform/parse-json.ts';
import type { Fault } from '../platform/problem.ts';
import type { Channel } from './notification-command.ts';
import type { FaultReporter, TemplateObject } from './payload-template.ts';
import { receiptAddress } from './receipt-address.ts';
import {
  checkProvider,
  FILE_SHAPE,
  kindOfProvider,
  PROVIDER_SHAPE,
  type ProviderKind,
  type ProviderSettings,
  type ReceiptSettings,
} from './provider-settings.ts';

export interface ProviderEntry {
  /** As in the file. A name that is repeated within a channel gets the suffix `#2` and so on. */
  readonly name: string;
  readonly channel: Channel;
  readonly kind: ProviderKind;
  /** The provider's own, or that of the first provider of the channel that has one (N3). */
  readonly defaultSender: string | undefined;
  readonly settings: ProviderSettings;
  readonly template: TemplateObject | undefined;
  readonly path: string;
  /** The calls that check and cancel a code, if the provider makes codes (N10). */
  readonly codes: CodeCalls;
}

type CodeCalls = Readonly<Partial<Record<'check' | 'cancel' | 'replace', ReadProvider>>>;

/** A fault of the file. It never contains a value, which may be a secret. */
export interface ConfigurationFault {
  /** Such as `notificationConfigurations[0].provider-configurations[1].url`, or `file` for the whole file. */
  readonly path: string;
  readonly message: string;
}

type ReadConfiguration =
  /** The providers in the order of the file (N2). */
  | { readonly kind: 'configuration'; readonly providers: readonly ProviderEntry[] }
  | { readonly kind: 'invalid'; readonly faults: readonly ConfigurationFault[] };

const LIST = 'notificationConfigurations';
const PROVIDERS = 'provider-configurations';
/** The number of providers is limited, because each has its own connections and timers. */
const MAX_PROVIDERS = 100;

type Path = readonly PropertyKey[];

/** Returns the providers, or the faults, at most one for each path. Never throws. */
export function readProviderConfiguration(text: string): ReadConfiguration {
  const faults: ConfigurationFault[] = [];
  const report: FaultReporter = (path, message) => {
    const shown = pathOf(path);
    if (!faults.some((fault) => fault.path === shown)) faults.push({ path: shown, message });
  };
  const parsed = parseJson(text, { whole: 'file', maxValues: Infinity });
  if (parsed.kind === 'refused') return { kind: 'invalid', faults: parsed.faults.map(asFaultOfFile) };
  const file = FILE_SHAPE.safeParse(parsed.value);
  reportIssues(file.error, [], report);
  const items = (file.data?.[LIST] ?? []).flatMap((realm, at) =>
    realm[PROVIDERS].map((value, index) => ({ value, path: [LIST, at, PROVIDERS, index] })),
  );
  const read = items.flatMap(({ value, path }) => readProvider(value, path, report));
  if (items.length > MAX_PROVIDERS) report([LIST], `must have at most ${MAX_PROVIDERS} providers in total`);
  if (faults.length > 0) return { kind: 'invalid', faults };
  return { kind: 'configuration', providers: entriesOf(read) };
}

/** A provider that reports receipts. Its name is in their address, which is empty where no signature covers it. */
export interface ReceiptSource {
  readonly name: string;
  readonly channel: Channel;
  readonly receipts: ReceiptSettings;
  readonly address: string;
}

/** Returns the channels with a provider, whether one has a default sender (N3), and who reports. Throws ConfigError on faults. */
export function readChannelProfile(text: string, publicUrl?: string) {
  const read = readProviderConfiguration(text);
  if (read.kind === 'invalid') throw configurationError(read.faults);
  const channels: Partial<Record<Channel, { readonly hasDefaultSender: boolean }>> = {};
  for (const { channel, defaultSender, codes } of read.providers)
    if (codes.check === undefined) channels[channel] ??= { hasDefaultSender: defaultSender !== undefined };
  const codeChannels = read.providers.flatMap(({ channel, codes }) => (codes.check ? [channel] : []));
  const receiptSources = read.providers.flatMap(({ name, channel, settings }): ReceiptSource[] => {
    const { receipts } = settings;
    const address = receipts?.kind === 'twilio' ? receiptAddress(publicUrl, name) : '';
    return receipts === undefined ? [] : [{ name, channel, receipts, address }];
  });
  return { channels, codeChannels, receiptSources };
}

export function configurationError(faults: readonly ConfigurationFault[]): ConfigError {
  const lines = faults.map(({ path, message }) => `${path}: ${message}`);
  return new ConfigError(`the provider configuration is invalid:\n  ${lines.join('\n  ')}`);
}

function asFaultOfFile({ path, code, message }: Fault): ConfigurationFault {
  const shown = path.replaceAll(/[^\w.#[\]-]/g, '?');
  return {
    path: shown,
    message: code === 'malformed-json' ? message.replace('is not valid', 'must be') : message,
  };
}

type ReadProvider = Pick<ProviderEntry, 'settings' | 'template' | 'path' | 'codes'>;

function readProvider(value: unknown, path: Path, report: FaultReporter): readonly ReadProvider[] {
  const read = PROVIDER_SHAPE.safeParse(value);
  reportIssues(read.error, path, report);
  if (!read.success) return [];
  const { data: settings } = read;
  const template = checkProvider(settings, (below, message) => report([...path, ...below], message));
  const common = value as ProviderSettings;
  const codes = Object.entries(settings.codes ?? {}).flatMap(([name, own]) => {
    const connector = { ...common.connector, ...(own?.['connector'] as object | undefined) };
    const call = { ...common, ...own, connector, codes: undefined };
    return readProvider(call, [...path, 'codes', name], report).map((made) => [name, made]);
  });
  return [{ settings, template, path: pathOf(path), codes: Object.fromEntries(codes) as CodeCalls }];
}

function reportIssues(error: z.ZodError | undefined, path: Path, report: FaultReporter): void {
  for (const issue of error?.issues ?? []) {
    const at = [...path, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) report([...at, key], 'is not a known setting; correct or remove it');
    } else {
      report(at, issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message);
    }
  }
}

function entriesOf(all: readonly ReadProvider[]): readonly ProviderEntry[] {
  const taken = new Map<string, number>();
  return all.map((read) => {
    const { settings } = read;
    const channel = settings['communication-channel'];
    const seen = `${channel}/${settings.provider.toLowerCase()}`;
    const count = (taken.get(seen) ?? 0) + 1;
    taken.set(seen, count);
    const senders = all
      .filter((other) => other.settings['communication-channel'] === channel)
      .flatMap((other) => senderOf(other.settings) ?? []);
    return {
      ...read,
      name: count === 1 ? settings.provider : `${settings.provider}#${count}`,
      channel,
      kind: kindOfProvider(settings.provider),
      defaultSender: senderOf(settings) ?? senders[0],
    };
  });
}

function senderOf(settings: ProviderSettings): string | undefined {
  return settings.defaultSender ?? settings['default-sender'];
}

/** The path may contain unknown names from the file, so each is sanitised and truncated for a log line. */
function pathOf(path: Path): string {
  const shown = path.map((key) =>
    typeof key === 'number'
      ? `[${key}]`
      : `.${String(key)
          .replaceAll(/[^\w.#-]/g, '?')
          .slice(0, 64)}`,
  );
  return shown.join('').replace(/^\./, '') || 'file';
}
