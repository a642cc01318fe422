import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NotificationState } from '../../../../shared/notification/notification-state.ts';
import { createAgeClock } from '../../../../workers/notification/jump-resistant-clock.ts';
import { LedgerMemory } from '../../../../workers/notification/ledger/ledger-memory.ts';
import {
  decide,
  supersedes,
  type LedgerEntry,
} from '../../../../workers/notification/state/delivery-state.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const SELF = 'this-process';

const sending = (attempt: number, owner: string, leaseEndsMs: number): LedgerEntry => ({
  status: 'sending',
  attempt,
  owner,
  leaseEndsMs,
});
const ours = sending(2, SELF, NOW + 30_000);
const theirs = sending(2, 'another', NOW + 30_000);
const soon = sending(2, 'another', NOW + 300);
const lost = sending(2, 'another', NOW - 1);
const retrying: LedgerEntry = { status: 'retrying', attempt: 2, nextAttemptAt: NOW };
const failed: LedgerEntry = { status: 'failed', attempt: 2, code: 'smtp-550' };
const parked: LedgerEntry = { status: 'parked', attempt: 2, code: 'outcome-unknown' };
const sent: LedgerEntry = { status: 'sent', attempt: 2 };

/** What a reader ends with that gets the states in this order. */
const last = (entries: readonly LedgerEntry[]) => {
  let known: LedgerEntry | undefined;
  for (const entry of entries) if (supersedes(entry, known)) known = entry;
  return known?.status === 'sent' ? 'sent' : known;
};
const state = (id: number, status: NotificationState['status'], updatedAt = NOW): NotificationState => ({
  notificationId: String(id),
  channel: 'sms',
  status,
  attempt: 1,
  attempts: [],
  updatedAt,
  nextAttemptAt: undefined,
  providerMessageId: undefined,
  code: undefined,
  owner: 'a',
  leaseUntil: NOW + 1,
});

describe('what is left to do with a copy', () => {
  it.each([
    ['nothing is known', undefined, 1, 'go'],
    ['it was sent', sent, 1, 'skip'],
    ['it was sent, and an operator sends it again', sent, 3, 'skip'],
    ['our own intent was never acted upon', ours, 2, 'go'],
    ['our own intent is of a later round', ours, 1, 'skip'],
    ['another process may be sending it', theirs, 2, 'wait'],
    ['another process may be sending it, in an earlier round', theirs, 3, 'wait'],
    ['another process may be sending a later round', theirs, 1, 'skip'],
    ['another process never told what became of it', lost, 2, 'unknown'],
    ['another process never told what became of a later round', lost, 1, 'skip'],
    ['another process never told, and a later round is asked for', lost, 3, 'unknown'],
    ['an earlier round ended in a retry', retrying, 3, 'go'],
    ['this round ended in a retry', retrying, 2, 'retry-again'],
    ['a later round ended in a retry', retrying, 1, 'skip'],
    ['it failed in this round', failed, 2, 'bury-again'],
    ['it failed in a later round', failed, 1, 'skip'],
    ['it failed, and an operator sends it again', failed, 3, 'go'],
    ['it is parked', parked, 2, 'bury-again'],
    ['it is parked since a later round', parked, 1, 'skip'],
    ['it is parked, and an operator sends it again as if it had failed', parked, 3, 'bury-again'],
  ])('when %s', (_, known, attempt, kind) => {
    const situation = { elapsedMs: NOW, self: SELF, isRunning: false };
    expect(decide({ attempt, redriveUnknown: false }, known, situation).kind).toBe(kind);
  });

  it('a parked one goes when an operator accepts that it may be sent twice, and only in a later round', () => {
    const situation = { elapsedMs: NOW, self: SELF, isRunning: false };
    expect(decide({ attempt: 3, redriveUnknown: true }, parked, situation).kind).toBe('go');
    expect(decide({ attempt: 2, redriveUnknown: true }, parked, situation)).toEqual({
      kind: 'bury-again',
      code: 'outcome-unknown',
    });
  });

  it('an intent of this process is unknown once a provider may have got the message', () => {
    const situation = { elapsedMs: NOW, self: SELF, isRunning: false, hasBegun: true };
    const copy = { attempt: 2, redriveUnknown: false };
    expect(decide(copy, ours, situation).kind).toBe('unknown');
    expect(decide({ ...copy, attempt: 3 }, ours, situation).kind).toBe('unknown');
    expect(decide(copy, theirs, situation).kind).toBe('wait');
    expect(decide(copy, failed, { ...situation }).kind).toBe('bury-again');
  });

  it('waits no longer than a second before it looks again, and ends just after the lease', () => {
    const situation = { elapsedMs: NOW, self: SELF, isRunning: false };
    const copy = { attempt: 2, redriveUnknown: false };
    expect(decide(copy, theirs, situation)).toEqual({ kind: 'wait', afterMs: 1_000 });
    expect(decide(copy, soon, situation)).toEqual({ kind: 'wait', afterMs: 301 });
  });

  it('waits whatever is known while this process is in a round of it', () => {
    for (const known of [undefined, ours, lost, retrying, failed, parked, sent]) {
      const situation = { elapsedMs: NOW, self: SELF, isRunning: true };
      expect(decide({ attempt: 9, redriveUnknown: true }, known, situation).kind).toBe('wait');
    }
  });
});

