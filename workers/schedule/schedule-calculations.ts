/** The calculations of the schedule worker, which the event loop and the calculation threads share, and where each runs. */

import type { LendingEnvironment } from '../../shared/product/storage/lending-environment.ts';
import { MAX_BATCH_REPLY_BYTES } from '../../shared/messaging/codec/request-batch.ts';
import { limitFaults } from '../../shared/api/json/faults.ts';
import { JSON_PARAM } from '../../shared/api/json/request-reader.ts';
import { calculateRate } from '../../shared/lending/calculate-rate.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import { toUtcDay, type CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { startsOnRequestDay } from '../../shared/lending/due-dates/planned-rows.ts';
import { calculatePaymentValue } from '../../shared/lending/payment-value.ts';
import type { PaymentValueRequest } from '../../shared/lending/request/payment-value-request.ts';
import type { RateRequest } from '../../shared/lending/request/rate-request.ts';
import type { RequestFault, RequestWarning } from '../../shared/lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import type { UsedCalendar } from '../../shared/lending/request/repayment-schedule.ts';
import { findScheduleFaults } from '../../shared/lending/terms/validate-schedule-request.ts';
import { rateUnits, scheduleUnits } from '../../shared/lending/work-units.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import {
  requesterOf,
  type Handler,
  type Handlers,
  type Request,
} from '../../shared/messaging/handler/request.ts';
import { done, refused, retry, type Outcome, type ReplyBody } from '../../shared/messaging/outcome.ts';
import { formatCalendar } from '../../shared/platform/header-text.ts';
import { createProblem, type Fault } from '../../shared/platform/problem.ts';
import type { CalculationThreads, CalculationWork } from '../runtime/thread-pool.ts';

/** Approximate time in which the threads complete half of the calculations that may wait. */
const RETRY_MS = 1_000;
const OVERLOADED = createProblem('overloaded', {
  detail: 'Too many long calculations are waiting; try again in a moment.',
});

/** The result of a calculation, with the fields that had no effect, or all reasons why there is none. */
type CalculationResult =
  | { readonly kind: 'refused'; readonly faults: readonly RequestFault[] }
  | {
      readonly kind: string;
      readonly warnings?: readonly RequestWarning[];
      /** The holiday calendar that was applied. */
      readonly calendar?: UsedCalendar;
    };

/**
 * One type of request. `environment` may change from one request to the next; `requestDay` is the UTC day of the message's
 * own timestamp, so that a replay gives the same reply (D2).
 */
interface Calculation<Input> {
  /** Record name of the reply in schemas/messages.ts; its payload is the result. */
  readonly replyType: string;
  /**
   * The faults of a request that can be found without the day of the request, if its answer depends on that day (D2);
   * otherwise undefined. Absent when no answer does.
   */
  faultsWithoutDay?(request: Input, environment: LendingEnvironment): readonly RequestFault[] | undefined;
  /** The units of work (E6); absent when there are next to none. */
  units?(request: Input, environment: LendingEnvironment): number;
  calculate(request: Input, environment: LendingEnvironment, requestDay: CalendarDate): CalculationResult;
}

/** A calculation in an environment. */
export interface AnsweredCalculation {
  /** The refusal of a request whose answer depends on its day, which is unknown because of `fault`. */
  readonly refuseUnknownDay: (payload: unknown, fault: Fault) => Outcome | undefined;
  /** The units of work of a request. */
  readonly units: (payload: unknown) => number;
  /** The outcome of a request. A refusal contains all faults (E1, E3). */
  readonly answer: (payload: unknown, originTimestampMs: number) => Outcome;
}

/** The threads that run long calculations, and the codec for their payloads. */
export interface CalculationOffload {
  readonly threads: CalculationThreads;
  readonly codec: Pick<Codec, 'encode'>;
}

/** Calculations by the type of the request. */
export type Calculations = Readonly<Record<string, AnsweredCalculation>>;

