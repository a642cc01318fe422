/** Many offers with a long term take more than 100 ms; short simulations do not wait for them. */

import { expect, it } from 'vitest';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { Request } from '../../../shared/messaging/handler/request.ts';
import type { Outcome } from '../../../shared/messaging/outcome.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import { createSimulationHandlers } from '../../../workers/simulation/main.ts';
import { SimulationQueue } from '../../../workers/simulation/simulation-queue.ts';
import { fakeRequest } from '../../support/fakes/messages.ts';
import { catalogueOf, guid, interest, simulateRequest } from '../../support/worlds/simulated-product.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { WorkSlices } from '../../../shared/messaging/handler/work-slices.ts';

const INTERESTS = Array.from({ length: 30 }, (_, place) => interest({ Id: guid(1000 + place) }));

const CONTEXT = fakeRequest({ originTimestampMs: Date.UTC(2025, 0, 1) });

/** 36,000 rows in all offers. */
const LONG_PERIODS = 1_200;

function createScene() {
  let nowMs = 0;
  const calendars = { find: (name: string) => findCalendar(name, {}) };
  const slices = new WorkSlices({ ...systemPorts, sliceMs: 10 });
  const { SimulateRequest: handle } = createSimulationHandlers(
    catalogueOf({ interests: INTERESTS }),
    { calendars },
    new SimulationQueue(slices, { now: () => nowMs }),
  );
  const simulate = async (loanPeriod: number, changes: Partial<Request> = {}) => {
    const request = simulateRequest({ loanPeriod, interestTypeName: 'Fixed' });
    return handle(request, { ...CONTEXT, ...changes });
  };
  return { simulate, advance: (ms: number) => (nowMs += ms) };
}

const codeOf = (outcome: Outcome): string => ('problem' in outcome ? outcome.problem.code : outcome.kind);

it('replies to a short simulation before long ones that arrived earlier', async () => {
  const { simulate } = createScene();
  const ended: string[] = [];
  const note = async (name: string, loanPeriod: number) => {
    const outcome = await simulate(loanPeriod);
    ended.push(`${name}: ${outcome.kind}`);
  };
  await Promise.all([note('long', LONG_PERIODS), note('second long', LONG_PERIODS), note('short', 12)]);
  expect(ended).toEqual(['short: done', 'long: done', 'second long: done']);
});

it('does not calculate a simulation whose deadline passes while it waits', async () => {
  const { simulate, advance } = createScene();
  const first = simulate(LONG_PERIODS, { deadlineMs: 10_000 });
  const second = simulate(LONG_PERIODS, { deadlineMs: 10_000 });
  await first.then(() => advance(20_000));
  expect(codeOf(await second)).toBe('deadline-exceeded');
});

it('limits the long simulations of one requester, and reserves half of them for requests with a deadline', async () => {
  const { simulate } = createScene();
  const controller = new AbortController();
  const context = { signal: controller.signal };
  const ended = Array.from({ length: 11 }, () => simulate(LONG_PERIODS, context));
  ended.push(...Array.from({ length: 11 }, () => simulate(LONG_PERIODS, { ...context, deadlineMs: 10_000 })));
  expect(await ended[10]).toMatchObject({ kind: 'retry', problem: { code: 'overloaded' } });
  expect(await ended[21]).toMatchObject({ kind: 'refused', problem: { code: 'overloaded', status: 503 } });
  expect(codeOf(await simulate(12, context))).toBe('done');
  const other = { ...CONTEXT.message, headers: { [HEADER.replyTopic]: 'replies of another' } };
  const ofOther = simulate(LONG_PERIODS, { ...context, message: other, deadlineMs: 10_000 });
  controller.abort();
  const admitted = await Promise.allSettled([...ended.slice(0, 10), ...ended.slice(11, 21), ofOther]);
  for (const one of admitted) expect(one).toMatchObject({ reason: expect.any(InfrastructureError) });
  expect(codeOf(await simulate(LONG_PERIODS))).toBe('done');
});
