import { openLendingCatalogue } from '../../shared/catalogue/lending-environment.ts';
import { startCatalogueWorker } from '../../shared/catalogue/start-catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../../shared/platform/worker.ts';
import { createHandlers } from './handlers.ts';

const MESSAGE_TYPES = [
  'CalculateRepaymentScheduleRequest',
  'CalculateRepaymentScheduleReply',
  'CalculatePMTRequest',
  'CalculatePMTReply',
  'CalculateRateRequest',
  'CalculateRateReply',
];
/** Bulk work gives way to interactive requests in the same process after this. */
const BULK_SLICE_MS = 2;

/**
 * Starts the schedule worker, which calculates with the catalogue's schedule types, periodicities and calendars, on two
 * lanes. Rejects when it cannot begin; nothing is left running then.
 */
export function start(context: WorkerContext): Promise<RunningWorker> {
  return startCatalogueWorker(context, {
    name: 'schedule',
    messageTypes: MESSAGE_TYPES,
    deadLetterTopic: 'scheduleDeadLetters',
    lanes: [
      { lane: 'interactive', requestTopic: 'scheduleRequests' },
      { lane: 'bulk', requestTopic: 'scheduleBulkRequests', sliceMs: BULK_SLICE_MS },
    ],
    open: openLendingCatalogue,
    handlersOf: ({ environment }) => createHandlers(environment),
  });
}
