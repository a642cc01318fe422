import { expect, it } from 'vitest';
import type { Schemas } from '../../../../workers/ingress/workbench/app/schemas.ts';
import { figuresOf, TOTAL, totalsOf } from '../../../../workers/ingress/workbench/app/system/figures.ts';

type SystemState = Schemas['SystemState'];

const rate = (changes: Partial<SystemState['rates'][number]> = {}): SystemState['rates'][number] => ({
  process: 'this',
  kind: 'request',
  name: 'A',
  count: 60,
  perSecond: 1,
  failed: 0,
  p50Ms: 2,
  p99Ms: 9,
  windowSeconds: 60,
  ...changes,
});
const group = (changes: Partial<SystemState['groups'][number]> = {}): SystemState['groups'][number] => ({
  groupId: 'g',
  worker: 'schedule',
  topic: 't',
  state: 'stable',
  delayed: false,
  lag: 0,
  members: [],
  partitions: [],
  ...changes,
});
const state = (changes: Partial<SystemState>): SystemState => ({
  at: '2026-05-01T08:00:00.000Z',
  status: 'ok',
  version: '1.0.0',
  findings: [],
  broker: { kind: 'kafka' },
  processes: [],
  groups: [],
  rates: [],
  breakers: [],
  ...changes,
});

it('the totals are those of all actions, and the duration that of the slowest', () => {
  const rates = [rate(), rate({ name: 'B', p99Ms: 400, failed: 2 }), rate({ kind: 'message', failed: 1 })];
  expect(totalsOf(state({ rates }))).toEqual({ requestsPerSecond: 2, slowestMs: 400, failed: 3, waiting: 0 });
  expect(totalsOf(state({})).slowestMs).toBeUndefined();
});

it('messages that wait until they are due do not count as waiting', () => {
  const groups = [group({ lag: 3 }), group({ groupId: 'tier', lag: 50, delayed: true })];
  expect(totalsOf(state({ groups })).waiting).toBe(3);
  expect(figuresOf(state({ groups })).get('lag tier')).toBe(50);
});

it('a rate since the start of a process has no place in the line of the last minutes', () => {
  const figures = figuresOf(state({ rates: [rate({ windowSeconds: 3_600 }), rate({ name: 'B' })] }));
  expect([...figures.keys()].filter((key) => !Object.values(TOTAL).includes(key))).toEqual([
    'rate this request B',
    'p99 this request B',
  ]);
});
