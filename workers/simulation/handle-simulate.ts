import type { LendingEnvironment } from '../../shared/catalogue/lending-environment.ts';
import { toSimulateRequest, type SimulateInput } from '../../shared/contract/simulate/request.ts';
import { limitFaults } from '../../shared/contract/json/faults.ts';
import { simulatePayload } from '../../shared/contract/simulate/reply.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import type { Handler } from '../../shared/messaging/handler/request.ts';
import { done, refused, type Outcome } from '../../shared/messaging/outcome.ts';
import { WorkSlices } from '../../shared/messaging/handler/work-slices.ts';
import { createProblem, type ErrorCode } from '../../shared/platform/problem.ts';
import { warningsList } from '../../shared/platform/header-text.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { simulateInSteps } from '../../shared/product/simulation/simulate.ts';
import type { SimulationOutcome } from '../../shared/product/simulation/simulation.ts';

const DAY_MS = 86_400_000;
/** Long simulations give way to everything else of the process after this. */
const SLICE_MS = 10;
/** Rows that are calculated at once, in some 5 ms: such a simulation does not wait for the long ones. */
const SHORT_ROWS = 2_000;

type Refused = Extract<SimulationOutcome, { readonly kind: 'refused' }>;

/**
 * Answers a SimulateRequest from a catalogue, which may change from one request to the next. Pure: the loan starts on the
 * UTC day of the message's own timestamp, so that a replay gives the same answer (Q2).
 */
export function createSimulateHandler(
  catalogue: CatalogueView,
  { calendars }: Pick<LendingEnvironment, 'calendars'>,
): Handler {
  const slices = new WorkSlices({ sliceMs: SLICE_MS });
  return async (payload, { originTimestampMs }) => {
    const input = payload as SimulateInput;
    const requestDay = Math.floor(originTimestampMs / DAY_MS) as CalendarDate;
    const context = { catalogue, calendars, requestDay };
    const outcome = await inSlices(slices, simulateInSteps(toSimulateRequest(input), context));
    if (outcome.kind === 'refused') return refusalOf(outcome);
    const { records, warnings } = outcome;
    const header = warningsList(warnings, undefined);
    const reply = { type: 'SimulateReply', payload: simulatePayload(records, warnings) };
    return done(header === undefined ? reply : { ...reply, warnings: header });
  };
}

/** A short simulation at once; of the long ones one at a time, with a turn of the event loop after each slice. */
async function inSlices<Result>(
  slices: WorkSlices,
  steps: Generator<number, Result, undefined>,
): Promise<Result> {
  let step = steps.next();
  const isLong = step.done !== true && step.value > SHORT_ROWS;
  if (isLong) await slices.acquire();
  try {
    while (step.done !== true) {
      if (isLong && slices.isOver()) await slices.yield();
      step = steps.next();
    }
    return step.value;
  } finally {
    if (isLong) slices.release();
  }
}

/** An unknown product is a 404, a request that is incomplete or contradicts itself a 400, any other a 422 (E1). */
function refusalOf({ faults, unknownProduct }: Refused): Outcome {
  const errors = limitFaults(faults).map(({ path, code, message }) => ({ path, code, message }));
  const isIncomplete = faults.some(({ status }) => status === 400);
  const others: ErrorCode = isIncomplete ? 'invalid-request' : 'not-computable';
  return refused(createProblem(unknownProduct === true ? 'unknown-product' : others, { errors }));
}
