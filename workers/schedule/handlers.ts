import type { LendingEnvironment } from '../../shared/catalogue/lending-environment.ts';
import type { Handlers } from '../../shared/messaging/handle-by-type.ts';
import { createCalculatePMTHandler } from './handle-calculate-pmt.ts';
import { createCalculateRateHandler } from './handle-calculate-rate.ts';
import { createCalculateRepaymentScheduleHandler } from './handle-calculate-repayment-schedule.ts';

/** The handlers of this worker by the type of the request; both lanes serve the same. */
export function createHandlers(environment: LendingEnvironment): Handlers {
  return {
    CalculateRepaymentScheduleRequest: createCalculateRepaymentScheduleHandler(environment),
    CalculatePMTRequest: createCalculatePMTHandler(environment),
    CalculateRateRequest: createCalculateRateHandler(environment),
  };
}
