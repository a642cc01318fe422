import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { supersedes } from '../../../shared/notification/state-precedence.ts';
import type { LogEntry } from '../../../workers/notification/state/delivery-log.ts';

const sending = (attempt: number, owner: string): LogEntry => ({ status: 'sending', attempt, owner });
const theirs = sending(2, 'another');
const retrying: LogEntry = { status: 'retrying', attempt: 2 };
const failed: LogEntry = { status: 'failed', attempt: 2, code: 'smtp-550' };
const parked: LogEntry = { status: 'parked', attempt: 2, code: 'outcome-unknown' };
const sent: LogEntry = { status: 'sent', attempt: 2 };

const last = (entries: readonly LogEntry[]) => {
  let known: LogEntry | undefined;
  for (const entry of entries) if (supersedes(entry, known)) known = entry;
  return known?.status === 'sent' ? 'sent' : known;
};

describe('supersedes', () => {
  it('prefers the first of two intents of one round, unless a process renews its own', () => {
    expect(supersedes(sending(2, 'b'), sending(2, 'a'))).toBe(false);
    expect(supersedes(sending(2, 'a'), sending(2, 'a'))).toBe(true);
    expect(supersedes(sending(3, 'b'), sending(2, 'a'))).toBe(true);
  });

  it('prefers outcomes over parked, sent over everything, and later rounds over earlier ones', () => {
    expect(supersedes(parked, theirs)).toBe(true);
    expect(supersedes(retrying, parked)).toBe(true);
    expect(supersedes(parked, retrying)).toBe(false);
    expect(supersedes(theirs, retrying)).toBe(false);
    expect(supersedes({ ...sent, attempt: 1 }, parked)).toBe(true);
    expect(supersedes({ ...failed, attempt: 9 }, sent)).toBe(false);
    expect(supersedes({ ...theirs, attempt: 3 }, failed)).toBe(true);
    expect(supersedes({ ...failed, attempt: 1 }, retrying)).toBe(false);
  });

  it('lets the first of cancelled and sending decide about a scheduled one, whose later state replaces it', () => {
    const scheduled: LogEntry = { status: 'scheduled', attempt: 1 };
    const cancelled: LogEntry = { status: 'cancelled', attempt: 1 };
    const begun = sending(1, 'a');
    expect(last([scheduled, cancelled, begun, sent])).toBe('sent');
    expect(last([scheduled, cancelled, begun, scheduled])).toBe(cancelled);
    expect(last([scheduled, begun, cancelled, scheduled])).toBe(begun);
    const again = { ...scheduled };
    expect(last([scheduled, again])).toBe(again);
  });

  it('reserves an id for the channel that used it first', () => {
    const text = { ...sending(2, 'a'), channel: 'sms' } as const;
    expect(supersedes({ ...text, channel: 'email' }, text)).toBe(false);
    expect(supersedes({ ...sent, channel: 'email' }, text)).toBe(false);
    expect(supersedes({ ...sent, channel: 'sms' }, text)).toBe(true);
  });

  it('leads to the same state for outcomes in any order', () => {
    const outcome = fc.record({
      status: fc.constantFrom('retrying', 'failed', 'parked', 'sent'),
      attempt: fc.integer({ min: 1, max: 4 }),
    }) as fc.Arbitrary<LogEntry>;
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1, maxLength: 6 }), (entries) => {
        expect(last(entries.toReversed())).toEqual(last(entries));
      }),
    );
  });
});
