import { VERIFICATIONS } from '../../../../shared/api/notification/verification-operations.ts';
import { expect, test } from 'vitest';
import { MESSAGES } from '../../../../schemas/messages.ts';
import { ACTIONS, findAction } from '../../../../shared/api/actions/actions.ts';
import type { Handlers, Request } from '../../../../shared/messaging/handler/request.ts';
import { createProductHandlers } from '../../../../workers/product/main.ts';
import { createScheduleHandlers } from '../../../../workers/schedule/schedule-calculations.ts';
import { createDocumentHandlers, createPrinter } from '../../../../workers/simulation/document-requests.ts';
import { createSimulationHandlers } from '../../../../workers/simulation/main.ts';
import { EXAMPLE_CATALOGUE, EXAMPLE_TIME_MS } from '../../../support/builders/example-catalogue.ts';
import { BUILT_IN_ENVIRONMENT } from '../../../support/builders/lending-environment.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import { WorkSlices } from '../../../../shared/messaging/handler/work-slices.ts';
import { SimulationQueue } from '../../../../workers/simulation/simulation-queue.ts';

const queue = new SimulationQueue(new WorkSlices({ ...systemPorts, sliceMs: 10 }), systemPorts.clock);
const lender = { name: undefined, address: undefined, contact: undefined, logo: undefined };
const handlers: Handlers = {
  ...createScheduleHandlers(BUILT_IN_ENVIRONMENT),
  ...createProductHandlers(EXAMPLE_CATALOGUE),
  ...createSimulationHandlers(EXAMPLE_CATALOGUE, BUILT_IN_ENVIRONMENT, queue),
  ...createDocumentHandlers(EXAMPLE_CATALOGUE, BUILT_IN_ENVIRONMENT, {
    queue,
    lender,
    print: createPrinter(undefined),
  }),
};
const NAME = 'PLAT_BP_CalculateRepaymentSchedule';

test('actions have the request types of the messages, and are found by names in any case (E4)', () => {
  for (const name of [NAME, NAME.toLowerCase(), NAME.toUpperCase(), 'plat_BP_calculateRepaymentSchedule'])
    expect(findAction(name)?.name).toBe(NAME);
  for (const name of ['', 'PLAT_BP_CalculateRepaymentSchedul', '__proto__', 'constructor'])
    expect(findAction(name)).toBeUndefined();
  const requests = MESSAGES.filter(({ kind }) => kind === 'request').map(({ type }) => type);
  const served = [...ACTIONS, ...VERIFICATIONS].map(({ requestType }) => requestType);
  expect(served).toEqual(requests);
});

const cases = ACTIONS.flatMap((action) => action.examples.map((example) => ({ action, example })));

test.each(cases)(
  'an example has the answer of the engine, with its structure: $example.summary',
  async ({ action, example }) => {
    const read = action.read(example.request);
    if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
    expect(read.warnings).toEqual([]);
    const context = { originTimestampMs: EXAMPLE_TIME_MS } as Request;
    const outcome = await handlers[action.requestType]?.(read.payload, context);
    if (outcome === undefined || !('reply' in outcome)) throw new Error(JSON.stringify(outcome));
    expect(JSON.parse(action.render(outcome.reply?.payload))).toEqual(example.reply);
    expect(action.replyShape.safeParse(example.reply)).toMatchObject({ success: true });
  },
);
