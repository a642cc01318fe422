/** `PLAT_BP_CalculatePMT` on the wire (interface sections 2.3 and 4.7, rules M5 and P2): request, answer and examples. */

import type { Decimal } from 'decimal.js';
import { z } from 'zod';
import { findPaymentValueFaults } from '../../lending/payment-value.ts';
import type { PaymentValue, PaymentValueRequest } from '../../lending/request/payment-value-request.ts';
import type { Fault } from '../../platform/problem.ts';
import { defineAction, type Examples } from '../json/action.ts';
import { amount, count, numericFlag, optional, percent, text, requestOf } from '../json/field-kinds.ts';
import { createRequestContract } from '../json/request-contract.ts';

/** The fields of the request (interface section 4.7 and the extension of rule M5). */
export const paymentValueFields = requestOf({
  InstallmentsNo: count().describe('Number of installments, 1 to 1200.'),
  PeriodicityType: text().describe('Name of the periodicity, in any case, such as Monthly. Not Once.'),
  InterestCalculationMethod: text().describe('Day count by name, in any case, such as 30/360 or Actual/365.'),
  FinancedAmount: optional(amount()).describe(
    'Financed amount. Absent or 0: a savings plan whose target is FutureValue.',
  ),
  InterestPercent: optional(percent()).describe('Annual interest rate in percent. Absent: 0.'),
  GracePeriodPrincipal: optional(numericFlag()).describe(
    '1: the first installment is skipped, only its interest is paid; 0 (default): no grace.',
  ),
  FutureValue: optional(amount()).describe(
    'Balloon: what is still owed after the last installment; above FinancedAmount the debt grows. Below zero: what is saved beyond the repayment. Absent: 0.',
  ),
  InterestType: optional(numericFlag()).describe('0 (default): payments in arrears; 1: in advance.'),
  Precision: optional(count()).describe('Extension. Decimals of the answer, 0 to 10. Absent: 2.'),
});

/** The request as HTTP calls and messages carry it. */
export const paymentValueRequest = createRequestContract<PaymentValueRequest>({
  fields: paymentValueFields,
  jsonParam: 'Terms of the payment.',
  meaning: {
    placeholders: { InstallmentsNo: 2, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' },
    faultsOf: (request, catalogue) => findPaymentValueFaults(request, catalogue?.periodicities),
    dependsOn,
  },
});

/** Each amount limits the other one, the installments limit the grace period, and a rate is too low for a period. */
function dependsOn({ path, code }: Fault): readonly string[] {
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

/** The one object that the action answers. */
const paymentValueReply = z
  .strictObject({
    PMTValue: z.number().describe('Payment of each installment.'),
    PrincipalValue: z.number().describe('Equal part of the principal in each installment.'),
  })
  .describe('Both figures have the number of decimals that Precision says.');

/**
 * The answer as JSON text. The figures never become binary numbers: 250 is written `250.00` (M1). Throws RangeError on
 * one that is not finite, which is a bug of its producer.
 */
export function renderPaymentValue({ pmtValue, principalValue, digits }: PaymentValue): string {
  return `{"PMTValue":${figureText(pmtValue, digits)},"PrincipalValue":${figureText(principalValue, digits)}}`;
}

function figureText(figure: Decimal, digits: number): string {
  if (!figure.isFinite()) throw new RangeError('a figure must be a finite number');
  return figure.isZero() ? figure.abs().toFixed(digits) : figure.toFixed(digits);
}

const TERMS = {
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
  FinancedAmount: 1000,
  InterestPercent: 12,
};

/** 1000 at 12 % in four months; a test keeps the examples true. The main example comes first. */
export const PAYMENT_VALUE_EXAMPLES: Examples = [
  {
    key: 'arrears',
    summary: 'The payment of 1000 at 12 % in four months, in arrears',
    request: { jsonParam: TERMS },
    reply: { PMTValue: 256.28, PrincipalValue: 250 },
  },
  {
    key: 'balloonInAdvance',
    summary: 'The same in advance with 200 still owed at the end',
    request: { jsonParam: { ...TERMS, FutureValue: 200, InterestType: 1 } },
    reply: { PMTValue: 204.98, PrincipalValue: 200 },
  },
  {
    key: 'savingsPlan',
    summary: 'What is saved each month to have 1000 after four months',
    request: { jsonParam: { ...TERMS, FinancedAmount: null, FutureValue: 1000 } },
    reply: { PMTValue: 246.28, PrincipalValue: 250 },
  },
];

export const CALCULATE_PMT = defineAction<PaymentValueRequest, PaymentValue>({
  name: 'PLAT_BP_CalculatePMT',
  summary: 'Calculates the equal payment of a loan or of a savings plan',
  description:
    'Returns one object with the payment and the equal part of the principal, from the terms alone: no dates, no ' +
    'schedule. Without FinancedAmount it is what has to be paid in to reach FutureValue.',
  requestType: 'CalculatePMTRequest',
  request: paymentValueRequest,
  replyShape: paymentValueReply,
  examples: PAYMENT_VALUE_EXAMPLES,
  render: renderPaymentValue,
});