describe('which of two states counts', () => {
  it('of two intents of one round the first on the log; a process may renew its own', () => {
    expect(supersedes(sending(2, 'b', NOW), sending(2, 'a', NOW))).toBe(false);
    expect(supersedes(sending(2, 'a', NOW + 1), sending(2, 'a', NOW))).toBe(true);
    expect(supersedes(sending(3, 'b', NOW), sending(2, 'a', NOW))).toBe(true);
  });

  it('an outcome before a guess, sent before everything, a later round before an earlier one', () => {
    expect(supersedes(parked, theirs)).toBe(true);
    expect(supersedes(retrying, parked)).toBe(true);
    expect(supersedes(parked, retrying)).toBe(false);
    expect(supersedes(theirs, retrying)).toBe(false);
    expect(supersedes({ ...sent, attempt: 1 }, parked)).toBe(true);
    expect(supersedes({ ...failed, attempt: 9 }, sent)).toBe(false);
    expect(supersedes({ ...theirs, attempt: 3 }, failed)).toBe(true);
    expect(supersedes({ ...failed, attempt: 1 }, retrying)).toBe(false);
  });

  it('an id belongs to the channel that had it first, whatever the other one says', () => {
    const text = { ...sending(2, 'a', NOW), channel: 'sms' } as const;
    expect(supersedes({ ...text, channel: 'email' }, text)).toBe(false);
    expect(supersedes({ ...sent, channel: 'email' }, text)).toBe(false);
    expect(supersedes({ ...sent, channel: 'sms' }, text)).toBe(true);
  });

  it('readers that get outcomes in any order end with the same state', () => {
    const outcome = fc.record({
      status: fc.constantFrom('retrying', 'failed', 'parked', 'sent'),
      attempt: fc.integer({ min: 1, max: 4 }),
    }) as fc.Arbitrary<LedgerEntry>;
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1, maxLength: 6 }), (entries) => {
        expect(last(entries.toReversed())).toEqual(last(entries));
      }),
    );
  });
});

