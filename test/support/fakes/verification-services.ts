/** Stand-ins of verification services. They follow the documented answers of each provider. */

import { randomInt } from 'node:crypto';
import { startProviderStandIn, type StandInReply, type StandInRequest } from './provider-stand-in.ts';

const MAX_CHECKS = 5;

interface Sent {
  readonly id: string;
  readonly to: string;
  readonly code: string;
  status: 'pending' | 'approved' | 'canceled' | 'failed';
  checks: number;
}

type Answer = (state: ServiceState, request: StandInRequest) => StandInReply;

class ServiceState {
  readonly sent: Sent[] = [];
  /** Receivers that the service does not send to. */
  readonly refused = new Set<string>();

  start(to: string): Sent {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const one: Sent = { id: `ref-${this.sent.length + 1}`, to, code, status: 'pending', checks: 0 };
    this.sent.push(one);
    return one;
  }

  check(one: Sent | undefined, code: string | null): 'approved' | 'pending' | 'failed' | 'ended' {
    if (one === undefined || one.status === 'approved' || one.status === 'canceled') return 'ended';
    if (one.checks >= MAX_CHECKS) return 'failed';
    one.checks += 1;
    if (one.code === code) one.status = 'approved';
    return one.status === 'approved' ? 'approved' : 'pending';
  }
}

const json = (request: StandInRequest) => JSON.parse(request.body.toString()) as Record<string, unknown>;

const twilio: Answer = (state, { path, body }) => {
  const form = new URLSearchParams(body.toString());
  const to = form.get('To') ?? '';
  const last = state.sent.findLast(({ id }) => id === form.get('VerificationSid'));
  if (path.endsWith('/VerificationCheck')) {
    const verdict = state.check(last, form.get('Code'));
    if (verdict === 'ended') return { status: 404, body: { code: 20_404 } };
    if (verdict === 'failed') return { status: 429, body: { code: 60_202 } };
    return { status: 200, body: { sid: last?.id, status: verdict } };
  }
  const sid = /\/Verifications\/(.+)$/.exec(path)?.[1];
  if (sid !== undefined) {
    const one = state.sent.find(({ id }) => id === sid);
    if (one !== undefined) one.status = 'canceled';
    return { status: 200, body: { sid, status: 'canceled' } };
  }
  if (state.refused.has(to)) return { status: 400, body: { code: 60_200 } };
  if (state.sent.filter((one) => one.to === to).length >= MAX_CHECKS)
    return { status: 429, body: { code: 60_203 } };
  // A pending one of the receiver is sent once more, with its code.
  const pending = state.sent.find((one) => one.to === to && one.status === 'pending');
  if (pending === undefined) return { status: 201, body: { sid: state.start(to).id, status: 'pending' } };
  state.sent.push(pending);
  return { status: 201, body: { sid: pending.id, status: 'pending' } };
};

const infobip: Answer = (state, request) => {
  const pinId = /\/pin\/(.+)\/verify$/.exec(request.path)?.[1];
  const body = json(request);
  if (pinId === undefined) return { status: 200, body: { pinId: state.start(String(body['to'])).id } };
  const one = state.sent.find(({ id }) => id === pinId);
  const verdict = state.check(one, String(body['pin']));
  const attemptsRemaining = MAX_CHECKS - (one?.checks ?? 0);
  if (verdict === 'approved') return { status: 200, body: { pinId, verified: true, attemptsRemaining } };
  const pinError = { ended: 'TTL_EXPIRED', failed: 'NO_MORE_PIN_ATTEMPTS', pending: 'WRONG_PIN' }[verdict];
  return { status: 200, body: { pinId, verified: false, attemptsRemaining, pinError } };
};

const vonage: Answer = (state, request) => {
  const id = /\/v2\/verify\/(.+)$/.exec(request.path)?.[1];
  const one = state.sent.find((sent) => sent.id === id);
  if (request.method === 'DELETE') {
    if (one !== undefined) one.status = 'canceled';
    return { status: one === undefined ? 404 : 204 };
  }
  const body = json(request);
  if (id === undefined) {
    const [{ to = '' } = {}] = body['workflow'] as readonly { readonly to?: string }[];
    const isBusy = state.sent.some((sent) => sent.to === to && sent.status === 'pending');
    return isBusy ? { status: 409 } : { status: 202, body: { request_id: state.start(to).id } };
  }
  const verdict = state.check(one, String(body['code']));
  return { status: { approved: 200, pending: 400, failed: 410, ended: 404 }[verdict], body: {} };
};

const ANSWERS = { 'twilio-verify': twilio, 'infobip-2fa': infobip, 'vonage-verify': vonage };
export type ServiceName = keyof typeof ANSWERS;
export const SERVICE_NAMES = Object.keys(ANSWERS) as ServiceName[];

export async function startServiceStandIn(name: ServiceName) {
  const state = new ServiceState();
  const standIn = await startProviderStandIn();
  standIn.otherwise((request) => ANSWERS[name](state, request));
  return { ...standIn, state };
}
