import type { RequestClient, Twilio } from 'twilio';
import type { Outbound, Priority } from '../../../../shared/notification/command.ts';
import type { ProviderEntry } from '../../../../shared/notification/provider-configuration.ts';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import { MESSAGING_SERVICE_SID } from '../../../../shared/notification/sender-address.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { type CallOutcome, type HttpCaller, type HttpRequest, createHttpCaller } from '../http/http-call.ts';
import { classifyTwilioResponse } from './classify-twilio-response.ts';

type OutboundSms = Extract<Outbound, { readonly channel: 'sms' }>;
type CallOptions = Parameters<RequestClient['request']>[0];

const TWILIO_URL = 'https://api.twilio.com';
const MAX_CONNECTIONS = 32;

/**
 * Sends SMS with Twilio's own client. The client builds the request, which is sent by createHttpCaller: the connections of
 * the client cannot be aborted, do not report whether anything was written, hide Retry-After and read proxies from the
 * environment. Never retries. Not idempotent, since Twilio accepts no id of the caller. Only the origin of the URL is used.
 */
export function createTwilioProvider(
  entry: ProviderEntry,
  deps: { readonly clock: Clock; readonly timeoutMs: number },
): Provider {
  const { url = TWILIO_URL, authentication, limits } = entry.settings;
  const { username = '', password = '' } = authentication;
  const { origin } = new URL(url);
  const caller = createHttpCaller({
    origin,
    timeoutMs: Math.min(limits.timeoutMs ?? deps.timeoutMs, deps.timeoutMs),
    connections: MAX_CONNECTIONS,
    ca: undefined,
  });

  const send = async (
    message: OutboundSms,
    signal: AbortSignal,
    priority?: Priority,
  ): Promise<SendResult> => {
    const from = message.sender ?? entry.defaultSender;
    if (from === undefined) return { kind: 'permanent', code: 'sender-invalid' };
    const watched: { outcome: CallOutcome | undefined } = { outcome: undefined };
    const call = (request: HttpRequest) => caller.call(request, signal, priority);
    const client = await createClient(entry, watchedCalls(call, watched));
    client.api.baseUrl = origin;
    const sender = MESSAGING_SERVICE_SID.test(from) ? { messagingServiceSid: from } : { from };
    try {
      await client.messages.create({ to: message.receiver, body: message.message, ...sender });
    } catch {
      // The call itself is classified: the client's errors are less precise, and it fails for a malformed response.
    }
    if (watched.outcome === undefined) return { kind: 'permanent', code: 'twilio-message-unencodable' };
    const sensitive = { message, secrets: [username, password] };
    return classifyTwilioResponse(watched.outcome, deps.clock.now(), sensitive);
  };

  return {
    name: entry.name,
    channel: 'sms',
    isIdempotent: false,
    concurrency: MAX_CONNECTIONS,
    send: async (message: Outbound, signal, priority) =>
      message.channel === 'sms'
        ? send(message, signal, priority)
        : { kind: 'permanent', code: 'channel-wrong' },
    close: () => caller.close(),
  };
}

/** An HTTP client for Twilio's client that makes one call and records its outcome. */
function watchedCalls(
  call: (request: HttpRequest) => ReturnType<HttpCaller['call']>,
  watched: { outcome: CallOutcome | undefined },
): RequestClient {
  const request = async (options: CallOptions) => {
    const outcome = await call(toCall(options));
    watched.outcome = outcome;
    if (outcome.kind !== 'response') throw new Error(outcome.code);
    const { status, headers, text } = outcome.response;
    return { statusCode: status, headers, body: text };
  };
  return { request } as unknown as RequestClient;
}

/** Loads the package on first use, since that takes a third of a second; creating a client is cheap. */
async function createClient({ settings }: ProviderEntry, httpClient: RequestClient): Promise<Twilio> {
  const { username = '', password = '' } = settings.authentication;
  const { default: twilio } = await import('twilio');
  return twilio(username, password, {
    accountSid: settings.twilio?.accountSid ?? username,
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
