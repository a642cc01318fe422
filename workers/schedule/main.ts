import {
  openLendingCatalogue,
  type LendingWorkerCatalogue,
} from '../../shared/catalogue/lending-environment.ts';
import { startCatalogueWorker, type CatalogueWorker } from '../runtime/catalogue-worker.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../shared/messaging/codec/request-batch.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { createHandlers } from './handlers.ts';

const MESSAGE_TYPES = [
  'CalculateRepaymentScheduleRequest',
  'CalculateRepaymentScheduleReply',
  'CalculatePMTRequest',
  'CalculatePMTReply',
  'CalculateRateRequest',
  'CalculateRateReply',
  REQUEST_BATCH,
  REPLY_BATCH,
];
/** Bulk work gives way to interactive requests in the same process after this. */
const BULK_SLICE_MS = 2;
const LANES: CatalogueWorker<LendingWorkerCatalogue>['lanes'] = [
  { lane: 'interactive', requestTopic: 'scheduleRequests' },
  { lane: 'bulk', requestTopic: 'scheduleBulkRequests', sliceMs: BULK_SLICE_MS },
];

/**
 * Starts the schedule worker, which calculates with the catalogue's schedule types, periodicities and calendars, on the
 * lanes that its configuration names. Rejects when it cannot begin; nothing is left running then.
 */
export function startScheduleWorker(context: WorkerContext): Promise<RunningWorker> {
  const { codec, threads } = context;
  return startCatalogueWorker(context, {
    name: 'schedule',
    messageTypes: MESSAGE_TYPES,
    deadLetterTopic: 'scheduleDeadLetters',
    lanes: LANES.filter(({ lane }) => context.config.scheduleLanes.includes(lane)),
    open: openLendingCatalogue,
    handlersOf: ({ environment }) =>
      createHandlers(environment, threads === undefined ? undefined : { threads, codec }),
  });
}