/** A schedule with the types, periodicities, calendars, commissions and insurances of the environment. */
const REPAYMENT_SCHEDULE: Calculation<RepaymentScheduleRequest> = {
  replyType: 'CalculateRepaymentScheduleReply',
  faultsWithoutDay: (request, { catalogue }) =>
    startsOnRequestDay(request, catalogue.periodicities) ? findScheduleFaults(request, catalogue) : undefined,
  units: (request, { catalogue }) => scheduleUnits(request, catalogue),
  calculate: (request, { catalogue, calendars }, requestDay) =>
    calculateRepaymentSchedule(request, {
      requestDay,
      catalogue,
      calendars,
      maxReplyBytes: MAX_BATCH_REPLY_BYTES,
    }),
};

/** The level payment of a loan or a savings plan (P1, P2). */
const PAYMENT_VALUE: Calculation<PaymentValueRequest> = {
  replyType: 'CalculatePMTReply',
  calculate: (request, { catalogue }) => calculatePaymentValue(request, catalogue.periodicities),
};

/** The rate of given cash flows with its proof (A6). */
const RATE: Calculation<RateRequest> = {
  replyType: 'CalculateRateReply',
  units: (request) => rateUnits(request),
  calculate: (request, { catalogue }) => calculateRate(request, catalogue.periodicities),
};

/** The calculations of an environment, which may change from one request to the next. */
export function createCalculations(environment: LendingEnvironment): Calculations {
  return {
    CalculateRepaymentScheduleRequest: createAnsweredCalculation(REPAYMENT_SCHEDULE, environment),
    CalculatePMTRequest: createAnsweredCalculation(PAYMENT_VALUE, environment),
    CalculateRateRequest: createAnsweredCalculation(RATE, environment),
  };
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
        const snapshot = offload?.threads.takes(units) === true ? environment.snapshot?.() : undefined;
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

function createAnsweredCalculation<Input>(
  calculation: Calculation<Input>,
  environment: LendingEnvironment,
): AnsweredCalculation {
  return {
    refuseUnknownDay: (payload, fault) => {
      const others = calculation.faultsWithoutDay?.(payload as Input, environment);
      return others && refuseFaults(others, [fault]);
    },
    units: (payload) => calculation.units?.(payload as Input, environment) ?? 0,
    answer: (payload, originTimestampMs) => {
      const result = calculation.calculate(payload as Input, environment, toUtcDay(originTimestampMs));
      if ('faults' in result) return refuseFaults(result.faults);
      const { warnings = [], calendar } = result;
      const type = calculation.replyType;
      const reply: ReplyBody =
        calendar === undefined
          ? { type, payload: result }
          : { type, payload: result, holidayCalendar: formatCalendar(calendar) };
      if (warnings.length === 0) return done(reply);
      const located = warnings.map(({ code, path }) => ({ code, path: `${JSON_PARAM}.${path}` }));
      const header = located.map(({ code, path }) => `${code};${path}`).join(', ');
      return done({ ...reply, payload: { ...result, warnings: located }, warnings: header });
    },
  };
}

/**
 * Refuses an incomplete or contradictory request with 400, and one that cannot be computed with 422 (E1). `ofMessage` are
 * faults of its message.
 */
function refuseFaults(faults: readonly RequestFault[], ofMessage: readonly Fault[] = []): Outcome {
  const tooLarge = faults.find(({ code }) => code === 'reply-too-large');
  if (tooLarge !== undefined) {
    return refused(createProblem('reply-too-large', { detail: `${tooLarge.path} ${tooLarge.message}.` }));
  }
  const isIncomplete = faults.some(({ status }) => status === 400);
  const errors = limitFaults([
    ...ofMessage,
    ...faults.map(({ path, code, message }) => ({ path: `${JSON_PARAM}.${path}`, code, message })),
  ]);
  return refused(createProblem(isIncomplete ? 'invalid-request' : 'not-computable', { errors }));
}
