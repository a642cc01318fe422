import { expect, it } from 'vitest';
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

const observeEach10s = (groups: readonly SystemGroup[]) => {
  const watch = createProgressWatch();
  return groups.map((group, index) => watch([group], index * 10_000).get(group.groupId));
};

it('a system without anything unusual is ok', () => {
  const findings = find({ groups: [GROUP] });
  expect([findings, worstOf(findings)]).toEqual([[], 'ok']);
});

it('open dead letters and parked notifications are warnings, with the age of the oldest', () => {
  const oldestAtMs = Date.UTC(2026, 4, 1, 10);
  const since = '2026-05-01T10:00:00.000Z';
  const none = { count: 0, oldestAtMs: undefined };
  expect(findFindings(WELL, NONE, { open: none, parked: none })).toEqual([]);
  const letters = { open: { count: 4, oldestAtMs }, parked: { count: 1, oldestAtMs } };
  expect(findFindings(WELL, NONE, letters)).toMatchObject([
    {
      severity: 'warning',
      code: 'dead-letters-open',
      text: `4 dead letters are open; the oldest since ${since}.`,
      parameters: { count: 4, since },
    },
    {
      code: 'notifications-parked',
      text: `1 notification may have been sent: ask the provider; the oldest since ${since}.`,
    },
  ]);
});

const AWAY = {
  kind: 'kafka',
  fault: 'no answer within 3 s',
  faultCode: 'no-answer',
  faultDetail: '3 s',
} as const;
const GONE = { name: 'n:1', workers: [], fault: 'cannot be reached: ECONNREFUSED' };
const WAITING = { status: 'starting', reason: 'not yet assigned' } as const;
const worker = (name: string, ...workers: Observed['processes'][number]['workers']) => ({
  processes: [{ name, workers }],
});

it.each<[string, Partial<Observed>, finding: string, more: object]>([
  [
    'a broker that cannot be read',
    { broker: AWAY, catalogue: undefined },
    'critical broker-unreadable broker',
    {
      text: 'The state of the broker cannot be read: no answer within 3 s.',
      parameters: { faultCode: 'no-answer', faultDetail: '3 s' },
    },
  ],
  [
    'a process that cannot be read',
    { processes: [GONE] },
    'critical process-unreadable n:1',
    { parameters: { process: 'n:1' } },
  ],
  [
    'a worker that is not ready, with its reason',
    worker('b:1', { name: 'schedule', ...WAITING }),
    'critical worker-not-ready schedule of b:1',
    { text: 'starting: not yet assigned', parameters: { process: 'b:1', worker: 'schedule', ...WAITING } },
  ],
  [
    'a worker that serves requests with a restriction',
    worker('this', { name: 'schedule', status: 'degraded' }),
    'warning worker-not-ready schedule',
    {},
  ],
  [
    'messages that no process reads',
    { groups: [unread] },
    `critical group-without-members ${GROUP.groupId}`,
    {
      text: 'No process reads plat.schedule.requests.v1: 3 messages wait.',
      parameters: { topic: GROUP.topic, waiting: 3 },
    },
  ],
  [
    'a group that has read before and has no member',
    { groups: [{ ...unread, lag: 0 }] },
    `warning group-without-members ${GROUP.groupId}`,
    {},
  ],
  [
    'a provider that fails',
    { breakers: [OPEN] },
    'warning breaker-open sms/main',
    { parameters: { process: 'n:1' } },
  ],
  ['an absent catalogue', { catalogue: { version: 0 } }, 'warning catalogue-absent catalogue', {}],
])('reports %s', (_what, changes, finding, more) => {
  const found = find(changes);
  expect(found.map((one) => `${one.severity} ${one.code} ${one.subject}`)).toEqual([finding]);
  expect(found).toMatchObject([more]);
});

it('lists the most severe first', () => {
  const findings = find({ catalogue: { version: 0 }, groups: [unread], breakers: [OPEN] });
  expect(findings.map(({ severity }) => severity)).toEqual(['critical', 'warning', 'warning']);
  expect([worstOf(findings), worstOf(findings.slice(1))]).toEqual(['critical', 'warning']);
});

it('a group that completes nothing for a minute is without progress, unless its messages wait until they are due', () => {
  const behind: SystemGroup = {
    ...GROUP,
    lag: 50,
    partitions: [{ partition: 0, lag: 50, end: 100, committed: 50 }],
  };
  const stalled = observeEach10s(Array.from({ length: 8 }, () => behind));
  expect(stalled).toEqual([...Array.from({ length: 6 }), 60_000, 70_000]);
  const stalledMs = new Map([[GROUP.groupId, 70_000]]);
  expect(findFindings({ ...WELL, groups: [behind] }, stalledMs, undefined)).toMatchObject([
    {
      code: 'group-without-progress',
      text: '50 messages wait, and none has been completed for 70 s.',
      parameters: { topic: GROUP.topic, waiting: 50, seconds: 70 },
    },
  ]);
  const delayed = Array.from({ length: 20 }, () => ({ ...behind, delayed: true }));
  expect(new Set(observeEach10s(delayed))).toEqual(new Set([undefined]));
});
