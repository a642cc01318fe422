import {
  openLendingCatalogue,
  type LendingEnvironment,
} from '../../shared/product/storage/lending-environment.ts';
import { openCatalogue, type OpenCatalogue } from '../../shared/product/storage/catalogue-table.ts';
import {
  toSimulateRequest,
  type SimulateInput,
  simulatePayload,
} from '../../shared/api/actions/simulate-action.ts';
import { formatCalendarDate, toUtcDay } from '../../shared/lending/dates/calendar-date.ts';
import type { Handler } from '../../shared/messaging/handler/request.ts';
import { refused } from '../../shared/messaging/outcome.ts';
import { WorkSlices } from '../../shared/messaging/handler/work-slices.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { UsedRecords } from '../../shared/product/catalogue/used-records.ts';
import { simulateInSteps } from '../../shared/product/simulation/simulate-product.ts';
import { startCatalogueWorker } from '../runtime/catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { answer, createDocumentHandlers, createPrinter, refuseSimulation } from './document-requests.ts';
import { readLender } from './lender.ts';
import { SimulationQueue } from './simulation-queue.ts';

/** Leaves nothing running if it rejects. */
export async function startSimulationWorker(
  context: WorkerContext,
  open: OpenCatalogue = openCatalogue,
): Promise<RunningWorker> {
  const lender = await readLender(context.config.lender);
  return startCatalogueWorker(context, {
    name: 'simulation',
    lanes: [{ lane: 'interactive', requestTopic: 'simulationRequests' }],
    open: (own, worker) => openLendingCatalogue(own, worker, open),
    createHandlers: ({ view, environment }) => {
      const queue = new SimulationQueue(new WorkSlices({ ...context, sliceMs: 10 }), context.clock);
      const documents = { lender, print: createPrinter(context.threads) };
      return {
        ...createSimulationHandlers(view, environment, queue),
        ...createDocumentHandlers(view, environment, { queue, ...documents }),
      };
    },
  });
}

/** Without `Date` the loan starts on the UTC day of the request's timestamp (D2), so a replay gives the same reply (Q2). */
export function createSimulationHandlers(
  catalogue: CatalogueView,
  { calendars }: Pick<LendingEnvironment, 'calendars'>,
  queue: SimulationQueue,
): { readonly SimulateRequest: Handler } {
  return {
    SimulateRequest: (payload, request) => {
      const { originTimestampMs, timeFault } = request;
      const sent = toSimulateRequest(payload as SimulateInput);
      if (timeFault !== undefined && sent.Date === undefined)
        return refused(createProblem('not-computable', { errors: [timeFault] }));
      const used = new UsedRecords(catalogue);
      const requestDay = toUtcDay(originTimestampMs);
      const steps = simulateInSteps(sent, { catalogue: used, calendars, requestDay });
      return queue.run(steps, request, (simulated) => {
        if (simulated.kind === 'refused') return refuseSimulation(simulated);
        const reply = simulatePayload(simulated.records, simulated.warnings);
        const day = formatCalendarDate(sent.Date ?? requestDay);
        return answer('SimulateReply', reply, simulated, { day, records: used.versions() });
      });
    },
  };
}
