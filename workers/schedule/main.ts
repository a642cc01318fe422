import {
  openLendingCatalogue,
  type LendingWorkerCatalogue,
} from '../../shared/product/storage/lending-environment.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../shared/messaging/codec/request-batch.ts';
import { startCatalogueWorker, type CatalogueWorker } from '../runtime/catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { createScheduleHandlers } from './schedule-calculations.ts';

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
/** Time after which bulk work yields to interactive requests in the same process. */
const BULK_SLICE_MS = 2;
const LANES: CatalogueWorker<LendingWorkerCatalogue>['lanes'] = [
  { lane: 'interactive', requestTopic: 'scheduleRequests' },
  { lane: 'bulk', requestTopic: 'scheduleBulkRequests', sliceMs: BULK_SLICE_MS },
];
/** Starts the schedule worker. Rejects when it cannot start, after stopping what it has started. */
export function startScheduleWorker(context: WorkerContext): Promise<RunningWorker> {
  const { codec, threads } = context;
  return startCatalogueWorker(context, {
    name: 'schedule',
    messageTypes: MESSAGE_TYPES,
    deadLetterTopic: 'scheduleDeadLetters',
    lanes: LANES,
    open: openLendingCatalogue,
    createHandlers: ({ environment }) =>
      createScheduleHandlers(environment, threads === undefined ? undefined : { threads, codec }),
  });
}
