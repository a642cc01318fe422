/** The calculations of the schedule worker, which run on the event loop or in the calculation threads. */

import type { LendingEnvironment } from '../../shared/product/storage/lending-environment.ts';
import { MAX_BATCH_REPLY_BYTES } from '../../shared/messaging/codec/request-batch.ts';
import { limitFaults } from '../../shared/api/json/faults.ts';
import { JSON_PARAM } from '../../shared/api/json/request-reader.ts';
import { calculateRate } from '../../shared/lending/calculate-rate.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import { formatCalendarDate, toUtcDay, type CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { startsOnRequestDay } from '../../shared/lending/due-dates/planned-due-dates.ts';
import { calculatePaymentValue } from '../../shared/lending/payment-value.ts';
import type { PaymentValueRequest } from '../../shared/lending/request/payment-value-request.ts';
import type { RateRequest } from '../../shared/lending/request/rate-request.ts';
import type { RequestFault, RequestWarning } from '../../shared/lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../shared/lending/request/repayment-schedule-request.ts';
import type { UsedCalendar } from '../../shared/lending/request/repayment-schedule.ts';
import { findScheduleFaults } from '../../shared/lending/terms/validate-schedule-request.ts';
import { needsThread, rateUnits, scheduleUnits } from '../../shared/lending/work-units.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import {
  requesterOf,
  type Handler,
  type Handlers,
  type Request,
} from '../../shared/messaging/handler/request.ts';
import { done, refused, retry, type Outcome, type ReplyBody } from '../../shared/messaging/outcome.ts';
import { formatCalendar } from '../../shared/messaging/header-text.ts';
import { createProblem, type Fault } from '../../shared/platform/problem.ts';
import type { CalculationThreads, CalculationWork } from '../runtime/thread-pool.ts';

const RETRY_MS = 1_000;
const OVERLOADED = createProblem('overloaded', {
  detail: 'Too many long calculations are waiting; try again in a moment.',
});

type CalculationResult =
  | { readonly kind: 'refused'; readonly faults: readonly RequestFault[] }
  | {
      readonly kind: string;
      readonly warnings?: readonly RequestWarning[];
      readonly calendar?: UsedCalendar;
      readonly startDate?: CalendarDate;
    };

interface Calculation {
  /** Refuses a request whose answer depends on its day (D2), which is unknown because of `fault`. */
  readonly refuseUnknownDay?: (payload: unknown, fault: Fault) => Outcome | undefined;
  /** Returns units of work, of about a microsecond each. */
  readonly units: (payload: unknown) => number;
  /**
   * A refusal lists the faults (E1, E3). The day of the request is the UTC day of the timestamp in epoch milliseconds,
   * so a replay gives the same reply (D2).
   */
  readonly answer: (payload: unknown, originTimestampMs: number) => Outcome;
}

/** Calculations by the type of the request. */
export type Calculations = Readonly<Record<string, Calculation>>;

/** Reads the environment again for each request, because it follows the catalogue. */
export function createCalculations(environment: LendingEnvironment): Calculations {
  return {
    CalculateRepaymentScheduleRequest: {
      refuseUnknownDay: (payload, fault) => {
        const request = payload as RepaymentScheduleRequest;
        const { catalogue } = environment;
        if (!startsOnRequestDay(request, catalogue.periodicities)) return undefined;
        return refuseFaults(findScheduleFaults(request, catalogue), [fault]);
      },
      units: (payload) => scheduleUnits(payload as RepaymentScheduleRequest, environment.catalogue),
      answer: (payload, originTimestampMs) => {
        const { catalogue, calendars } = environment;
        const requestDay = toUtcDay(originTimestampMs);
        const context = { requestDay, catalogue, calendars, maxReplyBytes: MAX_BATCH_REPLY_BYTES };
        const result = calculateRepaymentSchedule(payload as RepaymentScheduleRequest, context);
        return toOutcome('CalculateRepaymentScheduleReply', result);
      },
    },
    CalculatePMTRequest: {
      units: () => 0,
      answer: (payload) => {
        const { periodicities } = environment.catalogue;
        const result = calculatePaymentValue(payload as PaymentValueRequest, periodicities);
        return toOutcome('CalculatePMTReply', result);
      },
    },
    CalculateRateRequest: {
      units: (payload) => rateUnits(payload as RateRequest),
      answer: (payload) => {
        const result = calculateRate(payload as RateRequest, environment.catalogue.periodicities);
        return toOutcome('CalculateRateReply', result);
      },
    },
  };
}

interface Offload {
  readonly threads: CalculationThreads;
  readonly codec: Pick<Codec, 'encode'>;
}

type LongCalculation = Pick<CalculationWork, 'type' | 'units' | 'snapshot'> & { readonly payload: unknown };

/** Creates the handlers by type of request for both lanes. With `offload` long calculations run in a thread (E6). */
export function createScheduleHandlers(environment: LendingEnvironment, offload?: Offload): Handlers {
  const handlers = Object.entries(createCalculations(environment)).map(
    ([type, { refuseUnknownDay, units: unitsOf, answer }]): [string, Handler] => [
      type,
      (payload, request) => {
        const { originTimestampMs, timeFault } = request;
        const untimely = timeFault && refuseUnknownDay?.(payload, timeFault);
        if (untimely !== undefined) return untimely;
        const units = unitsOf(payload);
        const snapshot = offload && needsThread(units) ? environment.snapshot?.() : undefined;
        if (offload === undefined || snapshot === undefined) return answer(payload, originTimestampMs);
        return calculateInThread({ ...offload, type, payload, units, snapshot }, request);
      },
    ],
  );
  return Object.fromEntries(handlers);
}

/** If too many calculations wait, refuses a request with a deadline, and retries others. Batch items always wait. */
async function calculateInThread(
  { threads, codec, payload, ...calculation }: Offload & LongCalculation,
  request: Request,
): Promise<Outcome> {
  const { value } = await codec.encode(calculation.type, payload, 'avro');
  const { originTimestampMs, format, isBatchItem: isPatient, deadlineMs } = request;
  const message = { value, format, originTimestampMs, deadlineMs, isPatient };
  const outcome = await threads.calculate({ ...calculation, ...message, requester: requesterOf(request) });
  if (outcome !== undefined) return outcome;
  return deadlineMs === undefined ? retry(RETRY_MS, OVERLOADED) : refused(OVERLOADED);
}

function toOutcome(type: string, result: CalculationResult): Outcome {
  if ('faults' in result) return refuseFaults(result.faults);
  const { warnings = [], calendar, startDate } = result;
  const reply: ReplyBody = {
    type,
    payload: result,
    ...(calendar === undefined ? {} : { holidayCalendar: formatCalendar(calendar) }),
    ...(startDate === undefined ? {} : { sources: { day: formatCalendarDate(startDate) } }),
  };
  if (warnings.length === 0) return done(reply);
  const located = warnings.map(({ code, path }) => ({ code, path: `${JSON_PARAM}.${path}` }));
  const header = located.map(({ code, path }) => `${code};${path}`).join(', ');
  return done({ ...reply, payload: { ...result, warnings: located }, warnings: header });
}

/** Refuses an incomplete or contradictory request with 400, and any other with 422 (E1). */
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
