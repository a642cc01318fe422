import { describe, expect, it, onTestFinished } from 'vitest';
import type { NotificationState } from '../../../../shared/notification/notification-state.ts';
import { RecordIndex, type IndexLimits } from '../../../../shared/messaging/record-index/record-index.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { systemTimers } from '../../../../shared/platform/timers.ts';
import {
  LedgerEntries,
  type LedgerEntriesOptions,
} from '../../../../workers/notification/ledger/ledger-entries.ts';
import { notificationState } from '../../../support/builders/notification-state.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

const state = (id: number, status: NotificationState['status'], updatedAt = NOW): NotificationState =>
  notificationState(String(id), { status, updatedAt, owner: 'a', leaseUntil: NOW + 1 });

interface Options extends Partial<LedgerEntriesOptions> {
  readonly retentionMs?: number;
  readonly limits?: Partial<IndexLimits>;
}

const memoryOf = ({ retentionMs = 72 * HOUR_MS, limits = {}, ...options }: Options = {}) => {
  const { clock = { now: () => NOW } } = options;
  const index = new RecordIndex({
    name: 'ledger',
    file: undefined,
    retentionMs,
    limits,
    clock,
    timers: systemTimers,
    log: silentLog,
  });
  onTestFinished(() => index.close());
  return new LedgerEntries(index, {
    clock,
    monotonic: { elapsedMs: () => 0 },
    longestLeaseMs: () => Infinity,
    ...options,
  });
};

describe('the entries of the ledger', () => {
  it('removes ended notifications after the retention', () => {
    let nowMs = NOW;
    const memory = memoryOf({ retentionMs: 60_000, clock: { now: () => nowMs } });
    memory.apply(state(1, 'sent'));
    memory.apply(state(2, 'failed'));
    memory.apply(state(3, 'retrying'));
    const found = () => ['1', '2', '3'].map((id) => memory.find(id)?.status);
    nowMs = NOW + 60_000;
    expect(found()).toEqual(['sent', 'failed', 'retrying']);
    nowMs = NOW + 60_001;
    expect(found()).toEqual([undefined, undefined, 'retrying']);
  });

  it('limits times of other processes by its own clock, and leases by the longest possible lease', () => {
    const clock = { now: () => NOW };
    const memory = memoryOf({
      clock,
      retentionMs: 60_000,
      longestLeaseMs: (providers = 10) => providers * 100,
    });
    memory.apply(state(1, 'sent', NOW));
    memory.apply(state(2, 'sent', NOW + 86_400_000));
    expect(memory.find('1')?.status).toBe('sent');
    const leaseUntil = NOW + 3_600_000;
    memory.apply({ ...state(3, 'sending'), leaseUntil, providers: ['a', 'b'] });
    memory.apply({ ...state(4, 'sending'), leaseUntil });
    memory.apply({ ...state(5, 'sending'), providers: ['a', 'b'] });
    expect(['3', '4', '5'].map((id) => memory.find(id)?.leaseEndsMs)).toEqual([200, 1_000, 1]);
  });

  it.each([
    ['an hour ahead', HOUR_MS],
    ['an hour behind', -HOUR_MS],
  ])('measures a lease from the time at which it was read if the clock of its writer is %s', (_, skewMs) => {
    const memory = memoryOf({ monotonic: { elapsedMs: () => 500 } });
    const updatedAt = NOW + skewMs;
    memory.apply({ ...state(1, 'sending', updatedAt), owner: 'another', leaseUntil: updatedAt + 30_000 });
    expect(memory.find('1')?.leaseEndsMs).toBe(30_500);
  });

  it('limits the time until the next attempt to the wait that its writer planned, measured by the local clock', () => {
    const memory = memoryOf({ clock: { now: () => NOW } });
    const ahead = NOW + HOUR_MS;
    memory.apply({ ...state(1, 'retrying', ahead), nextAttemptAt: ahead + 10_000 });
    memory.apply({ ...state(2, 'retrying', NOW - 4_000), nextAttemptAt: NOW + 6_000 });
    expect(['1', '2'].map((id) => memory.find(id)?.nextAttemptAt)).toEqual([NOW + 10_000, NOW + 6_000]);
  });

  it('returns the channel of a notification in each status', () => {
    const memory = memoryOf();
    for (const [index, status] of (['sending', 'retrying', 'sent', 'failed', 'parked'] as const).entries()) {
      for (const channel of ['sms', 'email'] as const) {
        const one = { ...state(index, status), notificationId: `${channel} ${index}`, channel };
        memory.apply(one);
        expect(memory.find(one.notificationId)).toMatchObject({ status, channel });
      }
    }
  });

  it('counts intents without an outcome, expired leases and retrying notifications', () => {
    let elapsedMs = 0;
    const memory = memoryOf({ monotonic: { elapsedMs: () => elapsedMs } });
    memory.apply(state(1, 'sending'));
    memory.apply(state(2, 'sending'));
    memory.apply(state(2, 'sent'));
    memory.apply(state(3, 'retrying'));
    expect(memory.sending()).toEqual({ intents: 1, overdue: 0, retrying: 1 });
    elapsedMs = 1;
    expect(memory.sending()).toMatchObject({ overdue: 0 });
    elapsedMs = 2;
    expect(memory.sending()).toMatchObject({ overdue: 1 });
  });
});
