import { calculateRate } from '../../shared/lending/calculate-rate.ts';
import type { RateRequest } from '../../shared/lending/request/rate-request.ts';
import { rateEffort } from '../../shared/lending/request-effort.ts';
import type { LendingEnvironment } from '../../shared/catalogue/lending-environment.ts';
import { answerCalculation, type AnsweredCalculation } from './calculations.ts';

/** Answers a CalculateRateRequest: the rate of given cash flows with its proof (A6). Pure. */
export function createCalculateRate(environment: LendingEnvironment): AnsweredCalculation {
  return answerCalculation<RateRequest>({
    replyType: 'CalculateRateReply',
    effort: rateEffort,
    calculate: (request) => calculateRate(request, environment.catalogue.periodicities),
  });
}
