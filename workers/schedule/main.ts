import { openLendingCatalogue } from '../../shared/product/storage/lending-environment.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../shared/messaging/codec/request-batch.ts';
import { startCatalogueWorker } from '../runtime/catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { createScheduleHandlers } from './schedule-calculations.ts';

/** Leaves nothing running if it rejects. */
export function startScheduleWorker(context: WorkerContext): Promise<RunningWorker> {
  const { codec, threads } = context;
  return startCatalogueWorker(context, {
    name: 'schedule',
    furtherTypes: [REQUEST_BATCH, REPLY_BATCH],
    lanes: [
      { lane: 'interactive', requestTopic: 'scheduleRequests' },
      // Bulk work yields to interactive requests in the same process after 2 ms.
      { lane: 'bulk', requestTopic: 'scheduleBulkRequests', sliceMs: 2 },
    ],
    open: openLendingCatalogue,
    createHandlers: ({ environment }) =>
      createScheduleHandlers(environment, threads === undefined ? undefined : { threads, codec }),
  });
}
