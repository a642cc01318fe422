import { describe, expect, it } from 'vitest';
import type { SystemGroup } from '../../../../../shared/api/operations/system-state.ts';
import {
  createProgressWatch,
  findFindings,
  worstOf,
  type Observed,
} from '../../../../../workers/ingress/operations/system/findings.ts';

const WELL: Observed = {
  version: '1.0.0',
  broker: { kind: 'kafka' },
  processes: [{ name: 'this', workers: [{ name: 'ingress', status: 'ready' }] }],
  groups: [],
  breakers: [],
  catalogue: { version: 12 },
};
const GROUP: SystemGroup = {
  groupId: 'plat.schedule.interactive',
  worker: 'schedule',
  topic: 'plat.schedule.requests.v1',
  state: 'stable',
  delayed: false,
  lag: 0,
  members: [{ memberId: 'a', clientId: 'schedule-interactive', partitions: [0] }],
  partitions: [{ partition: 0, lag: 0, end: 9, committed: 9 }],
};
const OPEN = { process: 'n:1', name: 'sms/main', state: 'open' } as const;
const NONE = new Map<string, number>();
const find = (changes: Partial<Observed>) => findFindings({ ...WELL, ...changes }, NONE, undefined);
const unread: SystemGroup = { ...GROUP, state: 'empty', members: [], lag: 3 };

const behind = (committed: number): SystemGroup => ({
  ...GROUP,
  lag: 100 - committed,
  partitions: [{ partition: 0, lag: 100 - committed, end: 100, committed }],
});
const observeEach10s = (groups: readonly SystemGroup[]) => {
  const watch = createProgressWatch();
  return groups.map((group, index) => watch.observe([group], index * 10_000).get(group.groupId));
};

describe('the findings of a system', () => {
  it('a system without anything unusual is ok', () => {
    const findings = find({ groups: [GROUP] });
    expect(findings).toEqual([]);
    expect(worstOf(findings)).toBe('ok');
  });

  it('open dead letters and parked notifications are warnings, with the age of the oldest', () => {
    const oldestAtMs = Date.UTC(2026, 4, 1, 10);
    const none = { count: 0, oldestAtMs: undefined };
    expect(findFindings(WELL, NONE, { open: none, parked: none })).toEqual([]);
    const findings = findFindings(WELL, NONE, {
      open: { count: 4, oldestAtMs },
      parked: { count: 1, oldestAtMs },
    });
    expect(findings).toMatchObject([
      {
        severity: 'warning',
        code: 'dead-letters-open',
        text: '4 dead letters are open; the oldest since 2026-05-01T10:00:00.000Z.',
        parameters: { count: 4, since: '2026-05-01T10:00:00.000Z' },
      },
      {
        code: 'notifications-parked',
        text: '1 notification may have been sent: ask the provider; the oldest since 2026-05-01T10:00:00.000Z.',
      },
    ]);
  });

  it.each<[string, Partial<Observed>, object]>([
    [
      'a broker that cannot be read',
      {
        broker: { kind: 'kafka', fault: 'no answer within 3 s', faultCode: 'no-answer', faultDetail: '3 s' },
        catalogue: undefined,
      },
      {
        severity: 'critical',
        code: 'broker-unreadable',
        subject: 'broker',
        text: 'The state of the broker cannot be read: no answer within 3 s.',
        parameters: { faultCode: 'no-answer', faultDetail: '3 s' },
      },
    ],
    [
      'a process that cannot be read',
      { processes: [{ name: 'schedule-1:9000', workers: [], fault: 'cannot be reached: ECONNREFUSED' }] },
      {
        severity: 'critical',
        code: 'process-unreadable',
        subject: 'schedule-1:9000',
        parameters: { process: 'schedule-1:9000' },
      },
    ],
    [
      'a worker that is not ready, with its reason',
      {
        processes: [
          { name: 'b:1', workers: [{ name: 'schedule', status: 'starting', reason: 'not yet assigned' }] },
        ],
      },
      {
        severity: 'critical',
        subject: 'schedule of b:1',
        text: 'starting: not yet assigned',
        parameters: { process: 'b:1', worker: 'schedule', status: 'starting', reason: 'not yet assigned' },
      },
    ],
    [
      'a worker that serves requests with a restriction',
      { processes: [{ name: 'this', workers: [{ name: 'schedule', status: 'degraded' }] }] },
      { severity: 'warning', code: 'worker-not-ready', subject: 'schedule' },
    ],
    [
      'messages that no process reads',
      { groups: [unread] },
      {
        severity: 'critical',
        text: 'No process reads plat.schedule.requests.v1: 3 messages wait.',
        parameters: { topic: 'plat.schedule.requests.v1', waiting: 3 },
      },
    ],
    [
      'a group that has read before and has no member',
      { groups: [{ ...unread, lag: 0 }] },
      { severity: 'warning', code: 'group-without-members' },
    ],
    [
      'a provider that fails',
      { breakers: [OPEN] },
      {
        severity: 'warning',
        code: 'breaker-open',
        subject: 'sms/main',
        parameters: { process: 'n:1' },
      },
    ],
    [
      'an installation without a catalogue',
      { catalogue: { version: 0 } },
      { severity: 'warning', code: 'catalogue-absent' },
    ],
  ])('reports %s', (_what, changes, finding) => {
    expect(find(changes)).toMatchObject([finding]);
  });

  it('lists the most severe first', () => {
    const findings = find({ catalogue: { version: 0 }, groups: [unread], breakers: [OPEN] });
    expect(findings.map(({ severity }) => severity)).toEqual(['critical', 'warning', 'warning']);
    expect(worstOf(findings)).toBe('critical');
    expect(worstOf(findings.slice(1))).toBe('warning');
  });
});

describe('the progress of groups', () => {
  it('a group that completes nothing for a minute is without progress', () => {
    const stalled = observeEach10s(Array.from({ length: 8 }, () => behind(50)));
    expect(stalled.slice(0, 6)).toEqual(Array.from({ length: 6 }));
    expect(stalled.slice(6)).toEqual([60_000, 70_000]);
    const [finding] = findFindings(
      { ...WELL, groups: [behind(50)] },
      new Map([[GROUP.groupId, 70_000]]),
      undefined,
    );
    expect(finding).toMatchObject({
      code: 'group-without-progress',
      text: '50 messages wait, and none has been completed for 70 s.',
      parameters: { topic: GROUP.topic, waiting: 50, seconds: 70 },
    });
  });

  it('messages that wait until they are due are no stall', () => {
    const groups = Array.from({ length: 20 }, () => ({ ...behind(50), delayed: true }));
    expect(observeEach10s(groups).every((since) => since === undefined)).toBe(true);
  });
});
