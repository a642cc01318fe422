import { openLendingCatalogue } from '../../shared/catalogue/lending-environment.ts';
import { openCatalogue, type OpenCatalogue } from '../../shared/catalogue/open-catalogue.ts';
import { startCatalogueWorker } from '../runtime/catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { createHandlers } from './handlers.ts';

/**
 * Starts the simulation worker, which simulates products. Rejects when it cannot begin; nothing is left running then.
 */
export function startSimulationWorker(
  context: WorkerContext,
  open: OpenCatalogue = openCatalogue,
): Promise<RunningWorker> {
  return startCatalogueWorker(context, {
    name: 'simulation',
    messageTypes: ['SimulateRequest', 'SimulateReply'],
    deadLetterTopic: 'simulationDeadLetters',
    lanes: [{ lane: 'interactive', requestTopic: 'simulationRequests' }],
    open: (own, worker) => openLendingCatalogue(own, worker, open),
    handlersOf: ({ view, environment }) => createHandlers(view, environment),
  });
}
