import { expect, it, onTestFinished, vi } from 'vitest';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { FAULTS, formatEntry } from '../simulation/check/journal.ts';
import { startCluster } from '../simulation/cluster.ts';
import { calmPlan, type FaultPlan, type Incident } from '../simulation/faults/fault-plan.ts';
import { runPlan, type SeedResult } from '../simulation/run-seed.ts';
import { planSeed } from '../simulation/seed-plan.ts';
import { ACTION_PATH, PROOF_REQUEST } from '../support/builders/schedule-call.ts';

/** All workers in one process over the embedded broker, whose disk is simulated. */
const KIND = 'embedded';
const FAULT_MS = 20_000;
const CALL_LIMIT_MS = 10_000;
const SETTLED_MS = 400_000;
const SEED_LIMIT_MS = 60_000;
/** Turns of the event loop of an idle engine, in which sixteen consumers send heartbeats every two seconds. */
const MOST_IDLE_TURNS_PER_SECOND = 20;
const IDLE_SECONDS = 60;

const target = 'engine';
const INCIDENTS: readonly Incident[] = [
  { kind: 'slow-disk', atMs: 500, forMs: 2_000, slowestSyncMs: 200 },
  { kind: 'crash', target, atMs: 3_000, afterEffects: 7, downMs: 1_000 },
  { kind: 'freeze', target, atMs: 5_000, forMs: 800 },
  { kind: 'power-loss', target, atMs: 7_000, afterEffects: 5, downMs: 1_500 },
  { kind: 'clock-step', target, atMs: 9_000, byMs: 400 },
  { kind: 'full-disk', atMs: 10_000, forMs: 2_000 },
  { kind: 'failing-disk', atMs: 13_000, forMs: 500, failedSyncPercent: 50 },
  { kind: 'power-loss', target, atMs: 16_000, afterEffects: 0, downMs: 500 },
  { kind: 'terminate', target, atMs: 18_000, downMs: 1_000 },
];
const RATES = { 'refusing-provider': 0.2, 'silent-provider': 0.1 };

const run = (seed: number, faults: Partial<FaultPlan>): Promise<SeedResult> =>
  runPlan({ ...planSeed(seed, KIND), faults: { ...calmPlan(seed), ...faults } });
const runWithFaults = (seed: number): Promise<SeedResult> =>
  run(seed, { faultMs: FAULT_MS, rates: RATES, incidents: INCIDENTS });
const traceOf = ({ journal, steps }: SeedResult): string =>
  [...journal.entries.map(formatEntry), steps].join('\n');

it('the engine keeps its promises over crashes, power losses and faults of the disk, and repeats a run byte for byte', async () => {
  const first = await runWithFaults(3);
  const starts = first.journal.entries.filter(({ who, text }) => who === FAULTS && text.endsWith(' starts'));
  expect(starts.length).toBeGreaterThan(3);
  expect(first.violations).toEqual([]);
  expect(first.faults).toMatchObject({ crash: 1, 'power-loss': 2, 'failing-disk': 1, terminate: 1 });
  const { clock, monotonic, timers } = systemPorts;
  const used = [
    vi.spyOn(clock, 'now'),
    vi.spyOn(monotonic, 'elapsedMs'),
    vi.spyOn(timers, 'schedule'),
    vi.spyOn(timers, 'nextTurn'),
    vi.spyOn(systemPorts, 'newId'),
    vi.spyOn(systemPorts, 'random'),
  ];
  onTestFinished(() => used.forEach((spy) => spy.mockRestore()));
  expect(traceOf(await runWithFaults(3))).toBe(traceOf(first));
  // No part of a simulated engine uses the clocks, timers or randomness of the system.
  expect(used.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0, 0, 0, 0]);
});

it('the engine without faults keeps its promises, and every worker writes records', async () => {
  const result = await run(1, {});
  expect(result.violations).toEqual([]);
  const text = traceOf(result);
  for (const worker of ['schedule', 'product', 'simulation', 'notification'])
    expect(text).toMatch(new RegExp(`writes [^\n]* to plat\\.${worker}\\.`));
  for (const group of ['schedule.interactive', 'notification.sms'])
    expect(text).toMatch(new RegExp(`commits [^\n]* of plat\\.${group}`));
});

it('wakes an idle engine up at most twenty times a second', { timeout: SEED_LIMIT_MS }, async () => {
  const engine = await startCluster({ plan: calmPlan(1), kind: KIND });
  const { system } = engine;
  const request = { method: 'POST', url: ACTION_PATH, body: { jsonParam: PROOF_REQUEST } } as const;
  expect(await system.run(engine.call(target, request), CALL_LIMIT_MS)).toMatchObject({ status: 200 });
  await system.pass(SETTLED_MS);
  const before = system.turns();
  await system.pass(IDLE_SECONDS * 1_000);
  expect((system.turns() - before) / IDLE_SECONDS).toBeLessThan(MOST_IDLE_TURNS_PER_SECOND);
  await engine.stop();
});
