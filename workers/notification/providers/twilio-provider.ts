import type { Provider } from '../../../shared/notification/provider.ts';
import type { ProviderEntry } from '../../../shared/notification/provider-configuration.ts';
import { MESSAGING_SERVICE_SID } from '../../../shared/notification/sender-address.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import { classifyHttpResponse, type ResponseRules } from './classify-http-response.ts';
import { basicAuthorization, createHttpCaller } from './http-call.ts';

const MAX_CONNECTIONS = 32;

/** Queue of the sender full, daily limit, or maintenance: not accepted, with any status. */
const BUSY_CODES = [20429, 21611, 21730, 14107, 63038];
/** Invalid sender, or sender of another account. */
const SENDER_CODES = [21212, 21603, 21606, 21659, 21660, 21661];

/** Twilio may have sent a message despite a 500 (error 20500), so 5xx are unknown; 429 and 503 were not accepted. */
const RULES: ResponseRules = {
  success: {
    status: ['2xx'],
    pointer: '/status',
    values: ['queued', 'accepted', 'scheduled', 'sending', 'sent'],
  },
  id: { pointer: '/sid' },
  errorCode: ['/code'],
  failures: {
    transient: { code: BUSY_CODES, status: [408, 429, 503] },
    permanent: { code: SENDER_CODES },
    // The account or its credentials.
    misconfigured: { code: [10001, 20003, 20005, 20008, 20404] },
    unknown: { status: ['5xx'] },
  },
};
/** For a 2xx: the message was created, so that only its status decides, not its error code. */
const CREATED: ResponseRules = {
  ...RULES,
  errorCode: ['/error_code'],
  failures: { sent: { status: ['2xx'] }, permanent: { values: ['failed', 'undelivered'] } },
};

/** Sends SMS by Twilio's REST API. Not idempotent: it accepts no id of the caller. Only the origin of the URL is used. */
export function createTwilioProvider(
  { name, defaultSender, settings }: ProviderEntry,
  deps: { readonly clock: Clock; readonly timeoutMs: number },
): Provider {
  const { url = 'https://api.twilio.com', authentication, limits, twilio } = settings;
  const { username = '', password = '' } = authentication;
  const path = `/2010-04-01/Accounts/${twilio?.accountSid ?? username}/Messages.json`;
  const headers = {
    accept: 'application/json',
    authorization: basicAuthorization(authentication),
    'content-type': 'application/x-www-form-urlencoded',
  };
  const caller = createHttpCaller({
    origin: new URL(url).origin,
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
      const sender = MESSAGING_SERVICE_SID.test(from) ? { MessagingServiceSid: from } : { From: from };
      const fields = new URLSearchParams({ To: message.receiver, ...sender, Body: message.message });
      const body = Buffer.from(fields.toString());
      const outcome = await caller.call({ method: 'POST', path, headers, body }, signal, priority);
      if (outcome.kind !== 'response') return outcome;
      const result = classifyHttpResponse(outcome.response, outcome.response.status < 300 ? CREATED : RULES, {
        nowMs: deps.clock.now(),
        sensitive: { message, secrets: [username, password] },
        isUrlOfMessage: false,
      });
      const hasCode = (codes: readonly number[]) =>
        codes.some((code) => result.code?.endsWith(`-${code}`) === true);
      if (result.kind === 'unknown' && hasCode(BUSY_CODES)) return { kind: 'transient', code: result.code };
      const isOfSettings =
        result.kind === 'permanent' && message.sender === undefined && hasCode(SENDER_CODES);
      return isOfSettings ? { ...result, kind: 'misconfigured' } : result;
    },
    close: () => caller.close(),
  };
}
