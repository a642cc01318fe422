import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { countingProviderFile } from '../support/builders/provider-entry.ts';
import { endOf, idOf, notificationOf, send, SMS } from '../support/builders/notification-call.ts';
import { startProviderStandIn } from '../support/fakes/provider-stand-in.ts';
import { runEngine, spawnEngine, startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import {
  callAction,
  PROOF_INTEREST,
  PROOF_REQUEST,
  PROOF_TOTALS,
  post,
  scheduleRows,
  submitSchedule,
  waitForResult,
} from '../support/builders/schedule-call.ts';

/** The README states that the engine is ready in under three seconds on an idle machine once it is installed. */
const MAX_READY_MS = 3_000;
/** Two signals within this time count as one (workers/run-process.ts). */
const SAME_SIGNAL_MS = 1_000;
const POLL_TIMEOUT_MS = 10_000;
const SEND_TIMEOUT_MS = 200;
/** The lease of a round with one provider, and the interval at which it is looked at (docs/notification-delivery.md). */
const UNKNOWN_AFTER_MS = SEND_TIMEOUT_MS + 5_000 + 1_000;

const running: EngineProcess[] = [];
async function start(
  workers: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<EngineProcess> {
  const engine = await startEngine(workers, env);
  running.push(engine);
  return engine;
}
afterEach(async () => {
  for (const engine of running.splice(0)) await engine.end('SIGKILL');
});

/** How long the process waited for a CPU; 0 where the system does not report it. */
function waitedForCpuMs({ child }: EngineProcess): number {
  try {
    const [, delayNs] = readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ');
    return Number(delayNs) / 1e6;
  } catch {
    return 0;
  }
}

const lookUp = ({ url }: EngineProcess) =>
  callAction(url, 'plat_bp_getbankingproductbycode', {
    BankingProductCode: 'TL-PERSONAL',
    displayBPAvailability: true,
  });

const notify = ({ url }: EngineProcess, key: string): Promise<string> =>
  idOf(send(url, 'sms', SMS, { headers: { 'idempotency-key': key } }));

const momentOf = (known: { readonly updatedAt: string } | undefined) => Date.parse(known?.updatedAt ?? '');

describe('npm start on a data folder', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'start-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('shows the same after a kill, and parks the message whose provider had been called without an answer', async () => {
    const provider = await startProviderStandIn();
    onTestFinished(() => provider.stop());
    const env = {
      DATA_DIR: join(folder, 'data'),
      NOTIFICATION_CONFIG_FILE: countingProviderFile(folder, provider.origin),
      NOTIFICATION_SEND_TIMEOUT_MS: String(SEND_TIMEOUT_MS),
    };
    const first = await start([], env);
    const shown = await lookUp(first);
    const submitted = await submitSchedule(first.url);
    const rows = await waitForResult(first.url, submitted);
    const sent = await notify(first, 'answered');
    const state = await endOf(first.url, sent);
    expect(state?.status).toBe('sent');
    provider.otherwise({ fault: 'silent' });
    const unanswered = await notify(first, 'unanswered');
    await expect.poll(() => provider.requests.length, { timeout: POLL_TIMEOUT_MS }).toBe(2);
    const accepted = await notificationOf(first.url, unanswered);
    expect(accepted.status).toBe('accepted');
    await first.end('SIGKILL');

    const second = await start([], env);
    expect(await lookUp(second)).toEqual(shown);
    expect(await waitForResult(second.url, submitted)).toEqual(rows);
    expect(await notify(second, 'answered')).toBe(sent);
    expect(await notificationOf(second.url, sent)).toEqual(state);
    const parked = await endOf(second.url, unanswered, UNKNOWN_AFTER_MS + POLL_TIMEOUT_MS);
    expect(parked).toMatchObject({ status: 'parked', code: 'outcome-unknown' });
    // However long the second start took.
    expect(momentOf(parked) - momentOf(accepted)).toBeGreaterThan(SEND_TIMEOUT_MS);
    expect(await notify(second, 'unanswered')).toBe(unanswered);
    expect(provider.requests).toHaveLength(2);
    const third = await runEngine([], env);
    expect([third.code, third.stderr]).toEqual([1, expect.stringContaining('open in another process')]);
  });
});

