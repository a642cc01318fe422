/** Verification services of providers (N10): they make, send and check the codes. */

import type { Channel } from '../../../shared/notification/notification-command.ts';
import type {
  VerificationServiceKind,
  VerificationServiceSettings,
} from '../../../shared/notification/provider-settings.ts';
import {
  SERVICE_UNAVAILABLE,
  type Verdict,
  type VerificationPlan,
  type VerificationTarget,
} from '../../../shared/notification/verification.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import { basicAuthorization, createHttpCaller, type HttpRequest } from './http-call.ts';
import { encodePayload } from './http-payload.ts';

/** Concurrent calls; further ones wait for a connection. */
const CONNECTIONS = 32;
/** Longest validity that Vonage accepts, in seconds. */
const VONAGE_MAX_SECONDS = 900;
/** Error codes of Twilio: all checks of a verification are used, all messages to a receiver. */
const TWILIO_CHECKS_USED = 60_202;
const TWILIO_SENDS_USED = 60_203;

/** A message of the service. */
interface ServiceMessage {
  readonly reference: string;
  readonly receiver: string;
}

/** All calls reject with SERVICE_UNAVAILABLE if the service cannot be reached or its answer is not documented. */
export interface VerificationService {
  readonly channels: readonly Channel[];
  /** Sends a code. `former`: the reference of the message that it replaces. */
  start(target: VerificationTarget, plan: VerificationPlan, former: string | undefined): Promise<Started>;
  check(sent: ServiceMessage, code: string): Promise<Verdict>;
  /** Does nothing with a service that cannot cancel: its code is not asked for any more. */
  cancel(reference: string): Promise<void>;
  close(): Promise<void>;
}

/** `rejected`: the service does not send to this receiver. `exhausted`: it sends no further message to it for now. */
type Started =
  | { readonly kind: 'started'; readonly reference: string }
  | { readonly kind: 'rejected' | 'exhausted' };

type Fields = Readonly<Record<string, unknown>>;
type ServiceCall = readonly [method: HttpRequest['method'], path: string, fields?: Fields];

interface ServiceAnswer {
  readonly status: number;
  readonly json: Fields;
}

interface Protocol {
  readonly encoding: 'form' | 'json';
  readonly start: (target: VerificationTarget, plan: VerificationPlan) => ServiceCall;
  /** Name of the member with the reference. */
  readonly reference: string;
  readonly check: (sent: ServiceMessage, code: string) => ServiceCall;
  /** Undefined for an answer that is not documented. */
  readonly verdict: (answer: ServiceAnswer) => Verdict | undefined;
  readonly cancel?: (reference: string) => ServiceCall;
  /** The service has one verification for a number, so a new one needs the end of the old one. */
  readonly isExclusive?: true;
}

const digits = (receiver: string): string => receiver.replace(/^\+/, '');

const PROTOCOLS: Readonly<
  Record<VerificationServiceKind, (parameters: VerificationServiceSettings['parameters']) => Protocol>