describe('the ledger in memory', () => {
  it('keeps to its limit by forgetting the oldest ends, never what is under way', () => {
    const memory = new LedgerMemory({ maxEntries: 10 });
    memory.take(state(0, 'sending'));
    memory.take(state(1, 'retrying'));
    for (let id = 2; id < 30; id += 1) memory.take(state(id, id % 7 === 0 ? 'failed' : 'sent'));
    expect(memory.size).toBe(10);
    expect(memory.find('0')?.status).toBe('sending');
    expect(memory.find('1')?.status).toBe('retrying');
    expect(memory.find('2')).toBeUndefined();
    expect(memory.find('29')?.status).toBe('sent');
    expect(memory.forgotten).toBe(20);
  });

  it('forgets ends that have outlived the topic', () => {
    const memory = new LedgerMemory({ retentionMs: 60_000 });
    memory.take(state(1, 'sent', NOW));
    memory.take(state(2, 'failed', NOW));
    memory.take(state(3, 'sent', NOW + 61_000));
    expect([memory.find('1'), memory.find('2'), memory.find('3')?.status]).toEqual([
      undefined,
      undefined,
      'sent',
    ]);
    expect(memory.forgotten).toBe(0);
  });

  it('takes no time of another process for later than its own clock, and no lease for longer than any is', () => {
    const clock = { now: () => NOW };
    const memory = new LedgerMemory({
      clock,
      monotonic: { elapsedMs: () => 0 },
      retentionMs: 60_000,
      longestLeaseMs: (providers = 10) => providers * 100,
    });
    memory.take(state(1, 'sent', NOW));
    memory.take(state(2, 'sent', NOW + 86_400_000));
    expect(memory.find('1')?.status).toBe('sent');
    const leaseUntil = NOW + 3_600_000;
    memory.take({ ...state(3, 'sending'), leaseUntil, providers: ['a', 'b'] });
    memory.take({ ...state(4, 'sending'), leaseUntil });
    memory.take({ ...state(5, 'sending'), providers: ['a', 'b'] });
    expect(['3', '4', '5'].map((id) => memory.find(id)?.leaseEndsMs)).toEqual([200, 1_000, 1]);
  });

  it.each([
    ['an hour ahead', HOUR_MS],
    ['an hour behind', -HOUR_MS],
  ])('counts a lease from when it was read, by a writer whose clock is %s', (_, skewMs) => {
    let elapsedMs = 500;
    const memory = new LedgerMemory({ monotonic: { elapsedMs: () => elapsedMs } });
    const updatedAt = NOW + skewMs;
    memory.take({ ...state(1, 'sending', updatedAt), owner: 'another', leaseUntil: updatedAt + 30_000 });
    const copy = { attempt: 1, redriveUnknown: false };
    const situation = () => ({ elapsedMs, self: SELF, isRunning: false });
    elapsedMs += 30_000;
    expect(decide(copy, memory.find('1'), situation())).toEqual({ kind: 'wait', afterMs: 1 });
    elapsedMs += 1;
    expect(decide(copy, memory.find('1'), situation()).kind).toBe('unknown');
  });

  it('dates the next attempt no later than the wait that its writer meant, by this clock', () => {
    const memory = new LedgerMemory({ clock: { now: () => NOW } });
    const ahead = NOW + HOUR_MS;
    memory.take({ ...state(1, 'retrying', ahead), nextAttemptAt: ahead + 10_000 });
    memory.take({ ...state(2, 'retrying', NOW - 4_000), nextAttemptAt: NOW + 6_000 });
    expect(['1', '2'].map((id) => memory.find(id)?.nextAttemptAt)).toEqual([NOW + 10_000, NOW + 6_000]);
  });

  it('forgets nothing because the clock of its own process jumps ahead', () => {
    let jumpMs = 0;
    const clock = { now: () => NOW + jumpMs };
    const ageClock = createAgeClock(clock, { elapsedMs: () => 0 });
    const memory = new LedgerMemory({ clock, ageClock, retentionMs: 60_000 });
    memory.take(state(1, 'sent', NOW));
    jumpMs = HOUR_MS;
    memory.take(state(2, 'sent', clock.now()));
    expect(memory.find('1')?.status).toBe('sent');
  });

  it('knows the channel of each', () => {
    const memory = new LedgerMemory();
    for (const [index, status] of (['sending', 'retrying', 'sent', 'failed', 'parked'] as const).entries()) {
      for (const channel of ['sms', 'email'] as const) {
        const one = { ...state(index, status), notificationId: `${channel} ${index}`, channel };
        memory.take(one);
        expect(memory.find(one.notificationId)).toMatchObject({ status, channel });
      }
    }
  });

  it('tells the intents without an outcome, and those whose lease is over', () => {
    let elapsedMs = 0;
    const memory = new LedgerMemory({ monotonic: { elapsedMs: () => elapsedMs } });
    memory.take(state(1, 'sending'));
    memory.take(state(2, 'sending'));
    memory.take(state(2, 'sent'));
    memory.take(state(3, 'retrying'));
    expect(memory.sending()).toEqual({ intents: 1, overdue: 0, retrying: 1 });
    elapsedMs = 2;
    expect(memory.sending()).toMatchObject({ overdue: 1 });
  });
});
