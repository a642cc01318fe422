/** Many offers with a long term take more than 100 ms; short simulations do not wait for them. */

import { expect, it } from 'vitest';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import type { Request } from '../../../shared/messaging/handler/request.ts';
import { createSimulationHandlers } from '../../../workers/simulation/main.ts';
import { catalogueOf, guid, interest, simulateRequest } from '../../support/worlds/simulated-product.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { WorkSlices } from '../../../shared/messaging/handler/work-slices.ts';

const INTERESTS = Array.from({ length: 30 }, (_, place) => interest({ Id: guid(1000 + place) }));

const CONTEXT: Request = {
  correlationId: undefined,
  originTimestampMs: Date.UTC(2025, 0, 1),
  deadlineMs: undefined,
  attempt: 1,
  signal: new AbortController().signal,
  message: { topic: '', partition: 0, offset: 0, key: null, value: null, headers: {}, timestampMs: 0 },
  format: 'avro',
  isBatchItem: false,
};

it('replies to a short simulation before long ones that arrived earlier', async () => {
  const calendars = { find: (name: string) => findCalendar(name, {}) };
  const { SimulateRequest: simulateOne } = createSimulationHandlers(
    catalogueOf({ interests: INTERESTS }),
    { calendars },
    new WorkSlices({ ...systemPorts, sliceMs: 10 }),
  );
  const ended: string[] = [];
  const simulate = async (name: string, loanPeriod: number) => {
    const request = simulateRequest({ loanPeriod, interestTypeName: 'Fixed' });
    const outcome = await simulateOne(request, CONTEXT);
    ended.push(`${name}: ${outcome.kind}`);
  };
  await Promise.all([simulate('long', 1_200), simulate('second long', 1_200), simulate('short', 12)]);
  expect(ended).toEqual(['short: done', 'long: done', 'second long: done']);
});
