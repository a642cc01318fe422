import type { RequestClient, Twilio } from 'twilio';
import { receiptAddress } from '../../../shared/notification/receipt-address.ts';
import type { Provider } from '../../../shared/notification/provider.ts';
import type { ProviderEntry } from '../../../shared/notification/provider-configuration.ts';
import { MESSAGING_SERVICE_SID } from '../../../shared/notification/sender-address.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import { classifyHttpResponse, type ResponseRules } from './classify-http-response.ts';
import { basicAuthorization, type CallOutcome, createHttpCaller, type HttpRequest } from './http-call.ts';
import RULES from './twilio-rules.json' with { type: 'json' };

type CallOptions = Parameters<RequestClient['request']>[0];

const MAX_CONNECTIONS = 32;

/**
 * `transient`: a full queue of the sender, a limit, or maintenance; whatever the status, nothing was accepted. `permanent`:
 * the sender is invalid or belongs to another account. `misconfigured`: the account or its credentials. Twilio may have
 * sent a message despite a 500 (error 20500), so a 5xx is unknown, except for 503.
 */
const { transient, permanent } = RULES.failures;
/** Rules for a 2xx. The message was created, so its status decides and not its error code. */
const CREATED: ResponseRules = {
  ...RULES,
  errorCode: ['/error_code'],
  failures: { sent: { status: ['2xx'] }, permanent: { values: ['failed', 'undelivered'] } },
};

/**
 * Twilio's client builds the request, but createHttpCaller sends it: the client's connections cannot be aborted, do not
 * report whether anything was written, hide Retry-After and read proxies from the environment. The provider never
 * retries. It is not idempotent, because Twilio accepts no id of the caller. Only the origin of the URL is used. If a
 * default sender is rejected, the settings are the cause.
 */
export function createTwilioProvider(
  entry: ProviderEntry,
  deps: { readonly clock: Clock; readonly timeoutMs: number; readonly publicUrl?: string | undefined },
): Provider {
  const { name, defaultSender, settings } = entry;
  const { url = 'https://api.twilio.com', authentication, limits, receipts } = settings;
  const { username = '', password = '' } = authentication;
  const { origin } = new URL(url);
  const reportTo = receipts && receiptAddress(deps.publicUrl, name);
  const caller = createHttpCaller({
    origin,
    timeoutMs: Math.min(limits.timeoutMs ?? deps.timeoutMs, deps.timeoutMs),
    connections: MAX_CONNECTIONS,
    ca: undefined,
  });
  return {
    name,
    channel: 'sms',
    isIdempotent: false,
    concurrency: MAX_CONNECTIONS,
    send: async (message, signal, priority) => {
      const from = message.sender ?? defaultSender;
      if (from === undefined) return { kind: 'permanent', code: 'sender-invalid' };
      let outcome: CallOutcome | undefined;
      const client = await createClient(entry, async (request) => {
        outcome = await caller.call(request, signal, priority);
        return outcome;
      });
      client.api.baseUrl = origin;
      const sender = MESSAGING_SERVICE_SID.test(from) ? { messagingServiceSid: from } : { from };
      const callback = reportTo && { statusCallback: `${reportTo}?id=${message.id}` };
      try {
        await client.messages.create({ to: message.receiver, body: message.message, ...sender, ...callback });
      } catch {
        // The call is classified below: the client's errors are less precise, and include malformed responses.
      }
      if (outcome === undefined) return { kind: 'permanent', code: 'twilio-message-unencodable' };
      if (outcome.kind !== 'response') return outcome;
      const result = classifyHttpResponse(outcome.response, outcome.response.status < 300 ? CREATED : RULES, {
        nowMs: deps.clock.now(),
        sensitive: { message, secrets: [username, password] },
        isUrlOfMessage: false,
      });
      const hasCode = (codes: readonly number[]) =>
        codes.some((code) => result.code?.endsWith(`-${code}`) === true);
      if (result.kind === 'unknown' && hasCode(transient.code))
        return { kind: 'transient', code: result.code };
      const isOfSettings =
        result.kind === 'permanent' && message.sender === undefined && hasCode(permanent.code);
      return isOfSettings ? { ...result, kind: 'misconfigured' } : result;
    },
    close: () => caller.close(),
  };
}

/** Loads the package on first use, which takes a third of a second. Creating a client is cheap. */
async function createClient(
  { settings: { authentication, twilio: settings } }: ProviderEntry,
  call: (request: HttpRequest) => Promise<CallOutcome>,
): Promise<Twilio> {
  const { username = '', password = '' } = authentication;
  const request = async (options: CallOptions) => {
    const outcome = await call(toCall(options));
    if (outcome.kind !== 'response') throw new Error(outcome.code);
    const { status, headers, text } = outcome.response;
    return { statusCode: status, headers, body: text };
  };
  const { default: twilio } = await import('twilio');
  return twilio(username, password, {
    accountSid: settings?.accountSid ?? username,
    httpClient: { request } as unknown as RequestClient,
    autoRetry: false,
    // If these were absent, the client would read them from the environment.
    edge: '',
    region: '',
    logLevel: '',
  });
}

function toCall({ uri, username, password, headers, data }: CallOptions): HttpRequest {
  const fields = Object.entries((data ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const { pathname, search } = new URL(uri);
  return {
    method: 'POST',
    path: `${pathname}${search}`,
    headers: {
      ...(headers as Record<string, string>),
      authorization: basicAuthorization({ username, password }),
    },
    body: Buffer.from(new URLSearchParams(fields).toString()),
  };
}
