import { afterEach, describe, expect, it } from 'vitest';
import { runEngine, startEngine, type EngineProcess } from '../support/engine-process.ts';
import {
  ACTION_PATH,
  PROOF_INTEREST,
  PROOF_REQUEST,
  PROOF_TOTALS,
  post,
  scheduleRows,
} from '../support/schedule-call.ts';

/** What the README promises a newcomer: ready in under three seconds after installation, on a machine at rest. */
const READY_PROMISE_MS = 3_000;

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

describe('npm start without any setting', () => {
  it('is ready in under three seconds and answers the published proof schedule in both casings', async () => {
    await (await start()).end('SIGTERM');
    const engine = await start();
    expect(engine.readyMs).toBeLessThan(READY_PROMISE_MS);

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
    const bodies = [...engine.stdout().matchAll(/-d '(\{.*\})'/g)].map((match) => match[1] ?? '');
    expect(bodies.length).toBeGreaterThanOrEqual(2);
    for (const body of bodies) expect((await post(engine.url, body)).status).toBe(200);
    const pages = ['/docs', '/openapi.json', '/asyncapi.json', '/health/live', '/health/ready', '/metrics'];
    const statuses = await Promise.all(
      pages.map(async (page) => [page, (await fetch(engine.url + page)).status]),
    );
    expect(statuses).toEqual(pages.map((page) => [page, 200]));
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
    expect(stderr).toContain(new URL(engine.url).port);
  });
});
