import { describe, expect, it } from 'vitest';
import type { AttemptRecord } from '../../../../shared/notification/notification-state.ts';
import { assertNever } from '../../../../shared/platform/errors.ts';
import {
  decideAfterRound,
  decideOnCopy,
  decideWithoutProvider,
  type Decision,
  type DeliveryContext,
  type NoProvider,
  type Situation,
} from '../../../../workers/notification/delivery/decide-delivery.ts';
import type { DeliveryCopy } from '../../../../workers/notification/retry/command-copy.ts';
import type { RoundEnd } from '../../../../workers/notification/delivery/provider-round.ts';
import type { LogEntry } from '../../../../workers/notification/state/delivery-log.ts';

const NOW = 1_700_000_000_000;
const SELF = 'this-process';
const MINUTE = 60_000;
const LIMIT = 10 * MINUTE;
const TIERS = [10_000, MINUTE];
const TIMES = { nowMs: NOW, ageMs: 1_000 };
const LATE = { nowMs: NOW, ageMs: LIMIT + 1 };

const attempt = (result: AttemptRecord['result'], at = NOW): AttemptRecord => ({
  attempt: 1,
  at,
  provider: 'one',
  result,
  code: 'busy',
});
const UNKNOWN_BEFORE = { history: [attempt('unknown')] };

const COPY = {
  attempt: 2,
  isOriginal: false,
  redriveUnknown: false,
  timeLimitFromMs: NOW - 1_000,
  history: [],
};
const deliveryOf = (
  copy: Partial<DeliveryCopy> = {},
  unknownPolicy: DeliveryContext['unknownPolicy'] = 'park',
): DeliveryContext => ({
  copy: { ...COPY, ...copy },
  plan: { tiersMs: TIERS, timeLimitMs: LIMIT },
  unknownPolicy,
});
const read = (
  known: LogEntry | undefined,
  more: Partial<Situation> = {},
  delivery: DeliveryContext = deliveryOf(),
): Decision =>
  decideOnCopy(delivery, {
    known,
    channel: 'sms',
    self: SELF,
    elapsedMs: 1_000,
    times: TIMES,
    isInProgress: false,
    hasBegun: false,
    isDeadlineOver: false,
    repeatable: [],
    ...more,
  });

function shown(decision: Decision): string {
  switch (decision.kind) {
    case 'end': {
      const { outcome } = decision;
      return outcome.kind === 'retry' ? `again in ${outcome.afterMs}` : outcome.kind;
    }
    case 'dead-letter':
      return `dead letter ${decision.code}`;
    case 'retry-copy':
      return `retry copy ${decision.next.attempt}`;
    case 'begin-round':
      return decision.isOverdue ? 'begins a round overdue' : BEGINS;
    case 'conclude': {
      const { conclusion, isOwnRound } = decision;
      const code = 'code' in conclusion ? ` ${conclusion.code}` : '';
      return `${conclusion.status}${code}${isOwnRound ? '' : ' by log order'}`;
    }
    default:
      return assertNever(decision);
  }
}

const INTENT = { status: 'sending', attempt: 2, channel: 'sms' } as const;
const sending = (owner: string, leaseEndsMs: number, more: Partial<LogEntry> = {}): LogEntry => ({
  ...INTENT,
  owner,
  leaseEndsMs,
  ...more,
});
const OURS = sending(SELF, 30_000);
const THEIRS = sending('another', 30_000);
const LOST = sending('another', 999);
const RETRYING: LogEntry = { status: 'retrying', attempt: 2, nextAttemptAt: NOW + 5_000 };
const FAILED: LogEntry = { status: 'failed', attempt: 2, code: 'smtp-550' };
const PARKED: LogEntry = { status: 'parked', attempt: 2, code: 'outcome-unknown' };
const SENT: LogEntry = { status: 'sent', attempt: 2 };

const BEGINS = 'begins a round';

