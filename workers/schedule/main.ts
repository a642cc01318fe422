import {
  openLendingCatalogue,
  type LendingEnvironment,
  type LendingWorkerCatalogue,
} from '../../shared/product/storage/lending-environment.ts';
import { UNITS_PER_CALL } from '../../shared/contract/actions/request-limits.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import { REPLY_BATCH, REQUEST_BATCH } from '../../shared/messaging/codec/request-batch.ts';
import {
  requesterOf,
  type Handler,
  type Handlers,
  type Request,
} from '../../shared/messaging/handler/request.ts';
import { refused, retry, type Outcome } from '../../shared/messaging/outcome.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import type { CalculationThreads, CalculationWork } from '../runtime/thread-pool.ts';
import { startCatalogueWorker, type CatalogueWorker } from '../runtime/catalogue-worker.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { createCalculations } from './schedule-calculations.ts';

/** The threads that run long calculations, and the codec for their payloads. */
export interface CalculationOffload {
  readonly threads: CalculationThreads;
  readonly codec: Pick<Codec, 'encode'>;
}

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
/** Approximate time in which the threads complete half of the calculations that may wait. */
const RETRY_MS = 1_000;
const OVERLOADED = createProblem('overloaded', {
  detail: 'Too many long calculations are waiting; try again in a moment.',
});

/**
 * Starts the schedule worker, which calculates with the catalogue's schedule types, periodicities and calendars, on the
 * lanes of its configuration. Rejects when it cannot start, after stopping what it has started.
 */
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

/** The handlers by type of request, the same for both lanes; with `offload` a long calculation runs in a thread (E6). */
export function createScheduleHandlers(
  environment: LendingEnvironment,
  offload?: CalculationOffload,
): Handlers {
  const handlers = Object.entries(createCalculations(environment)).map(
    ([type, { refuseUnknownDay, units: unitsOf, answer }]): [string, Handler] => [
      type,
      (payload, request) => {
        const { originTimestampMs, timeFault } = request;
        const untimely = timeFault && refuseUnknownDay(payload, timeFault);
        if (untimely !== undefined) return untimely;
        const units = unitsOf(payload);
        const snapshot =
          units > UNITS_PER_CALL && offload !== undefined ? environment.snapshot?.() : undefined;
        if (offload === undefined || snapshot === undefined) return answer(payload, originTimestampMs);
        return calculateInThread(offload, { type, payload, units, snapshot }, request);
      },
    ],
  );
  return Object.fromEntries(handlers);
}

/**
 * When too many calculations are waiting, a request with a deadline is refused and one without is retried later. Batch
 * items always wait, because the number of batches is limited.
 */
async function calculateInThread(
  { threads, codec }: CalculationOffload,
  {
    payload,
    ...calculation
  }: Pick<CalculationWork, 'type' | 'units' | 'snapshot'> & { readonly payload: unknown },
  request: Request,
): Promise<Outcome> {
  const { value } = await codec.encode(calculation.type, payload, 'avro');
  const { originTimestampMs, format, isBatchItem, deadlineMs } = request;
  const times = { originTimestampMs, deadlineMs };
  const outcome = await threads.calculate({
    ...calculation,
    ...times,
    value,
    format,
    requester: requesterOf(request),
    isPatient: isBatchItem,
  });
  if (outcome !== undefined) return outcome;
  return deadlineMs === undefined ? retry(RETRY_MS, OVERLOADED) : refused(OVERLOADED);
}
