import { openLendingCatalogue } from '../../shared/catalogue/lending-environment.ts';
import { openCatalogue, type OpenCatalogue } from '../../shared/catalogue/open-catalogue.ts';
import { startLane } from '../../shared/messaging/request-lane.ts';
import { combineHealth } from '../../shared/platform/health-server.ts';
import type { RunningWorker, WorkerContext } from '../../shared/platform/worker.ts';
import { createHandlers } from './handlers.ts';

const NAME = 'simulation';
const MESSAGE_TYPES = ['SimulateRequest', 'SimulateReply', 'CatalogueRecord', 'ProblemReply'];

/**
 * Starts the simulation worker: reads the whole catalogue, then consumes requests, simulates, replies. Rejects when it
 * cannot begin; nothing is left running then.
 */
export async function start(
  context: WorkerContext,
  open: OpenCatalogue = openCatalogue,
): Promise<RunningWorker> {
  await context.codec.prepare(MESSAGE_TYPES);
  const catalogue = await openLendingCatalogue(context, NAME, open);
  let lane;
  try {
    lane = await startLane(context, {
      worker: NAME,
      lane: 'interactive',
      requestTopic: 'simulationRequests',
      deadLetterTopic: 'simulationDeadLetters',
      handlers: createHandlers(catalogue.view, catalogue.environment),
    });
  } catch (error) {
    await catalogue.stop(0);
    throw error;
  }
  const interactive = lane;
  return {
    name: NAME,
    health: () => combineHealth({ interactive: interactive.health(), catalogue: catalogue.health() }),
    stop: async (timeoutMs) => {
      await interactive.stop(timeoutMs);
      await catalogue.stop(timeoutMs);
    },
  };
}