describe('after reading a copy', () => {
  it.each<[string, LogEntry | undefined, number, string]>([
    ['nothing is known', undefined, 1, BEGINS],
    ['it was sent', SENT, 1, 'done'],
    ['it was sent in this round', SENT, 2, 'done'],
    ['it was sent, and is redriven', SENT, 3, 'done'],
    ['an intent of this process was not followed by a call', OURS, 2, BEGINS],
    ['an intent of this process was not followed by a call, and a later round begins', OURS, 3, BEGINS],
    ['an intent of this process is of a later round', OURS, 1, 'done'],
    ['another process may be sending it', THEIRS, 2, 'again in 1000'],
    ['another process may be sending it, in an earlier round', THEIRS, 3, 'again in 1000'],
    ['another process may be sending a later round', THEIRS, 1, 'done'],
    ['the lease of another process ends soon', sending('another', 1_300), 2, 'again in 301'],
    ['the lease of another process ends now', sending('another', 1_000), 2, 'again in 1'],
    ['a lease has expired', LOST, 2, 'parked outcome-unknown by log order'],
    ['a lease of a later round has expired', LOST, 1, 'done'],
    ['a lease has expired, and the copy is of a later round', LOST, 3, 'parked outcome-unknown by log order'],
    ['an intent has no lease', { status: 'sending', attempt: 2 }, 2, 'parked outcome-unknown by log order'],
    ['an earlier round ended in a retry', RETRYING, 3, BEGINS],
    ['this round ended in a retry', RETRYING, 2, 'retry copy 3'],
    ['a later round ended in a retry', RETRYING, 1, 'done'],
    ['it failed in this round', FAILED, 2, 'dead letter smtp-550'],
    ['it failed without a code', { status: 'failed', attempt: 2 }, 2, 'dead letter failed'],
    ['it failed in a later round', FAILED, 1, 'done'],
    ['it failed, and is redriven', FAILED, 3, BEGINS],
    ['it is parked', PARKED, 2, 'dead letter outcome-unknown'],
    ['it is parked in a later round', PARKED, 1, 'done'],
    ['it is parked, and redriven without accepting a second send', PARKED, 3, 'dead letter outcome-unknown'],
  ])('takes the expected step when %s', (_, known, round, expected) => {
    expect(shown(read(known, {}, deliveryOf({ attempt: round })))).toBe(expected);
  });

  it('waits for sendAt on the longest tier within it, and writes the state at first and once a day (N11)', () => {
    const DAY = 24 * 60 * MINUTE;
    const first = deliveryOf({ attempt: 1 });
    const scheduled: LogEntry = { status: 'scheduled', attempt: 1 };
    const waits = (ms: number, known?: LogEntry) => read(known, { sendAt: NOW + ms }, first);
    expect(waits(DAY)).toMatchObject({
      kind: 'conclude',
      conclusion: { status: 'scheduled', nextAttemptAt: NOW + DAY, tierMs: MINUTE },
    });
    expect(waits(2 * DAY + MINUTE + 1, scheduled)).toEqual({
      kind: 'retry-copy',
      next: {
        attempt: 1,
        dueAtMs: NOW + 2 * DAY + MINUTE + 1,
        tierMs: MINUTE,
        attempts: [],
        isScheduled: true,
      },
    });
    expect(shown(waits(2 * DAY + 1, scheduled))).toBe('scheduled');
    expect(waits(MINUTE - 1, scheduled)).toMatchObject({ next: { tierMs: 10_000 } });
    expect(waits(1, scheduled)).toMatchObject({ next: { tierMs: 10_000 } });
    expect(shown(waits(0, scheduled))).toBe(BEGINS);
    expect(shown(read({ status: 'cancelled', attempt: 1 }, { sendAt: NOW }, first))).toBe('done');
    expect(shown(read(FAILED, { sendAt: NOW + DAY }, deliveryOf({ attempt: 3 })))).toBe('scheduled');
    expect(shown(read(undefined, { sendAt: NOW + DAY, quota: 'quota-caller' }))).toBe('failed quota-caller');
  });

  it('waits 7 days in about 190 copies, at most a day and an hour without a written state, and ends at most 10 s late', () => {
    const HOUR = 60 * MINUTE;
    const plan = { tiersMs: [10_000, MINUTE, 10 * MINUTE, HOUR], timeLimitMs: LIMIT };
    const delivery = { ...deliveryOf({ attempt: 1 }), plan };
    const sendAt = NOW + 7 * 24 * HOUR - 12_345;
    let known: LogEntry | undefined;
    let [nowMs, writtenMs, copies, longestMs] = [NOW, NOW, 0, 0];
    for (;;) {
      const decision = read(known, { sendAt, times: { nowMs, ageMs: 0 } }, delivery);
      if (decision.kind === 'begin-round') break;
      copies += 1;
      if (decision.kind === 'conclude' && decision.conclusion.status === 'scheduled') {
        longestMs = Math.max(longestMs, nowMs - writtenMs);
        writtenMs = nowMs;
        known = { status: 'scheduled', attempt: 1 };
        nowMs += decision.conclusion.tierMs;
      } else nowMs += decision.kind === 'retry-copy' ? decision.next.tierMs : Number.NaN;
    }
    expect(copies).toBeGreaterThan(7 * 24);
    expect(copies).toBeLessThan(200);
    expect(longestMs).toBeGreaterThan(20 * HOUR);
    expect(longestMs).toBeLessThanOrEqual(25 * HOUR);
    expect(nowMs - sendAt).toBeLessThan(10_000);
  });

  it('writes the missing copy of a retry, with the attempts of its round that the copy does not have', () => {
    const [one, two, other] = [1, 2, 2].map((number) => ({ ...attempt('transient'), attempt: number }));
    const known = { ...RETRYING, attempts: [one!, two!, other!] };
    const next = { attempt: 3, dueAtMs: NOW + 5_000, tierMs: 10_000, attempts: [two] };
    expect(read(known, {}, deliveryOf({ history: [one!, other!] }))).toEqual({ kind: 'retry-copy', next });
    const bare = { ...next, dueAtMs: NOW, attempts: [] };
    expect(read({ status: 'retrying', attempt: 2 })).toEqual({ kind: 'retry-copy', next: bare });
  });

  it('waits while another copy is in progress, with the problem not-ready', () => {
    const decision = read(FAILED, { isInProgress: true });
    expect(shown(decision)).toBe('again in 250');
    expect(decision).toMatchObject({ outcome: { problem: { detail: 'the notification waits' } } });
  });

  it('records a new notification beyond a quota as failed, and continues a known one', () => {
    const quota = 'quota-receiver';
    expect(shown(read(undefined, { quota }))).toBe(`failed ${quota}`);
    expect(shown(read({ status: 'retrying', attempt: 1 }, { quota }))).toBe(BEGINS);
  });

  it('writes a dead letter for an id of the other channel, another text, or a command of another system', () => {
    for (const known of [OURS, RETRYING, FAILED, PARKED, SENT]) {
      expect(shown(read({ ...known, channel: 'email' }))).toBe('dead letter duplicate-id');
      const text = { textHash: 'other', isForeign: false };
      expect(shown(read({ ...known, textHash: 'one' }, { text }))).toBe('dead letter duplicate-id');
      expect(shown(read(known, { text: { ...text, isForeign: true } }))).toBe('dead letter foreign-id');
    }
    const edited = { text: { textHash: 'other', isForeign: false } };
    expect(shown(read({ ...FAILED, textHash: 'one' }, edited, deliveryOf({ attempt: 3 })))).toBe(BEGINS);
  });

  it.each<[string, LogEntry | undefined, Partial<DeliveryCopy>, string]>([
    ['nothing is known', undefined, {}, 'failed undecodable-message'],
    ['it was retried', RETRYING, { attempt: 3 }, 'failed undecodable-message'],
    ['it may have been sent', RETRYING, { attempt: 3, ...UNKNOWN_BEFORE }, 'parked outcome-unknown'],
    ['it was sent', SENT, { attempt: 3 }, 'done'],
  ])('ends the notification of a copy with which no round can begin when %s', (_, known, copy, expected) => {
    const situation = { rejection: 'undecodable-message', isDeadlineOver: true, quota: 'quota-receiver' };
    expect(shown(read(known, situation, deliveryOf(copy)))).toBe(expected);
  });

  it.each<[string, Partial<DeliveryCopy>, LogEntry | undefined, string]>([
    ['an original', { isOriginal: true, attempt: 1 }, undefined, 'refused'],
    ['a copy that was attempted', { isOriginal: true, attempt: 3 }, RETRYING, 'failed deadline-exceeded'],
    ['a copy from a tier', { isOriginal: false }, undefined, 'failed deadline-exceeded'],
    ['a copy that may have been sent', UNKNOWN_BEFORE, undefined, 'parked outcome-unknown'],
  ])('takes the expected step after the deadline of %s', (_, copy, known, expected) => {
    expect(shown(read(known, { isDeadlineOver: true }, deliveryOf(copy)))).toBe(expected);
  });

  it('fails after its time limit only with an attempt since the start of the limit', () => {
    const from = NOW - LIMIT - 1;
    const at = (time: number) => deliveryOf({ timeLimitFromMs: from, history: [attempt('transient', time)] });
    expect(shown(read(undefined, { times: LATE }, at(from)))).toBe('failed time-limit-exceeded');
    expect(shown(read(undefined, { times: LATE }, at(from - 1)))).toBe('begins a round overdue');
    expect(shown(read(undefined, { times: { ...TIMES, ageMs: LIMIT } }, at(from)))).toBe(BEGINS);
  });
});

