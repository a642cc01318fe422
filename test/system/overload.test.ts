import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HTTP_LIMITS } from '../../workers/ingress/server/http-limits.ts';
import { endOf, idOf, send, SMS } from '../support/builders/notification-call.ts';
import { ACTION_PATH, post, PROOF_REQUEST } from '../support/builders/schedule-call.ts';
import { sleep } from '../support/conformance/wait.ts';
import { askHelper, startHelper } from '../support/helper-process.ts';
import type { LoadReport, OpenLoad } from '../support/open-load.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';

/** The event loop calculates the one, a thread the other. */
const ROWS = [120, 360];
/** More than a process answers on any machine: what it answers of them is its capacity. */
const PROBE = { perSecond: 1_000, forMs: 1_000 };
/** One at a time, so that this caller never has more than its share, however slow the machine is. */
const QUIET = { perSecond: 2, connections: 1, from: '127.0.0.2' };
const LOAD_MS = 4_000;
const LIMIT_MS = 60_000;
const DRAIN_MS = 30_000;
/** Warms up the process, which would otherwise have its lowest capacity during the measurement. */
const WARM_UP = { perSecond: 50, forMs: 2_000 };
const IN_TIME_MS = 1_000;

/** Milliseconds for which the threads of the process have waited for a processor; 0 where the system does not report it. */
function waitedForCpuMs({ child }: EngineProcess): number {
  const folder = `/proc/${child.pid}/task`;
  if (!existsSync(folder)) return 0;
  let sumNs = 0;
  for (const thread of readdirSync(folder)) {
    const [, delayNs] = readFileSync(path.join(folder, thread, 'schedstat'), 'utf8').split(' ');
    sumNs += Number(delayNs);
  }
  return sumNs / 1e6;
}

function maxOpenFiles(): number {
  const report = process.report.getReport() as unknown as {
    readonly userLimits: { readonly open_files: { readonly hard: number | 'unlimited' } };
  };
  const { hard } = report.userLimits.open_files;
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : hard;
}

async function start(env: Record<string, string> = {}, openFiles?: number): Promise<EngineProcess> {
  const engine = await startEngine([], { RATE_LIMIT_PER_SECOND: '0', ...env }, undefined, openFiles);
  onTestFinished(async () => void (await engine.end('SIGKILL')));
  return engine;
}

describe('ten times the capacity', () => {
  it.each(ROWS)(
    'of schedules of %i explained rows is refused in time, without a reset, and takes nothing from a caller that sends little',
    async (rows) => {
      const body = JSON.stringify({ jsonParam: { ...PROOF_REQUEST, InstallmentsNo: rows, Explain: true } });
      const engine = await start();
      const generator = await startHelper('test/support/open-load-process.ts');
      const run = (...loads: readonly Partial<OpenLoad>[]): Promise<readonly LoadReport[]> => {
        const common = { url: engine.url + ACTION_PATH, body, connections: 200, drainMs: DRAIN_MS };
        const all = loads.map((load) => ({ ...common, ...load }));
        return askHelper(generator, all as never, LIMIT_MS);
      };
      await run(WARM_UP);
      const [probe] = await run(PROBE);
      expect(probe?.answered).toBeGreaterThan(0);
      const perSecond = 10 * (probe?.answered ?? 0);
      const waitedBeforeMs = waitedForCpuMs(engine);
      const load = run({ perSecond, forMs: LOAD_MS }, { ...QUIET, forMs: LOAD_MS });
      const probes: number[] = [];
      for (let times = 0; times < 10; times += 1) {
        probes.push((await fetch(`${engine.url}/health/live`)).status);
        probes.push((await fetch(`${engine.url}/metrics`)).status);
        await sleep(LOAD_MS / 20);
      }
      const [flood, quiet] = await load;
      // On a busy machine all latencies contain this too.
      const pausesMs = waitedForCpuMs(engine) - waitedBeforeMs + (flood?.sentLateMs.longest ?? 0);
      expect(probes).toEqual(Array(20).fill(200));
      for (const report of [flood, quiet])
        expect(report).toMatchObject({ other: {}, broken: {}, unanswered: 0 });
      expect(flood?.refused).toBeGreaterThan((flood?.calls ?? 0) / 2);
      expect(flood?.answered).toBeGreaterThan(0);
      expect(flood?.answeredMs.p99).toBeLessThan(IN_TIME_MS + pausesMs);
      expect(flood?.refusedMs.p50).toBeLessThan(IN_TIME_MS / 2 + pausesMs);
      expect(quiet).toMatchObject({ refused: 0, answered: quiet?.calls });
      expect(quiet?.answeredMs.p50).toBeLessThan(IN_TIME_MS + pausesMs);
      const [after] = await run(WARM_UP);
      expect(after).toMatchObject({ broken: {}, other: {}, unanswered: 0 });
    },
  );
});

describe('half-open connections', () => {
  it('beyond the limit do not lock other callers out', async () => {
    const engine = await start();
    // As many as this machine allows a process, with some files for other purposes.
    const count = Math.min(HTTP_LIMITS.connections + 100, maxOpenFiles() - 500);
    const peer = await startHelper('test/support/half-open-process.ts', new URL(engine.url).port);
    const call = async (): Promise<number> => (await post(engine.url, { jsonParam: PROOF_REQUEST })).status;
    const statuses = new Set<number>();
    const opening = askHelper<{ readonly opened: number }>(peer, count, LIMIT_MS);
    const calling = new AbortController();
    const calls = callRepeatedly(call, statuses, calling.signal);
    expect(await opening).toMatchObject({ opened: count });
    for (let after = 0; after < 20; after += 1) statuses.add(await call());
    calling.abort();
    await calls;
    statuses.add((await fetch(`${engine.url}/health/ready`)).status);
    expect([...statuses]).toEqual([200]);
    const { openNow } = await askHelper<{ readonly openNow: number }>(peer, 0, LIMIT_MS);
    expect(openNow).toBeLessThanOrEqual(HTTP_LIMITS.connections);
  });

  it.runIf(process.platform === 'linux')(
    'beyond the limit of open files lock out neither callers nor the files of the process',
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'open-files-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const env = { DATA_DIR: path.join(folder, 'data') };
      const engine = await start(env, 500);
      const peer = await startHelper('test/support/half-open-process.ts', new URL(engine.url).port);
      expect(await askHelper(peer, 560, LIMIT_MS)).toMatchObject({ opened: 560 });
      // The first message of a topic opens its file.
      const sent = await idOf(send(engine.url, 'sms', SMS));
      expect(await endOf(engine.url, sent)).toMatchObject({ status: 'sent' });
      expect((await post(engine.url, { jsonParam: PROOF_REQUEST })).status).toBe(200);
      expect((await askHelper<{ readonly openNow: number }>(peer, 0, LIMIT_MS)).openNow).toBeLessThanOrEqual(
        100,
      );
      expect(engine.stderr()).not.toContain('EMFILE');
      expect(engine.stderr()).toMatch(/"maxOpenFiles":500,"connections":90,.*ulimit -n/);
    },
  );
});

async function callRepeatedly(
  call: () => Promise<number>,
  statuses: Set<number>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    statuses.add(await call());
    await sleep(50);
  }
}
