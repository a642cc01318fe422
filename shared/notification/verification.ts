/** Verifications by a code (N10): their state is the fold of their events in the order of the log. */

import type { Channel } from './notification-command.ts';
import type { VerificationCodes } from './verification-codes.ts';

export const VERIFICATION_LIMITS = {
  checks: 5,
  sends: 5,
  minDigits: 4,
  maxDigits: 10,
  minSeconds: 60,
  maxSeconds: 3_600,
} as const;

/** How long a verification is known after its start: longer than any is valid. */
const KEPT_MS = 2 * VERIFICATION_LIMITS.maxSeconds * 1_000;

export type VerificationStatus = 'pending' | 'approved' | 'failed' | 'expired' | 'cancelled';

export interface VerificationTarget {
  readonly channel: Channel;
  /** E.164, or an address. */
  readonly receiver: string;
}

/** What the caller asked for, normalised. */
export interface VerificationPlan extends VerificationTarget {
  readonly sender: string | undefined;
  readonly subject: string;
  /** With the placeholder of the code. */
  readonly message: string;
  /** Digits of the code. */
  readonly length: number;
  readonly validSeconds: number;
  /** Used once, when a message cannot be sent. */
  readonly fallback: { readonly receiver: string } | undefined;
}

/** Why a request is refused: the verification has ended, or its checks or sends are used up. */
export type VerificationRefusal = 'verification-ended' | 'verification-exhausted';

/** Code of the failure of a call to a provider's service. */
export const SERVICE_UNAVAILABLE = 'verification-service-unavailable';

/** What a provider's service says about a code. */
export type Verdict = 'right' | 'wrong' | 'exhausted' | 'ended';

/** `at`: epoch milliseconds of the process that wrote it. An event with a known `request` has no effect. */
export type VerificationEvent = { readonly id: string; readonly at: number; readonly request: string } & (
  | { readonly kind: 'created'; readonly caller: string; readonly plan: VerificationPlan }
  | { readonly kind: 'sent' | 'cancelled' | 'rejected' }
  /** Message number `send` could not be sent. */
  | { readonly kind: 'fallback'; readonly send: number }
  /** A provider's service sends message number `send` and knows it by `reference`. */
  | { readonly kind: 'started'; readonly send: number; readonly reference: string }
  /** `mac` is a keyed hash of the code, from which the code cannot be guessed. */
  | { readonly kind: 'checked'; readonly mac: string }
  | { readonly kind: 'checked'; readonly verdict: Verdict }
);

export interface VerificationState {
  readonly id: string;
  readonly status: VerificationStatus;
  readonly channel: Channel;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly attemptsLeft: number;
  readonly sendsLeft: number;
}

export interface Verification {
  readonly id: string;
  readonly caller: string;
  readonly plan: VerificationPlan;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  status: VerificationStatus;
  checks: number;
  sends: number;
  /** Where the next message goes: to the fallback once it is used. */
  target: VerificationTarget;
  /** Of a provider's service, if it sent message number `send`. */
  started: { readonly send: number; readonly reference: string } | undefined;
  /** The state after each request that had an effect, by its id: at most a dozen. */
  readonly answers: Map<string, VerificationState>;
}

/** The verifications of the last two hours. Readers of the same log agree, because only events decide. */
export class Verifications {
  readonly #codes: VerificationCodes;
  readonly #all = new Map<string, Verification>();
  /** Those whose messages are watched, since a failed one leads to the fallback. */
  readonly #watched = new Set<Verification>();

  constructor(codes: VerificationCodes) {
    this.#codes = codes;
  }

  get size(): number {
    return this.#all.size;
  }

  find(id: string): Verification | undefined {
    return this.#all.get(id);
  }

