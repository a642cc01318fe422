import type { Twilio } from 'twilio';
import type RequestClient from 'twilio/lib/base/RequestClient.js';
import type { Outbound } from '../../../../shared/notification/command.ts';
import type { ProviderEntry } from '../../../../shared/notification/provider-configuration.ts';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import { MESSAGING_SERVICE_SID } from '../../../../shared/notification/sender-address.ts';
import { sampleUrl } from '../../../../shared/notification/url-template.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { type CallOutcome, type HttpCaller, type HttpRequest, createHttpCaller } from '../http/http-call.ts';
import { classifyTwilioResponse } from './classify-twilio-response.ts';

/** Settings of Twilio (`provider: twilio`). Its password is never logged. */
export interface TwilioSettings {
  readonly name: string;
  readonly accountSid: string;
  /** The account sid and its token, or an API key and its secret. */
  readonly username: string;
  readonly password: string;
  /** Default: Twilio's own host. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs: number;
  readonly defaultSender?: string | undefined;
}

type OutboundSms = Extract<Outbound, { readonly channel: 'sms' }>;
type CallOptions = Parameters<RequestClient['request']>[0];

const TWILIO_URL = 'https://api.twilio.com';
const MAX_CONNECTIONS = 32;

/** Reads the settings of a Twilio entry; only the origin of its URL is used. */
export function twilioSettings(entry: ProviderEntry, timeoutMs: number): TwilioSettings {
  const { url, authentication, twilio, limits } = entry.settings;
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

/**
 * Sends SMS with Twilio's own client. The client builds the request, which is sent by createHttpCaller: the connections of
 * the client cannot be aborted, do not report whether anything was written, hide Retry-After and read proxies from the
 * environment. Never retries. Not idempotent, since Twilio accepts no id of the caller.
 */
export function createTwilioProvider(settings: TwilioSettings, deps: { readonly clock: Clock }): Provider {
  const baseUrl = (settings.baseUrl ?? TWILIO_URL).replace(/\/+$/, '');
  const caller = createHttpCaller({
    origin: new URL(baseUrl).origin,
    timeoutMs: settings.timeoutMs,
    connections: MAX_CONNECTIONS,
    ca: undefined,
  });

  const send = async (message: OutboundSms, signal: AbortSignal): Promise<SendResult> => {
    const from = message.sender ?? settings.defaultSender;
    if (from === undefined) return { kind: 'permanent', code: 'sender-invalid' };
    const watched: { outcome: CallOutcome | undefined } = { outcome: undefined };
    const client = await createClient(settings, watchedCalls(caller, signal, watched));
    client.api.baseUrl = baseUrl;
    const sender = MESSAGING_SERVICE_SID.test(from) ? { messagingServiceSid: from } : { from };
    try {
      await client.messages.create({ to: message.receiver, body: message.message, ...sender });
    } catch {
      // The call itself is classified: the client's errors are less precise, and it fails for a malformed response.
    }
    if (watched.outcome === undefined) return { kind: 'permanent', code: 'twilio-message-unencodable' };
    const { username, password } = settings;
    const sensitive = { message, secrets: [username, password], configured: [] };
    return classifyTwilioResponse(watched.outcome, deps.clock.now(), sensitive);
  };

  return {
    name: settings.name,
    channel: 'sms',
    isIdempotent: false,
    send: async (message: Outbound, signal) =>
      message.channel === 'sms' ? send(message, signal) : { kind: 'permanent', code: 'channel-wrong' },
    close: () => caller.close(),
  };
}

/** An HTTP client for Twilio's client that makes one call and records its outcome. */
function watchedCalls(
  caller: HttpCaller,
  signal: AbortSignal,
  watched: { outcome: CallOutcome | undefined },
): RequestClient {
  const request = async (options: CallOptions) => {
    const outcome = await caller.call(toCall(options), signal);
    watched.outcome = outcome;
    if (outcome.kind !== 'response') throw new Error(outcome.code);
    const { status, headers, text } = outcome.response;
    return { statusCode: status, headers, body: text };
  };
  return { request } as unknown as RequestClient;
}

/** Loads the package on first use, since that takes a third of a second; creating a client is cheap. */
async function createClient(settings: TwilioSettings, httpClient: RequestClient): Promise<Twilio> {
  const { default: twilio } = await import('twilio');
  return twilio(settings.username, settings.password, {
    accountSid: settings.accountSid,
    httpClient,
    autoRetry: false,
    // If these were absent, the client would read them from the environment.
    edge: '',
    region: '',
    logLevel: '',
  });
}

function toCall(options: CallOptions): HttpRequest {
  const fields = Object.entries((options.data ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const credentials = Buffer.from(`${options.username ?? ''}:${options.password ?? ''}`).toString('base64');
  const { pathname, search } = new URL(options.uri);
  return {
    method: 'POST',
    path: `${pathname}${search}`,
    headers: { ...(options.headers as Record<string, string>), authorization: `Basic ${credentials}` },
    body: Buffer.from(new URLSearchParams(fields).toString()),
  };
}
