import { openLendingCatalogue } from '../../shared/catalogue/lending-environment.ts';
import { startLane, type RunningLane } from '../../shared/messaging/request-lane.ts';
import { combineHealth } from '../../shared/platform/health-server.ts';
import type { RunningWorker, WorkerContext } from '../../shared/platform/worker.ts';
import { createHandlers } from './handlers.ts';

const NAME = 'schedule';
const MESSAGE_TYPES = [
  'CalculateRepaymentScheduleRequest',
  'CalculateRepaymentScheduleReply',
  'CalculatePMTRequest',
  'CalculatePMTReply',
  'CalculateRateRequest',
  'CalculateRateReply',
  'CatalogueRecord',
  'ProblemReply',
];
const SERVICE = { worker: NAME, deadLetterTopic: 'scheduleDeadLetters' } as const;
/** Bulk work gives way to interactive requests in the same process after this. */
const BULK_SLICE_MS = 2;

/**
 * Starts the schedule worker: reads the catalogue's schedule types, periodicities and calendars, then consumes requests
 * on both lanes, computes, replies. Rejects when it cannot begin; nothing is left running then.
 */
export async function start(context: WorkerContext): Promise<RunningWorker> {
  await context.codec.prepare(MESSAGE_TYPES);
  const catalogue = await openLendingCatalogue(context, NAME);
  const handlers = createHandlers(catalogue.environment);
  const started: RunningLane[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    await Promise.all(started.map((lane) => lane.stop(timeoutMs)));
    await catalogue.stop(timeoutMs);
  };
  try {
    const interactive = await startLane(context, {
      ...SERVICE,
      lane: 'interactive',
      requestTopic: 'scheduleRequests',
      handlers,
    });
    started.push(interactive);
    const bulk = await startLane(context, {
      ...SERVICE,
      lane: 'bulk',
      requestTopic: 'scheduleBulkRequests',
      handlers,
      sliceMs: BULK_SLICE_MS,
    });
    started.push(bulk);
    return {
      name: NAME,
      health: () =>
        combineHealth({
          interactive: interactive.health(),
          bulk: bulk.health(),
          catalogue: catalogue.health(),
        }),
      stop,
    };
  } catch (error) {
    await stop(0);
    throw error;
  }
}
