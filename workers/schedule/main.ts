import { combineHealth } from '../../shared/platform/health-server.ts';
import type { RunningWorker, WorkerContext } from '../../shared/platform/worker.ts';
import { createHandlers } from './handlers.ts';
import { createLendingEnvironment } from './lending-environment.ts';
import { startLane } from './start-lane.ts';

const MESSAGE_TYPES = [
  'CalculateRepaymentScheduleRequest',
  'CalculateRepaymentScheduleReply',
  'CalculatePMTRequest',
  'CalculatePMTReply',
  'CalculateRateRequest',
  'CalculateRateReply',
  'ProblemReply',
];
/** Bulk work gives way to interactive requests in the same process after this. */
const BULK_SLICE_MS = 2;

/** Starts the schedule worker: consumes schedule requests on both lanes, computes, replies. Rejects when it cannot begin. */
export async function start(context: WorkerContext): Promise<RunningWorker> {
  await context.codec.prepare(MESSAGE_TYPES);
  const handlers = createHandlers(createLendingEnvironment(context.config.lending));
  const interactive = await startLane(context, {
    lane: 'interactive',
    requestTopic: 'scheduleRequests',
    handlers,
  });
  let bulk;
  try {
    bulk = await startLane(context, {
      lane: 'bulk',
      requestTopic: 'scheduleBulkRequests',
      handlers,
      sliceMs: BULK_SLICE_MS,
    });
  } catch (error) {
    await interactive.stop(0);
    throw error;
  }
  const lanes = [interactive, bulk];
  return {
    name: 'schedule',
    health: () => combineHealth({ interactive: interactive.health(), bulk: bulk.health() }),
    stop: async (timeoutMs) => {
      await Promise.all(lanes.map((lane) => lane.stop(timeoutMs)));
    },
  };
}
