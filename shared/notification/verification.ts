/** Verifications by a code (N10): their state is the fold of their events in the order of the log. */

import type { Channel, EmailCommand, TemplateUse } from './notification-command.ts';
import type { VerificationCodes } from './verification-codes.ts';

export const VERIFICATION_LIMITS = {
  checks: 5,
  sends: 5,
  /** Digits of a code. */
  length: { minimum: 4, maximum: 10 },
  validSeconds: { minimum: 60, maximum: 3_600 },
} as const;

/** How long a verification is known after its start: longer than any is valid. */
const KEPT_MS = 2 * VERIFICATION_LIMITS.validSeconds.maximum * 1_000;

/** Bytes in memory: those of plans in JSON, in which texts of templates have no limit, and about 3,000 beside each. */
const MOST_BYTES = 400_000_000;
const BYTES_BESIDE = 3_000;

export interface VerificationTarget {
  readonly channel: Channel;
  /** E.164, or an address. */
  readonly receiver: string;
}

type TemplateTexts = Partial<Pick<EmailCommand, 'subject' | 'message' | 'contentType'>>;

/** What the caller asked for, normalised. */
export interface VerificationPlan extends VerificationTarget {
  readonly sender: string | undefined;
  /** With the placeholder of the code; absent with a template. */
  readonly message: string | undefined;
  readonly template?: TemplateUse | undefined;
  /** The texts of the template by channel. */
  readonly texts?: Readonly<Partial<Record<Channel, TemplateTexts>>> | undefined;
  /** Digits of the code. */
  readonly length: number;
  readonly validSeconds: number;
  /** Used once, when a message cannot be sent. */
  readonly fallback: { readonly receiver: string } | undefined;
}

/** What a provider says about a code; `ended`: no code of the message is accepted any more. */
export type Verdict = 'right' | 'wrong' | 'ended';

/** A provider has sent message number `send`. If it makes codes, it knows that of the message by `reference`. */
export type CodeStarted = Readonly<Record<'provider' | 'reference', string>> & {
  readonly kind: 'started';
  readonly send: number;
  readonly channel: Channel;
};

/** What a request changes. `mac` is a keyed hash of a code, from which the code cannot be guessed. */
export type VerificationChange =
  | { readonly kind: 'sent' | 'cancelled' }
  | { readonly kind: 'checked'; readonly mac: string }
  | { readonly kind: 'checked'; readonly verdict: Verdict };

/** `at`: epoch milliseconds of the process that wrote it. An event with a known `request` has no effect. */
export type VerificationEvent = { readonly id: string; readonly at: number; readonly request: string } & (
  | { readonly kind: 'created'; readonly caller: string; readonly plan: VerificationPlan }
  | VerificationChange
  /** Message number `send` could not be sent. */
  | { readonly kind: 'unsent'; readonly send: number }
  | CodeStarted
);

/** Payload of message type VerificationReply. */
export interface VerificationState {
  readonly verificationId: string;
  readonly status: 'pending' | 'approved' | 'failed' | 'expired' | 'cancelled';
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
  status: VerificationState['status'];
  checks: number;
  sends: number;
  /** Where the next message goes: to the fallback once it is used. */
  target: VerificationTarget;
  started: CodeStarted | undefined;
  /** The state after each request that had an effect, by its id: at most a dozen. */
  readonly answers: Map<string, VerificationState>;
}

/** The verifications of the last two hours. Readers of the same log agree, because only events decide. */
export class Verifications {
  readonly #codes: VerificationCodes;
  readonly #ofCallers = new Map<string, number>();
  #allBytes = 0;
  /** By id, the oldest first. */
  readonly known = new Map<string, Verification>();

  constructor(codes: VerificationCodes) {
    this.#codes = codes;
  }

  /** True if a caller may start a further one (epoch ms): it may have as much as it leaves for others. */
  hasRoom(caller: string, nowMs: number, most = MOST_BYTES): boolean {
    const [oldest] = this.known.values();
    // The start of a further one removes those that are no longer known.
    if (oldest !== undefined && oldest.createdAt + KEPT_MS <= nowMs) return true;
    return (this.#ofCallers.get(caller) ?? 0) < most - this.#allBytes;
  }

  apply(event: VerificationEvent): void {
    if (event.kind === 'created') return this.#create(event);
    const known = this.known.get(event.id);
    if (known === undefined || known.answers.has(event.request)) return undefined;
    if (known.status === 'pending' && event.at > known.expiresAt) known.status = 'expired';
    if (refusalOf(known, event.kind, event.at) !== undefined) return undefined;
    this.#change(known, event);
    known.answers.set(event.request, stateOf(known, event.at));
    return undefined;
  }

  #create({ id, at, request, caller, plan }: Extract<VerificationEvent, { kind: 'created' }>): void {
    for (const [old, one] of this.known) {
      if (one.createdAt + KEPT_MS > at) break;
      this.known.delete(old);
      this.#count(one, -1);
    }
    if (this.known.has(id)) return;
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
    this.known.set(id, created);
    this.#count(created, 1);
  }

  #count({ caller, plan }: Verification, sign: 1 | -1): void {
    const bytes = sign * (Buffer.byteLength(JSON.stringify(plan)) + BYTES_BESIDE);
    this.#allBytes += bytes;
    this.#ofCallers.set(caller, (this.#ofCallers.get(caller) ?? 0) + bytes);
    if (this.#ofCallers.get(caller) === 0) this.#ofCallers.delete(caller);
  }

  #change(known: Verification, event: Exclude<VerificationEvent, { kind: 'created' }>): void {
    switch (event.kind) {
      case 'sent':
        known.sends += 1;
        break;
      case 'unsent':
        if (event.send === known.sends) this.#fallBack(known);
        break;
      case 'started':
        if (event.send > (known.started?.send ?? 0)) known.started = event;
        break;
      case 'checked':
        this.#check(known, 'verdict' in event ? event.verdict : this.#compare(known, event.mac));
        break;
      case 'cancelled':
        known.status = 'cancelled';
        break;
      default:
        event satisfies never;
    }
  }

  #fallBack(known: Verification): void {
    const { plan, target, sends } = known;
    if (plan.fallback === undefined || target !== plan || sends === VERIFICATION_LIMITS.sends) {
      // An earlier code that a provider has sent still counts.
      if (known.started === undefined) known.status = 'failed';
      return;
    }
    known.sends += 1;
    known.target = { ...plan.fallback, channel: plan.channel === 'sms' ? 'email' : 'sms' };
  }

  #check(known: Verification, verdict: Verdict): void {
    known.checks += 1;
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
    verificationId: id,
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
): 'verification-ended' | 'verification-exhausted' | undefined {
  const { status, attemptsLeft, sendsLeft } = stateOf(known, nowMs);
  if (status === 'failed' && kind === 'checked' && attemptsLeft === 0) return 'verification-exhausted';
  if (status !== 'pending') return 'verification-ended';
  return kind === 'sent' && sendsLeft === 0 ? 'verification-exhausted' : undefined;
}
