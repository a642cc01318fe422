import { calculatePaymentValue } from '../../shared/lending/payment-value.ts';
import type { PaymentValueRequest } from '../../shared/lending/request/payment-value-request.ts';
import type { LendingEnvironment } from '../../shared/catalogue/lending-environment.ts';
import { answerCalculation, type AnsweredCalculation } from './calculations.ts';

/** Terms without any list: a payment takes microseconds. */
const NO_EFFORT = { processorMs: 0, leastReplyBytes: 0 };

/** Calculates a CalculatePMTRequest: the equal payment of a loan or a savings plan (P1, P2). Pure. */
export function createCalculatePMT(environment: LendingEnvironment): AnsweredCalculation {
  return answerCalculation<PaymentValueRequest>({
    replyType: 'CalculatePMTReply',
    effort: () => NO_EFFORT,
    calculate: (request) => calculatePaymentValue(request, environment.catalogue.periodicities),
  });
}
