import type { CalculationThreads } from '../runtime/calculation-threads.ts';
import type { LendingEnvironment, LendingSnapshot } from '../../shared/catalogue/lending-environment.ts';
import { LONG_WORK_MS } from '../../shared/contract/actions/request-limits.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import type { Handler, Handlers, Request } from '../../shared/messaging/handler/request.ts';
import { refused, retry, type Outcome } from '../../shared/messaging/outcome.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import type { AnsweredCalculation } from './calculations.ts';
import { createCalculatePMT } from './handle-calculate-pmt.ts';
import { createCalculateRate } from './handle-calculate-rate.ts';
import { createCalculateRepaymentSchedule } from './handle-calculate-repayment-schedule.ts';

/** The calculations of this worker by the type of the request. */
export type Calculations = Readonly<Record<string, AnsweredCalculation>>;

/** Where long calculations are done beside the event loop. */
export interface BesideTheLoop {
  readonly threads: CalculationThreads;
  readonly codec: Pick<Codec, 'encode'>;
}

/** About as long as the threads need for half of what may wait for them. */
const RETRY_MS = 1_000;
const OVERLOADED = createProblem('overloaded', {
  detail: 'Too many long calculations are waiting; try again in a moment.',
});

export function createCalculations(environment: LendingEnvironment): Calculations {
  return {
    CalculateRepaymentScheduleRequest: createCalculateRepaymentSchedule(environment),
    CalculatePMTRequest: createCalculatePMT(environment),
    CalculateRateRequest: createCalculateRate(environment),
  };
}

/**
 * The handlers of this worker by the type of the request; both lanes serve the same. A request whose reply cannot fit is
 * refused before it is calculated, and a long calculation is done beside the event loop where there is `beside` (E6).
 */
export function createHandlers(environment: LendingEnvironment, beside?: BesideTheLoop): Handlers {
  const entries = Object.entries(createCalculations(environment)).map(
    ([type, { estimate, answer }]): [string, Handler] => [
      type,
      (payload, context) => {
        const { originTimestampMs } = context;
        const estimated = estimate(payload, originTimestampMs);
        if (estimated.kind === 'refused') return estimated;
        const snapshot = environment.snapshot?.();
        if (estimated.processorMs <= LONG_WORK_MS || beside === undefined || snapshot === undefined)
          return answer(payload, originTimestampMs);
        return calculateBeside(beside, { type, payload, snapshot }, context);
      },
    ],
  );
  return Object.fromEntries(entries);
}

interface LongRequest {
  readonly type: string;
  readonly payload: unknown;
  readonly snapshot: LendingSnapshot;
}

/**
 * Where too many calculations wait already, a caller learns it at once; a message that nobody waits for is taken up again
 * later. The items of a batch wait: batches are limited themselves.
 */
async function calculateBeside(
  { threads, codec }: BesideTheLoop,
  { type, payload, snapshot }: LongRequest,
  { originTimestampMs, format, isBatchItem, deadlineMs }: Request,
): Promise<Outcome> {
  const { value } = await codec.encode(type, payload, 'avro');
  const work = { type, value, format, originTimestampMs, deadlineMs, snapshot, isPatient: isBatchItem };
  const outcome = await threads.calculate(work);
  if (outcome !== undefined) return outcome;
  return deadlineMs === undefined ? retry(RETRY_MS, OVERLOADED) : refused(OVERLOADED);
}