> = {
  'twilio-verify': () => ({
    encoding: 'form',
    start: ({ receiver, channel }) => ['POST', '/Verifications', { To: receiver, Channel: channel }],
    reference: 'sid',
    check: ({ receiver }, code) => ['POST', '/VerificationCheck', { To: receiver, Code: code }],
    verdict: ({ status, json }) => {
      // Error 20404: expired, approved before, or unknown.
      if (status === 404) return 'ended';
      if (status === 429 && json['code'] === TWILIO_CHECKS_USED) return 'exhausted';
      if (status !== 200) return undefined;
      return json['status'] === 'approved' ? 'right' : 'wrong';
    },
    cancel: (sid) => ['POST', `/Verifications/${sid}`, { Status: 'canceled' }],
  }),
  'infobip-2fa': (ids) => ({
    encoding: 'json',
    start: ({ receiver }, { sender }) => [
      'POST',
      '/2fa/2/pin',
      { ...ids, to: digits(receiver), from: sender },
    ],
    reference: 'pinId',
    check: ({ reference }, pin) => ['POST', `/2fa/2/pin/${reference}/verify`, { pin }],
    verdict: ({ status, json }) => {
      if (status === 404 || json['pinError'] === 'TTL_EXPIRED') return 'ended';
      if (status !== 200) return undefined;
      if (json['verified'] === true) return 'right';
      return json['pinError'] === 'NO_MORE_PIN_ATTEMPTS' ? 'exhausted' : 'wrong';
    },
  }),
  'vonage-verify': ({ brand }) => ({
    encoding: 'json',
    start: ({ receiver, channel }, { length, validSeconds }) => {
      const channel_timeout = Math.min(validSeconds, VONAGE_MAX_SECONDS);
      const workflow = [{ channel, to: digits(receiver) }];
      return ['POST', '/v2/verify', { brand, code_length: length, channel_timeout, workflow }];
    },
    reference: 'request_id',
    check: ({ reference }, code) => ['POST', `/v2/verify/${reference}`, { code }],
    verdict: ({ status }) =>
      new Map<number, Verdict>([
        [200, 'right'],
        [400, 'wrong'],
        [404, 'ended'],
        [410, 'exhausted'],
      ]).get(status),
    cancel: (id) => ['DELETE', `/v2/verify/${id}`],
    isExclusive: true,
  }),
};

/** `timeoutMs` limits a call; the settings may shorten it. */
export function createVerificationService(
  { kind, url, authentication, parameters, channels, timeoutMs: ownMs }: VerificationServiceSettings,
  timeoutMs: number,
): VerificationService {
  const protocol = PROTOCOLS[kind](parameters);
  const { origin, pathname } = new URL(url);
  const { key } = authentication;
  const authorization = key === undefined ? basicAuthorization(authentication) : `App ${key}`;
  const limits = { timeoutMs: Math.min(ownMs ?? timeoutMs, timeoutMs), connections: CONNECTIONS };
  const http = createHttpCaller({ origin, ...limits, ca: undefined });
  const call = async ([method, path, fields = {}]: ServiceCall): Promise<ServiceAnswer> => {
    const payload = fields as Parameters<typeof encodePayload>[0];
    const { contentType = '', body } = await encodePayload(payload, protocol.encoding);
    const headers = { accept: 'application/json', authorization, 'content-type': contentType };
    const request = { method, path: pathname.replace(/\/$/, '') + path, headers, body };
    const outcome = await http.call(request, new AbortController().signal, 'urgent');
    if (outcome.kind !== 'response') throw unavailable(outcome.code);
    return { status: outcome.response.status, json: readObject(outcome.response.text) };
  };
  const cancel = async (reference: string): Promise<void> => {
    if (protocol.cancel !== undefined) await call(protocol.cancel(encodeURIComponent(reference)));
  };
  return {
    channels,
    start: async (target, plan, former) => {
      if (former !== undefined && protocol.isExclusive === true) await cancel(former);
      const { status, json } = await call(protocol.start(target, plan));
      const reference = json[protocol.reference];
      if (status < 300 && typeof reference === 'string') return { kind: 'started', reference };
      if (status === 429 && json['code'] === TWILIO_SENDS_USED) return { kind: 'exhausted' };
      // The receiver or the request is at fault. Credentials and limits of the account are not.
      if (status === 400 || status === 422) return { kind: 'rejected' };
      throw unavailable(`http-${status}`);
    },
    check: async ({ reference, receiver }, code) => {
      const answer = await call(protocol.check({ receiver, reference: encodeURIComponent(reference) }, code));
      const verdict = protocol.verdict(answer);
      if (verdict === undefined) throw unavailable(`http-${answer.status}`);
      return verdict;
    },
    cancel,
    close: () => http.close(),
  };
}

function unavailable(code: string): InfrastructureError {
  return new InfrastructureError(SERVICE_UNAVAILABLE, `the verification service failed: ${code}`);
}

function readObject(text: string | undefined): Fields {
  try {
    const json: unknown = JSON.parse(text ?? '');
    return typeof json === 'object' && json !== null ? (json as Fields) : {};
  } catch {
    return {};
  }
}
