import { expect, it } from 'vitest';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { post, PROOF_REQUEST, untilAdmitted } from '../../support/builders/schedule-call.ts';

it.each([1, 6])(
  'two instances neither lose nor mix up replies with %i reply partitions',
  async (partitions) => {
    // With one partition for all replies, every instance also receives the replies for the others.
    const broker = await createSharedBroker(partitions);
    await startOn(broker, startScheduleWorker);
    const instances = [await startOn(broker, startIngressWorker), await startOn(broker, startIngressWorker)];
    const amounts = Array.from({ length: 60 }, (_, index) => 100 + index);
    const first = await Promise.all(
      amounts.map(async (amount, index) => {
        const headers = { 'x-correlation-id': 'all-the-same' };
        const body = { jsonParam: { ...PROOF_REQUEST, Amount: amount } };
        const response = await untilAdmitted(() => post(instances[index % 2]?.url ?? '', body, { headers }));
        return ((await response.json()) as { RemainingValue: number }[])[0]?.RemainingValue;
      }),
    );
    expect(first).toEqual(amounts);
  },
);
