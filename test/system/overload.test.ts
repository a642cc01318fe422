import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTION_PATH, post, PROOF_REQUEST } from '../support/builders/schedule-call.ts';
import { EXPENSIVE_REQUESTS } from '../support/expensive-requests.ts';
import type { LoadReport, OpenLoad } from '../support/open-load-process.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';

const GENERATOR = path.join(import.meta.dirname, '../support/open-load-process.ts');
const LOAD_MS = 2_000;
/** Longer than admitted calls may take, so that a growing queue is seen. */
const FLOOD_MS = 3_000;
/** Compiles the code of the calls, and opens connections. */
const WARM_UP_MS = 500;
/** Node accepts one connection in each turn of its event loop (SECURITY.md): they are open before anything is counted. */
const CONNECTING_MS = 1_000;
const TEST_LIMIT_MS = 120_000;
/** The event loop calculates the one, a thread the other. */
const ROWS = [120, 360];
/** More than a process answers on any machine: what it answers of them is its capacity. */
const PROBE = { perSecond: 1_000, forMs: 1_000 };
/** One at a time, so that this caller never has more than its share, however slow the machine is. */
const QUIET = { perSecond: 8, connections: 1, from: '127.0.0.2' };
/** What SECURITY.md promises, in milliseconds. */
const SMALL_CALL_MS = 250;
const REFUSAL_MS = 100;
const ADMITTED_MS = 2_000;

let engine: EngineProcess;
let generator: ChildProcess;
let ended: Promise<never>;
beforeAll(async () => {
  engine = await startEngine([], { RATE_LIMIT_PER_SECOND: '0', DATA_DIR: 'memory' });
  generator = fork(GENERATOR);
  ended = once(generator, 'exit').then(() => Promise.reject(new Error('the load generator ended')));
  ended.catch(() => undefined);
});
afterAll(async () => {
  generator.kill();
  await engine.end('SIGKILL');
});

async function run(...loads: readonly OpenLoad[]): Promise<readonly LoadReport[]> {
  generator.send(loads);
  const [reports] = (await Promise.race([once(generator, 'message'), ended])) as [readonly LoadReport[]];
  return reports;
}

/** Milliseconds for which the threads of the process have waited for a processor; 0 where the system does not report it. */
function waitedForCpuMs(): number {
  const folder = `/proc/${engine.child.pid}/task`;
  if (!existsSync(folder)) return 0;
  let sumNs = 0;
  for (const thread of readdirSync(folder)) {
    const [, delayNs] = readFileSync(path.join(folder, thread, 'schedstat'), 'utf8').split(' ');
    sumNs += Number(delayNs);
  }
  return sumNs / 1e6;
}

/** Runs the loads; the pauses of both processes, which all latencies contain on a busy machine, come with their reports. */
async function measure(...loads: readonly OpenLoad[]) {
  const beforeMs = waitedForCpuMs();
  const reports = await run(...loads);
  const late = Math.max(...reports.map(({ lateMs }) => lateMs.longest));
  return { reports, pausesMs: waitedForCpuMs() - beforeMs + late };
}

const smallCalls = (url: string): OpenLoad => ({
  ...QUIET,
  url: url + ACTION_PATH,
  body: JSON.stringify({ jsonParam: PROOF_REQUEST }),
  forMs: LOAD_MS,
});
const probes = (url: string): readonly OpenLoad[] =>
  ['/health/live', '/health/ready'].map((address) => ({ ...QUIET, url: url + address, forMs: LOAD_MS }));

it(
  'one caller with the most expensive requests delays neither the small calls of another nor the health addresses',
  async () => {
    const others = [smallCalls(engine.url), ...probes(engine.url)];
    await run(...others.map((load) => ({ ...load, forMs: WARM_UP_MS })));
    const idle = await measure(...others);
    const progress = { isOver: false, answered: 0 };
    const bodies = Object.values(EXPENSIVE_REQUESTS);
    const callers = bodies.map(async (jsonParam) => {
      while (!progress.isOver)
        if ((await post(engine.url, { jsonParam })).status === 200) progress.answered += 1;
    });
    const busy = await measure(...others);
    progress.isOver = true;
    await Promise.all(callers);
    expect(progress.answered).toBeGreaterThan(0);
    for (const [at, { answered: good, calls, other, answeredMs }] of busy.reports.entries()) {
      const atRestMs = idle.reports[at]?.answeredMs.p99 ?? 0;
      expect({ good, other }).toEqual({ good: calls, other: {} });
      expect(answeredMs.p99).toBeLessThan(SMALL_CALL_MS + atRestMs + busy.pausesMs);
    }
  },
  TEST_LIMIT_MS,
);

describe('ten times the capacity', () => {
  it.each(ROWS)(
    'of schedules of %i explained rows is refused in time, without a reset, and takes nothing from a caller that sends little',
    async (rows) => {
      const url = engine.url + ACTION_PATH;
      const body = JSON.stringify({ jsonParam: { ...PROOF_REQUEST, InstallmentsNo: rows, Explain: true } });
      const load = { url, body, connections: 200 };
      await run({ ...load, ...PROBE, forMs: WARM_UP_MS });
      const [probe] = await run({ ...load, ...PROBE });
      expect(probe?.answered).toBeGreaterThan(0);
      const perSecond = 10 * (probe?.answered ?? 0);
      const flooding = { ...load, perSecond, forMs: FLOOD_MS, uncountedMs: CONNECTING_MS };
      const { reports, pausesMs } = await measure(
        flooding,
        ...[smallCalls(engine.url), ...probes(engine.url)].map((quiet) => ({
          ...quiet,
          uncountedMs: CONNECTING_MS,
        })),
      );
      const [flood, ...quiet] = reports;
      expect(flood?.other).toEqual({});
      expect(flood?.refused).toBeGreaterThan((flood?.calls ?? 0) / 2);
      expect(flood?.answered).toBeGreaterThan(0);
      expect(flood?.answeredMs.p99).toBeLessThan(ADMITTED_MS + pausesMs);
      expect(flood?.refusedMs.p99).toBeLessThan(REFUSAL_MS + pausesMs);
      for (const { calls, answered, other, answeredMs } of quiet) {
        expect({ answered, other }).toEqual({ answered: calls, other: {} });
        expect(answeredMs.p99).toBeLessThan(SMALL_CALL_MS + pausesMs);
      }
      const [after] = await run({ ...load, perSecond: 20, forMs: 500 });
      expect(after).toMatchObject({ other: {}, refused: 0 });
    },
    TEST_LIMIT_MS,
  );
});
