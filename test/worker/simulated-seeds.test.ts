import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { formatEntry } from '../simulation/check/journal.ts';
import { calmPlan } from '../simulation/faults/fault-plan.ts';
import { failureLines } from '../simulation/failure-report.ts';
import { runPlan } from '../simulation/run-seed.ts';
import type { PlantedFault } from '../simulation/planted-faults.ts';
import { planSeed } from '../simulation/seed-plan.ts';

/** The seeds of every run of the tests: always the same, so that a failure is due to a change. */
const FIRST_SEED = 1;
const SEEDS = 20;
/** Further seeds, such as `1000-1200`. */
const MORE = /^(\d+)-(\d+)$/.exec(process.env['SIMULATED_SEEDS'] ?? '');
const MORE_SEEDS = MORE === null ? [] : [{ from: Number(MORE[1]), to: Number(MORE[2]) }];
/** A seed takes half a second; a busy machine a multiple of it. */
const SEED_LIMIT_MS = 10_000;
const PROCESS_LIMIT_MS = 120_000;
/** A seed with crashes, frozen processes and failing providers. */
const SEED = 15;
const CALM_SEEDS = [1, 6, 20];
const TRACE_LINE = /^ +\d+\.\d{6} /;

/** Runs the seeds up to the first that fails, and returns how it failed. */
async function findFailure(from: number, to: number): Promise<string> {
  for (let seed = from; seed <= to; seed += 1) {
    const result = await runPlan(planSeed(seed));
    if (result.violations.length > 0) return failureLines(result).join('\n');
  }
  return '';
}

const simulate = async (...args: string[]): Promise<string> => {
  const program = path.resolve(import.meta.dirname, '../simulation/simulate.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    maxBuffer: 100_000_000,
  });
  return stdout;
};

it(
  'the system keeps its promises under the faults of the fixed seeds',
  { timeout: SEEDS * SEED_LIMIT_MS },
  async () => expect(await findFailure(FIRST_SEED, FIRST_SEED + SEEDS - 1)).toBe(''),
);

it.each(MORE_SEEDS)(
  'the system keeps its promises under the faults of seeds $from to $to',
  { timeout: MORE_SEEDS.reduce((sum, { from, to }) => sum + (to - from + 1) * SEED_LIMIT_MS, 0) },
  async ({ from, to }) => expect(await findFailure(from, to)).toBe(''),
);

it.each<[PlantedFault, RegExp]>([
  ['commit-ahead-of-work', /^a commit is never ahead of the work/],
  ['lost-record', /./],
  ['sent-twice', /sent twice/],
])(
  'the planted fault %s is found by a rule within the fixed seeds',
  { timeout: SEEDS * SEED_LIMIT_MS },
  async (plant, rule) => {
    const violated: string[] = [];
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS && violated.length === 0; seed += 1) {
      const { violations } = await runPlan(planSeed(seed, undefined, plant));
      violated.push(...violations.map((violation) => violation.rule));
    }
    expect(violated[0]).toMatch(rule);
  },
);

it(
  'npm run simulate finds a planted fault in several seeds at once, and fails',
  { timeout: PROCESS_LIMIT_MS },
  async () => {
    const failed = simulate('--seeds', '2', '--plant', 'sent-twice');
    await expect(failed).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('sent twice') });
  },
);

it(
  'every call succeeds in a run without faults',
  { timeout: CALM_SEEDS.length * SEED_LIMIT_MS },
  async () => {
    for (const seed of CALM_SEEDS) {
      const { violations } = await runPlan({ ...planSeed(seed), faults: calmPlan(seed) });
      expect(violations).toEqual([]);
    }
  },
);

it(
  'a seed gives the same trace again, and in another process, byte for byte',
  { timeout: PROCESS_LIMIT_MS },
  async () => {
    const traces: string[][] = [];
    for (let run = 1; run <= 2; run += 1) {
      const { journal, steps } = await runPlan(planSeed(SEED));
      traces.push([...journal.entries.map(formatEntry), String(steps)]);
    }
    expect(traces[1]).toEqual(traces[0]);
    expect(traces[0]?.length).toBeGreaterThan(100);
    const printed = await simulate('--seed', String(SEED), '--trace');
    expect(printed.split('\n').filter((line) => TRACE_LINE.test(line))).toEqual(traces[0]?.slice(0, -1));
  },
);
