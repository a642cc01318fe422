import { rateInput } from '../../shared/contract/read-rate-request.ts';
import { calculateRate } from '../../shared/lending/calculate-rate.ts';
import type { RateRequest } from '../../shared/lending/rate-request.ts';
import type { LendingEnvironment } from '../../shared/catalogue/lending-environment.ts';
import type { Handler } from '../../shared/messaging/handle-by-type.ts';
import { answerCalculation } from './answer-calculation.ts';

/** Answers a CalculateRateRequest: the rate of given cash flows with its proof (A6). Pure. */
export function createCalculateRateHandler(environment: LendingEnvironment): Handler {
  return answerCalculation<RateRequest>({
    replyType: 'CalculateRateReply',
    check: (request) => rateInput.check(request, environment.catalogue),
    calculate: (request) => calculateRate(request, environment.catalogue.periodicities),
  });
}