describe('a round without an outcome', () => {
  const intent = sending('gone', 0, { providers: ['one'], repeatableBy: 'hash' });
  const two = { ...intent, providers: ['one', 'two'] };

  it('records the provider only if no other one could have been called', () => {
    const lost = { attempt: 2, at: NOW, result: 'unknown', code: 'lease-over' };
    expect(read(intent)).toMatchObject({ attempts: [{ ...lost, provider: 'one', repeatableBy: 'hash' }] });
    expect(read(two)).toEqual({
      kind: 'conclude',
      conclusion: { status: 'parked', code: 'outcome-unknown' },
      attempts: [{ ...lost, provider: '-' }],
      isOwnRound: false,
    });
    const { repeatableBy: _, ...forgetful } = intent;
    expect(read(forgetful)).toMatchObject({ attempts: [{ ...lost, provider: 'one' }] });
  });

  it.each([
    ['that provider has unchanged settings', intent, ['other', 'hash'], deliveryOf(), 'retrying lease-over'],
    ['its settings changed', intent, ['other'], deliveryOf(), 'parked outcome-unknown'],
    ['another could have been called', two, ['hash'], deliveryOf(), 'parked outcome-unknown'],
    ['the policy is to resend', intent, [], deliveryOf({}, 'resend'), 'retrying lease-over'],
    ['an operator accepts it', intent, [], deliveryOf({ redriveUnknown: true }), 'retrying lease-over'],
  ])('is repeated or parked if %s', (...[, known, repeatable, delivery, expected]) => {
    expect(shown(read(known, { repeatable }, delivery))).toBe(`${expected} by log order`);
  });

  it('of this process is concluded only if a provider was called', () => {
    expect(shown(read(OURS, { hasBegun: true }))).toBe('parked outcome-unknown by log order');
    expect(shown(read(OURS))).toBe(BEGINS);
  });
});

