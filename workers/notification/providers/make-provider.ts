import type { Provider } from '../../../shared/notification/provider.ts';
import type { ProviderEntry } from '../../../shared/notification/provider-configuration.ts';
import { sampleUrl } from '../../../shared/notification/url-template.ts';
import { isLoopback } from '../../../shared/platform/host-names.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import type { SmtpSettings, TwilioSettings } from './provider-settings.ts';

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
/** Mail servers commonly allow 10 to 20 connections of one client, and 100 messages on each. */
const SMTP_CONNECTIONS = 10;
const SMTP_MESSAGES = 100;

export interface MakeProviderDeps {
  readonly clock: Clock;
  /** Of a call; the configuration may name a shorter one, since leases are made of this. */
  readonly timeoutMs: number;
}

/** Makes what one entry of the configuration describes; clients are loaded only when asked for. Rejects with ConfigError. */
export async function makeProvider(entry: ProviderEntry, deps: MakeProviderDeps): Promise<Provider> {
  switch (entry.kind) {
    case 'smtp': {
      const { createSmtpProvider } = await import('./mail/smtp-provider.ts');
      return createSmtpProvider(smtpSettings(entry, deps.timeoutMs), deps);
    }
    case 'twilio': {
      const { createTwilioProvider } = await import('./sms/twilio-provider.ts');
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

/** What an SMTP entry tells its client. TLS is a must unless the server is on this machine or the entry says otherwise. */
export function smtpSettings(entry: ProviderEntry, timeoutMs: number): SmtpSettings {
  const { url = '', authentication, smtp, limits, allowInsecure } = entry.members;
  const address = new URL(url);
  const secure = address.protocol === 'smtps:';
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    name: entry.name,
    host,
    port: address.port === '' ? (secure ? SMTPS_PORT : SMTP_PORT) : Number(address.port),
    secure,
    requireTls: smtp?.requireTls ?? !(isLoopback(address.hostname) || allowInsecure),
    username: authentication.username,
    password: authentication.password,
    maxConnections: smtp?.maxConnections ?? SMTP_CONNECTIONS,
    maxMessages: smtp?.maxMessages ?? SMTP_MESSAGES,
    timeoutMs: Math.min(limits.timeoutMs ?? timeoutMs, timeoutMs),
    dkim: smtp?.dkim,
    listUnsubscribe: smtp?.listUnsubscribe,
    tls: smtp?.tls,
    defaultSender: entry.defaultSender,
  };
}

/** What a Twilio entry tells its client: the address counts up to its port. */
export function twilioSettings(entry: ProviderEntry, timeoutMs: number): TwilioSettings {
  const { url, authentication, twilio, limits } = entry.members;
  return {
    name: entry.name,
    accountSid: twilio?.accountSid ?? authentication.username ?? '',
    username: authentication.username ?? '',
    password: authentication.password ?? '',
    baseUrl: url === undefined ? undefined : sampleUrl(url)?.origin,
    timeoutMs: Math.min(limits.timeoutMs ?? timeoutMs, timeoutMs),
    defaultSender: entry.defaultSender,
  };
}
