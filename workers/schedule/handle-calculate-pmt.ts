import { paymentValueInput } from '../../shared/contract/read-payment-value-request.ts';
import { calculatePaymentValue } from '../../shared/lending/payment-value.ts';
import type { PaymentValueRequest } from '../../shared/lending/payment-value-request.ts';
import type { LendingEnvironment } from '../../shared/catalogue/lending-environment.ts';
import type { Handler } from '../../shared/messaging/handle-by-type.ts';
import { answerCalculation } from './answer-calculation.ts';

/** Answers a CalculatePMTRequest: the equal payment of a loan or a savings plan (P1, P2). Pure. */
export function createCalculatePMTHandler(environment: LendingEnvironment): Handler {
  return answerCalculation<PaymentValueRequest>({
    replyType: 'CalculatePMTReply',
    check: (request) => paymentValueInput.check(request, environment.catalogue),
    calculate: (request) => calculatePaymentValue(request, environment.catalogue.periodicities),
  });
}
