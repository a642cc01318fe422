import { describe, expect, it } from 'vitest';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { post, PROOF_REQUEST, PROOF_TOTALS, scheduleRows } from '../../support/builders/schedule-call.ts';

const INVALID_FIELDS = [
  [{ Amount: 1e30 }, 422],
  [{ Amount: -1 }, 422],
  [{ Amount: 1e-300 }, 422],
  [{ InterestPercent: 1e300 }, 422],
  [{ InstallmentsNo: 10_000 }, 422],
  [{ InstallmentsNo: 1.5 }, 422],
  [{ Amount: 'NaN' }, 400],
  [{ Amount: '100' }, 400],
  [{ Amount: null }, 400],
  [{ ActivationDate: '2024-02-30' }, 400],
  [{ ScheduleType: 'Nothing' }, 422],
] as const;

describe('two ingress instances over one broker', () => {
  it.each([1, 6])('neither lose nor mix up replies with %i reply partitions', async (partitions) => {
    // With one partition for all replies, every instance also receives the replies for the others.
    const broker = await createSharedBroker(partitions);
    await startOn(broker, startScheduleWorker);
    const instances = await Promise.all([
      startOn(broker, startIngressWorker),
      startOn(broker, startIngressWorker),
    ]);
    const amounts = Array.from({ length: 200 }, (_, index) => 100 + index);
    const first = await Promise.all(
      amounts.map(async (amount, index) => {
        const headers = { 'x-correlation-id': 'all-the-same' };
        const body = { jsonParam: { ...PROOF_REQUEST, Amount: amount } };
        const response = await post(instances[index % 2]?.url ?? '', body, { headers });
        return ((await response.json()) as { RemainingValue: number }[])[0]?.RemainingValue;
      }),
    );
    expect(first).toEqual(amounts);
  });

  it("return each other's asynchronous results with the same body as a synchronous call", async () => {
    const broker = await createSharedBroker(3);
    await startOn(broker, startScheduleWorker);
    const [one, two] = await Promise.all([
      startOn(broker, startIngressWorker),
      startOn(broker, startIngressWorker),
    ]);
    const body = { jsonParam: { ...PROOF_REQUEST, CalculateDAE: 2, ContractPeriod: 7 } };
    const direct = await post(one.url, body);
    const accepted = await post(one.url, body, { headers: { prefer: 'respond-async' } });
    expect(accepted.status).toBe(202);
    const location = accepted.headers.get('location') ?? '';
    await expect.poll(async () => (await fetch(two.url + location)).status).toBe(200);
    const result = await fetch(two.url + location);
    expect(await result.text()).toBe(await direct.text());
    expect(result.headers.get('warnings')).toBe(direct.headers.get('warnings'));
    expect(direct.headers.get('warnings')).toContain('jsonParam.ContractPeriod');
  });
});

describe('one ingress with the schedule worker', () => {
  it('returns the proof schedule in the direct and the generic form', async () => {
    const broker = await createSharedBroker(3);
    await startOn(broker, startScheduleWorker);
    const ingress = await startOn(broker, startIngressWorker);
    expect((await scheduleRows(ingress.url)).map((row) => row['TotalInstallment'])).toEqual(PROOF_TOTALS);
    const generic = { access_token: 't', user_name: 'u', Data: JSON.stringify({ jsonParam: PROOF_REQUEST }) };
    const rows = (await (await post(ingress.url, generic)).json()) as { TotalInstallment: number }[];
    expect(rows.map((row) => row.TotalInstallment)).toEqual(PROOF_TOTALS);
    expect(ingress.health()).toEqual({ status: 'ready' });
  });

  it('responds to an invalid field with a problem that names it', async () => {
    const broker = await createSharedBroker(1);
    await startOn(broker, startScheduleWorker);
    const ingress = await startOn(broker, startIngressWorker);
    for (const [changes, status] of INVALID_FIELDS) {
      const response = await post(ingress.url, { jsonParam: { ...PROOF_REQUEST, ...changes } });
      const problem = (await response.json()) as { errors?: { path: string }[] };
      const paths = problem.errors?.map((fault) => fault.path);
      expect([response.status, paths]).toEqual([status, [`jsonParam.${Object.keys(changes)[0]}`]]);
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    }
  });

  it('responds with 504 if there is no worker', async () => {
    const broker = await createSharedBroker(1);
    const ingress = await startOn(broker, startIngressWorker, { REPLY_TIMEOUT_MS: '150' });
    const body = { jsonParam: PROOF_REQUEST };
    const response = await post(ingress.url, body);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      504,
      'reply-timeout',
    ]);
  });

  it('refuses to start beyond loopback without access control', async () => {
    const broker = await createSharedBroker(1);
    await expect(startOn(broker, startIngressWorker, { HOST: '0.0.0.0' })).rejects.toThrow(/access control/);
  });

  it('serves documents with its actions', async () => {
    const ingress = await startOn(await createSharedBroker(1), startIngressWorker);
    const openApi = (await (await fetch(`${ingress.url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(openApi.paths)).toContain(
      '/platapi/automation-processors/actions/PLAT_BP_CalculateRepaymentSchedule',
    );
    const page = await (await fetch(`${ingress.url}/docs`)).text();
    expect(page).toContain('PLAT_BP_CalculateRepaymentSchedule');
    expect((await fetch(`${ingress.url}/asyncapi.json`)).status).toBe(200);
  });
});