it.each<[NoProvider, boolean, string]>([
  [{ kind: 'not-eligible' }, false, 'parked outcome-unknown'],
  [{ kind: 'none-available', isUnserved: true }, false, 'again in 100'],
  [{ kind: 'none-available', isUnserved: false }, true, 'again in 100'],
  [{ kind: 'none-available', isUnserved: true }, true, 'failed time-limit-exceeded'],
  [{ kind: 'eligible-unavailable', afterMs: 30_000 }, false, 'retry copy 2'],
  [{ kind: 'eligible-unavailable', afterMs: 30_000 }, true, 'failed time-limit-exceeded'],
])('without a provider (%o, overdue: %s) the decision is: %s', (reason, isOverdue, expected) => {
  expect(shown(decideWithoutProvider(deliveryOf(), reason, { nowMs: NOW, isOverdue }))).toBe(expected);
});

it('waits on the tier that covers the wait for a provider', () => {
  const reason = { kind: 'eligible-unavailable', afterMs: 30_000 } as const;
  const next = { attempt: 2, dueAtMs: NOW + MINUTE, tierMs: MINUTE, attempts: [] };
  const decision = decideWithoutProvider(deliveryOf(), reason, { nowMs: NOW, isOverdue: false });
  expect(decision).toEqual({ kind: 'retry-copy', next });
});

describe('the end of a round', () => {
  const timeout: RoundEnd = { kind: 'unknown', code: 'timeout', isRepeatable: false };
  const known: RoundEnd = { ...timeout, isRepeatable: true };
  const busy: RoundEnd = { kind: 'transient', code: 'busy' };
  const gone: RoundEnd = { kind: 'permanent', code: 'gone' };
  const asked = deliveryOf({ redriveUnknown: true });
  const before = deliveryOf(UNKNOWN_BEFORE);
  it.each<[string, RoundEnd, DeliveryContext, string, typeof TIMES?]>([
    ['a rejection fails', gone, deliveryOf(), 'failed gone'],
    ['a rejection parks what may have been sent', gone, before, 'parked outcome-unknown'],
    ['a transient failure is retried', busy, deliveryOf(), 'retrying busy'],
    ['a transient failure that is late fails', busy, deliveryOf(), 'failed time-limit-exceeded', LATE],
    ['one that is late parks what may have been sent', busy, before, 'parked outcome-unknown', LATE],
    ['an unknown outcome is parked', timeout, deliveryOf(), 'parked outcome-unknown'],
    ['an unknown outcome is retried by policy', timeout, deliveryOf({}, 'resend'), 'retrying timeout'],
    ['an unknown outcome is retried if an operator accepts it', timeout, asked, 'retrying timeout'],
    ['an unknown outcome is retried by a provider that knows ids', known, deliveryOf(), 'retrying timeout'],
    ['an unknown outcome that is late is parked', known, asked, 'parked outcome-unknown', LATE],
  ])('%s', (...[, end, delivery, expected, times = TIMES]) => {
    const attempts = [attempt('transient')];
    const decision = decideAfterRound(delivery, { attempts, end }, times);
    expect(shown(decision)).toBe(expected);
    expect(decision).toMatchObject({ attempts, isOwnRound: true });
  });

  it('keeps the id that the provider assigned', () => {
    const end = { kind: 'sent', providerMessageId: 'abc' } as const;
    const conclusion = { status: 'sent', providerMessageId: 'abc' };
    expect(decideAfterRound(deliveryOf(), { attempts: [], end }, TIMES)).toMatchObject({ conclusion });
  });
});
