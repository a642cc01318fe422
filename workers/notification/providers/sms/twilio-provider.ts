import type { Twilio } from 'twilio';
import type RequestClient from 'twilio/lib/base/RequestClient.js';
import type { Outbound } from '../../../../shared/notification/command.ts';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { ConfigError } from '../../../../shared/platform/errors.ts';
import {
  type CallOutcome,
  type ConnectorCaller,
  type ConnectorRequest,
  createConnectorCaller,
} from '../http/http-call.ts';
import type { TwilioSettings } from '../provider-settings.ts';
import { twilioOutcome } from './classify-twilio-response.ts';

type OutboundSms = Extract<Outbound, { readonly channel: 'sms' }>;
type CallOptions = Parameters<RequestClient['request']>[0];

const TWILIO_URL = 'https://api.twilio.com';
const MAX_CONNECTIONS = 32;
const ACCOUNT_SID = /^AC[0-9a-zA-Z]{32}$/;
/** A sender that is a messaging service of the account, which then chooses the number. */
const MESSAGING_SERVICE_SID = /^MG[0-9a-zA-Z]{32}$/;

/**
 * Sends SMS by Twilio's own client. It makes the request; the bytes go over our own connections, since the client's do not
 * end with a signal, do not tell whether anything went out, hide Retry-After and read proxies from the environment. Never
 * tries again by itself. Not idempotent: Twilio takes no id of the caller's. Throws ConfigError for a wrong account sid.
 */
export function createTwilioProvider(settings: TwilioSettings, deps: { readonly clock: Clock }): Provider {
  if (!ACCOUNT_SID.test(settings.accountSid)) {
    throw new ConfigError('the Twilio account sid must be AC and 32 letters or digits');
  }
  const baseUrl = (settings.baseUrl ?? TWILIO_URL).replace(/\/+$/, '');
  const caller = createConnectorCaller({
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
      /** The call itself is judged: the client's errors tell less, and one is a bad answer to a message it has taken. */
    }
    if (watched.outcome === undefined) return { kind: 'permanent', code: 'twilio-message-unencodable' };
    const { username, password } = settings;
    const untellable = { message, secrets: [username, password], configured: [] };
    return twilioOutcome(watched.outcome, deps.clock.now(), untellable);
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

/** What the client calls instead of its own connections: one call, and what came of it. */
function watchedCalls(
  caller: ConnectorCaller,
  signal: AbortSignal,
  watched: { outcome: CallOutcome | undefined },
): RequestClient {
  const request = async (options: CallOptions) => {
    const outcome = await caller.call(toCall(options), signal);
    watched.outcome = outcome;
    if (outcome.kind !== 'answer') throw new Error(outcome.code);
    const { status, headers, text } = outcome.answer;
    return { statusCode: status, headers, body: text };
  };
  return { request } as unknown as RequestClient;
}

/** The package takes a third of a second to load: only where it is used, and once. A client itself costs nothing. */
async function createClient(settings: TwilioSettings, httpClient: RequestClient): Promise<Twilio> {
  const { default: twilio } = await import('twilio');
  return twilio(settings.username, settings.password, {
    accountSid: settings.accountSid,
    httpClient,
    autoRetry: false,
    /** Empty, not absent: absent ones are read from the environment. */
    edge: '',
    region: '',
    logLevel: '',
  });
}

function toCall(options: CallOptions): ConnectorRequest {
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
