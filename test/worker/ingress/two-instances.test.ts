import { describe, expect, it } from 'vitest';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { post, PROOF_REQUEST, untilAdmitted } from '../../support/builders/schedule-call.ts';

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
        const response = await untilAdmitted(() => post(instances[index % 2]?.url ?? '', body, { headers }));
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
});
