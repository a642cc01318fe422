import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { runEngine, spawnEngine, startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import {
  ACTION_PATH,
  PROOF_INTEREST,
  PROOF_REQUEST,
  PROOF_TOTALS,
  post,
  scheduleRows,
} from '../support/builders/schedule-call.ts';

/** What the README promises a newcomer: ready in under three seconds after installation, on a machine at rest. */
const READY_PROMISE_MS = 3_000;
/** Two signals within this time are one (workers/run-command.ts). */
const SAME_SIGNAL_MS = 1_000;
/** The process gives a sign within this, on a busy machine too. */
const SIGN_LIMIT_MS = 10_000;

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

/** For how long the process was ready to run while others had the processors; 0 where the system does not report it. */
function delayedByOthersMs({ child }: EngineProcess): number {
  try {
    const [, delayNs] = readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ');
    return Number(delayNs) / 1e6;
  } catch {
    return 0;
  }
}

const pathOf = (action: string) => ACTION_PATH.replace('PLAT_BP_CalculateRepaymentSchedule', action);

describe('npm start without any setting', () => {
  it('is ready in under three seconds and answers the published proof schedule in both casings', async () => {
    await (await start()).end('SIGTERM');
    const engine = await start();
    expect(engine.readyMs - delayedByOthersMs(engine)).toBeLessThan(READY_PROMISE_MS);

    const capitalised = await scheduleRows(engine.url);
    expect(capitalised.map((row) => row.TotalInstallment)).toEqual(PROOF_TOTALS);
    expect(capitalised.map((row) => row.Interest)).toEqual(PROOF_INTEREST);
    expect(capitalised[0]).toMatchObject({
      DueDate: '2024-02-01T00:00:00Z',
      IsEarlyRepayment: 'false',
      EIR: expect.any(Number) as number,
    });

    const lower = await scheduleRows(engine.url, { CalculateDAE: 2 });
    expect(lower.map((row) => row.totalInstallment)).toEqual(PROOF_TOTALS);
    expect(lower[0]).toMatchObject({
      DueDate: '2024-02-01T00:00:00',
      isEarlyRepayment: 'false',
      dae: expect.any(Number) as number,
    });
  });

  it('prints calls that can be pasted: the JSON of each works as it stands', async () => {
    const engine = await start();
    const calls = [...engine.stdout().matchAll(/curl -s .*?(http\S+) (.*)\\\n {2}-d '(\{.*\})'/g)];
    expect(calls.length).toBeGreaterThanOrEqual(7);
    expect(calls.map(([, url = '']) => url.split('/').at(-1))).toContain('PLAT_BP_Simulate');
    for (const [, url = '', options = '', body = ''] of calls) {
      const headers = [...options.matchAll(/-H '([^:']+): ([^']+)'/g)].map(([, name, value]) => [
        name,
        value,
      ]);
      const answer = await post(url, body, {
        path: '',
        headers: Object.fromEntries(headers) as Record<string, string>,
      });
      expect([url, answer.status]).toEqual([url, url.includes('/notifications/') ? 202 : 200]);
    }
    const outbox = await fetch(`${engine.url}/outbox`);
    expect([outbox.status, engine.stdout().includes(`${engine.url}/outbox`)]).toEqual([200, true]);
    const pages = ['/docs', '/openapi.json', '/asyncapi.json', '/health/live', '/health/ready', '/metrics'];
    const statuses = await Promise.all(
      pages.map(async (page) => [page, (await fetch(engine.url + page)).status]),
    );
    expect(statuses).toEqual(pages.map((page) => [page, 200]));
  });

  it('answers payment values and rates', async () => {
    const engine = await start();
    const terms = { InstallmentsNo: 4, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' };
    const payment = { ...terms, FinancedAmount: 1000, InterestPercent: 12 };
    const answer = await post(engine.url, { jsonParam: payment }, { path: pathOf('plat_bp_calculatepmt') });
    expect(await answer.text()).toBe('{"PMTValue":256.28,"PrincipalValue":250.00}');

    const flows = { Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: [-100, 101] };
    const rate = await post(engine.url, { jsonParam: flows }, { path: pathOf('PLAT_BP_CalculateRate') });
    expect(rate.status).toBe(200);
    expect(await rate.json()).toMatchObject({ Rate: 12, Residual: 0 });
  });

  it('takes the generic form and any case of the action name', async () => {
    const engine = await start();
    const path = ACTION_PATH.toLowerCase();
    const asObject = await post(engine.url, { Data: { jsonParam: PROOF_REQUEST } }, { path });
    const asText = await post(engine.url, { Data: JSON.stringify({ jsonParam: PROOF_REQUEST }) }, { path });
    expect([asObject.status, asText.status]).toEqual([200, 200]);
    expect(await asObject.text()).toBe(await asText.text());
  });

  it('answers every request that was accepted before SIGTERM and ends with code 0', async () => {
    const engine = await start([], { RATE_LIMIT_PER_SECOND: '0' });
    await scheduleRows(engine.url);
    const calls = Array.from({ length: 50 }, () =>
      post(engine.url, { jsonParam: { ...PROOF_REQUEST, InstallmentsNo: 600 } }),
    );
    await Promise.race(calls);
    const code = engine.end('SIGTERM');
    const settled = await Promise.allSettled(calls);
    const answered = settled.filter((call) => call.status === 'fulfilled').map((call) => call.value.status);
    expect(answered.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(answered.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(await code).toBe(0);
  });
});

describe('signals', () => {
  it('end a process gracefully from the moment that it says it is ready, and before', async () => {
    for (let run = 0; run < 3; run++) expect(await (await start()).end('SIGTERM')).toBe(0);
    const { child } = spawnEngine([], {});
    const ended = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    // The first line of the log is written while the ingress starts.
    child.stderr.once('data', () => child.kill('SIGTERM'));
    expect(await ended).toBe(0);
  });

  it('drain the process when the same one arrives twice at once, as Ctrl-C under npm does', async () => {
    const engine = await start();
    engine.child.kill('SIGINT');
    expect(await engine.end('SIGINT')).toBe(0);
  });

  it('end it at once when there is a second one, later', async () => {
    const engine = await start(['ingress'], { REPLY_TIMEOUT_MS: '20000', LOG_LEVEL: 'info' });
    const pending = post(engine.url, { jsonParam: PROOF_REQUEST });
    pending.catch(() => undefined);
    await expect
      .poll(async () => (await fetch(`${engine.url}/metrics`)).text(), { timeout: SIGN_LIMIT_MS })
      .toMatch(/^plat_ingress_pending_replies 1$/m);
    const ended = engine.end('SIGTERM');
    // The time between the signals counts from when the first one is handled.
    await expect.poll(() => engine.stderr(), { timeout: SIGN_LIMIT_MS }).toContain('"stopping"');
    await new Promise((resolve) => setTimeout(resolve, SAME_SIGNAL_MS + 200));
    expect(engine.child.exitCode).toBeNull();
    engine.child.kill('SIGINT');
    expect(await ended).toBe(1);
    await expect(pending).rejects.toThrow('fetch failed');
  });
});

describe('an ingress without a worker behind it', () => {
  it('warns at its start, is ready, and answers 504 by the deadline saying why', async () => {
    const engine = await start(['ingress'], { REPLY_TIMEOUT_MS: '300' });
    expect(engine.stderr()).toContain('"absent":["schedule","product","simulation","notification"]');
    expect((await fetch(`${engine.url}/health/ready`)).status).toBe(200);
    const askedAt = performance.now();
    const response = await post(engine.url, { jsonParam: PROOF_REQUEST });
    expect(performance.now() - askedAt).toBeLessThan(2_000);
    expect(response.status).toBe(504);
    const problem = (await response.json()) as { code: string; detail: string };
    expect(problem.code).toBe('reply-timeout');
    expect(problem.detail).toContain('No worker replied within 300 ms');
  });
});

describe('the command line', () => {
  it('prints help and ends with 0', async () => {
    const { code, stdout } = await runEngine(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage');
  });

  it('refuses an unknown worker with code 2 and names those there are', async () => {
    const { code, stderr } = await runEngine(['shedule']);
    expect(code).toBe(2);
    expect(stderr).toContain('schedule');
  });

  it('refuses a wrong setting with code 2 and names it', async () => {
    const { code, stderr } = await runEngine([], { PORT: 'eighty' });
    expect(code).toBe(2);
    expect(stderr).toContain('PORT');
  });

  it('refuses to serve other machines without access keys', async () => {
    const { code, stderr } = await runEngine([], { HOST: '0.0.0.0' });
    expect(code).toBe(2);
    expect(stderr).toContain('AUTH_');
  });

  it('says which port is taken', async () => {
    const engine = await start();
    const { code, stderr } = await runEngine([], { PORT: new URL(engine.url).port });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `port ${new URL(engine.url).port} of 127.0.0.1 is in use: choose another by PORT`,
    );
  });
});