describe('npm start without settings', () => {
  let shared: EngineProcess;
  let readyMs: number;
  beforeAll(async () => {
    shared = await startEngine([], {});
    readyMs = shared.readyMs - waitedForCpuMs(shared);
  });
  afterAll(async () => void (await shared.end('SIGKILL')));

  it('is ready within three seconds and returns the documented schedule', async () => {
    // The engines of the tests before have filled the caches.
    expect(readyMs).toBeLessThan(MAX_READY_MS);
    const rows = await scheduleRows(shared.url);
    expect(rows.map((row) => row.TotalInstallment)).toEqual(PROOF_TOTALS);
    expect(rows.map((row) => row.Interest)).toEqual(PROOF_INTEREST);
    expect(rows[0]).toMatchObject({
      DueDate: '2024-02-01T00:00:00Z',
      IsEarlyRepayment: 'false',
      EIR: expect.any(Number) as number,
    });
  });

  it('serves its pages', async () => {
    const engine = shared;
    const outbox = `${engine.url}/workbench/messages/outbox`;
    expect([(await fetch(outbox)).status, engine.stdout().includes(outbox)]).toEqual([200, true]);
    const pages = ['/docs', '/openapi.json', '/asyncapi.json', '/health/live', '/health/ready', '/metrics'];
    const statuses = await Promise.all(
      pages.map(async (page) => [page, (await fetch(engine.url + page)).status]),
    );
    expect(statuses).toEqual(pages.map((page) => [page, 200]));
  });

  it('lets no other process have its port, and names the port', async () => {
    const { port } = new URL(shared.url);
    const { code, stderr } = await runEngine([], { PORT: port });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `port ${port} of 127.0.0.1 is in use: set PORT (without an ingress, HEALTH_PORT) to another port`,
    );
  });
});

it('SIGTERM stops a process gracefully during startup', async () => {
  const { child, ended } = spawnEngine([], {});
  // The first line of the log is written while the ingress starts.
  child.stderr.once('data', () => child.kill('SIGTERM'));
  expect(await ended).toBe(0);
});

describe('an ingress without workers', () => {
  let engine: EngineProcess;
  beforeAll(async () => {
    engine = await startEngine(['ingress'], { REPLY_TIMEOUT_MS: '20000', LOG_LEVEL: 'info' });
  });
  afterAll(async () => void (await engine.end('SIGKILL')));

  it('logs a warning, is ready, and returns 504 at the deadline', async () => {
    expect(engine.stderr()).toContain('"absent":["schedule","product","simulation","notification"]');
    expect((await fetch(`${engine.url}/health/ready`)).status).toBe(200);
    const startedMs = performance.now();
    const response = await post(engine.url, { jsonParam: PROOF_REQUEST }, { headers: { prefer: 'wait=1' } });
    expect(performance.now() - startedMs).toBeLessThan(2_700);
    expect(response.status).toBe(504);
    const problem = (await response.json()) as { code: string; detail: string };
    expect(problem.code).toBe('reply-timeout');
    expect(problem.detail).toContain('No worker replied within 1000 ms');
  });

  it('ends immediately if another signal follows later', async () => {
    const pending = post(engine.url, { jsonParam: PROOF_REQUEST });
    pending.catch(() => undefined);
    await expect
      .poll(async () => (await fetch(`${engine.url}/metrics`)).text(), { timeout: POLL_TIMEOUT_MS })
      .toMatch(/^plat_ingress_pending_replies 1$/m);
    const ended = engine.end('SIGTERM');
    // The time between the signals is measured from the handling of the first one.
    await expect.poll(() => engine.stderr(), { timeout: POLL_TIMEOUT_MS }).toContain('"stopping"');
    await new Promise((resolve) => setTimeout(resolve, SAME_SIGNAL_MS + 200));
    expect(engine.child.exitCode).toBeNull();
    engine.child.kill('SIGINT');
    expect(await ended).toBe(1);
    await expect(pending).rejects.toThrow('fetch failed');
  });
});

it.each<[string, string[], Record<string, string>, string]>([
  ['an unknown worker, with the known ones', ['shedule'], {}, 'schedule'],
  ['an invalid setting', [], { PORT: 'eighty' }, 'PORT'],
])('npm start exits with 2 on %s', async (_, args, env, named) => {
  const { code, stderr } = await runEngine(args, env);
  expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
});