  /** The pending verifications with a fallback. */
  watched(nowMs: number): readonly Verification[] {
    for (const one of this.#watched) if (stateOf(one, nowMs).status !== 'pending') this.#watched.delete(one);
    return [...this.#watched];
  }

  apply(event: VerificationEvent): void {
    if (event.kind === 'created') return this.#create(event);
    const known = this.#all.get(event.id);
    if (known === undefined || known.answers.has(event.request)) return undefined;
    if (known.status === 'pending' && event.at > known.expiresAt) known.status = 'expired';
    if (refusalOf(known, event.kind, event.at) !== undefined) return undefined;
    this.#change(known, event);
    known.answers.set(event.request, stateOf(known, event.at));
    return undefined;
  }

  #create({ id, at, request, caller, plan }: Extract<VerificationEvent, { kind: 'created' }>): void {
    for (const [old, { createdAt }] of this.#all) {
      if (createdAt + KEPT_MS > at) break;
      this.#all.delete(old);
    }
    if (this.#all.has(id)) return;
    const created: Verification = {
      id,
      caller,
      plan,
      createdAt: at,
      expiresAt: at + plan.validSeconds * 1_000,
      status: 'pending',
      checks: 0,
      sends: 1,
      target: plan,
      started: undefined,
      answers: new Map(),
    };
    created.answers.set(request, stateOf(created, at));
    this.#all.set(id, created);
    if (plan.fallback !== undefined) this.#watched.add(created);
  }

  #change(known: Verification, event: Exclude<VerificationEvent, { kind: 'created' }>): void {
    switch (event.kind) {
      case 'sent':
        known.sends += 1;
        break;
      case 'fallback': {
        const { fallback } = known.plan;
        if (fallback === undefined || !mayFallBack(known) || event.send !== known.sends) break;
        known.sends += 1;
        known.target = { ...fallback, channel: known.plan.channel === 'sms' ? 'email' : 'sms' };
        break;
      }
      case 'started':
        if (event.send === known.sends) known.started = { send: event.send, reference: event.reference };
        break;
      case 'checked':
        this.#check(known, 'verdict' in event ? event.verdict : this.#compare(known, event.mac));
        break;
      case 'cancelled':
        known.status = 'cancelled';
        break;
      case 'rejected':
        known.status = 'failed';
        break;
      default:
        event satisfies never;
    }
  }

  #check(known: Verification, verdict: Verdict): void {
    known.checks = verdict === 'exhausted' ? VERIFICATION_LIMITS.checks : known.checks + 1;
    if (verdict === 'right') known.status = 'approved';
    else if (verdict === 'ended') known.status = 'expired';
    else if (known.checks === VERIFICATION_LIMITS.checks) known.status = 'failed';
  }

  /** Only the code of the last message is right. */
  #compare(known: Verification, mac: string): Verdict {
    const code = this.#codes.code(this.#codes.notificationId(known), known.plan.length);
    return this.#codes.isEqual(this.#codes.mac(known.id, code), mac) ? 'right' : 'wrong';
  }
}

/** The state at a time (epoch milliseconds): a pending one may have expired without an event. */
export function stateOf(known: Verification, nowMs: number): VerificationState {
  const { id, status, target, expiresAt, checks, sends } = known;
  return {
    id,
    status: status === 'pending' && nowMs > expiresAt ? 'expired' : status,
    channel: target.channel,
    expiresAt,
    attemptsLeft: VERIFICATION_LIMITS.checks - checks,
    sendsLeft: VERIFICATION_LIMITS.sends - sends,
  };
}

/** Why an event of this kind has no effect at a time; undefined if it has one. */
export function refusalOf(
  known: Verification,
  kind: VerificationEvent['kind'],
  nowMs: number,
): VerificationRefusal | undefined {
  const { status, attemptsLeft, sendsLeft } = stateOf(known, nowMs);
  if (status === 'failed' && kind === 'checked' && attemptsLeft === 0) return 'verification-exhausted';
  if (status !== 'pending') return 'verification-ended';
  const needsSend = kind === 'sent' || kind === 'fallback';
  return needsSend && sendsLeft === 0 ? 'verification-exhausted' : undefined;
}

/** True until the fallback is used. */
export function mayFallBack({ plan, target }: Verification): boolean {
  return plan.fallback !== undefined && target.receiver !== plan.fallback.receiver;
}
