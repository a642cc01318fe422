/** Reads the request of `PLAT_BP_CalculatePMT`. */

import { faultsOfPaymentValue } from '../../lending/payment-value.ts';
import type { PaymentValueRequest } from '../../lending/request/payment-value-request.ts';
import type { Fault } from '../../platform/problem.ts';
import { createInputReader } from '../json/json-param-input.ts';
import { paymentValueBody, paymentValueMembers } from './calculate-pmt.ts';

/** Reads `{jsonParam: {...}}` and checks requests that came in Avro. */
export const paymentValueInput = createInputReader<PaymentValueRequest>({
  body: paymentValueBody,
  members: paymentValueMembers,
  standIns: { InstallmentsNo: 2, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' },
  faultsOf: (request, catalogue) => faultsOfPaymentValue(request, catalogue?.periodicities),
  restsOn,
});

/** Both amounts decide about each other, a rate is too low by the period, and grace by the installments. */
function restsOn({ path, code }: Fault): readonly string[] {
  switch (path) {
    case 'FinancedAmount':
      return ['FutureValue'];
    case 'FutureValue':
      return ['FinancedAmount'];
    case 'GracePeriodPrincipal':
      return ['InstallmentsNo'];
    case 'InterestPercent':
      return code === 'rate-too-low' ? ['PeriodicityType', 'InterestCalculationMethod'] : [];
    default:
      return [];
  }
}
