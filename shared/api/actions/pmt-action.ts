/** `PLAT_BP_CalculatePMT` (interface sections 2.3 and 4.7, rules M5 and P2): request and answer. */

import type { Decimal } from 'decimal.js';
import { z } from 'zod';
import { findPaymentValueFaults } from '../../lending/payment-value.ts';
import { MAX_INSTALLMENTS, MAX_RATE_PERCENT } from '../../lending/request/field-checks.ts';
import type { PaymentValue, PaymentValueRequest } from '../../lending/request/payment-value-request.ts';
import { MAX_PAYMENT_AMOUNT, MAX_PAYMENT_DIGITS } from '../../lending/terms/payment-terms.ts';
import type { Fault } from '../../platform/problem.ts';
import { defineAction } from '../json/action-definition.ts';
import { createRequestReader } from '../json/request-reader.ts';
import examples from './pmt-examples.json' with { type: 'json' };
import { termsOf, amount, count, numericFlag, optional, percent, text } from '../json/field-kinds.ts';
import TEXTS from './field-texts.json' with { type: 'json' };

export const paymentValueFields = termsOf(TEXTS.PaymentTerms, {
  InstallmentsNo: count({ minimum: 1, maximum: MAX_INSTALLMENTS }),
  PeriodicityType: text(),
  InterestCalculationMethod: text(),
  FinancedAmount: optional(amount({ minimum: 0, maximum: MAX_PAYMENT_AMOUNT })),
  InterestPercent: optional(percent({ minimum: -MAX_RATE_PERCENT, maximum: MAX_RATE_PERCENT })),
  GracePeriodPrincipal: optional(numericFlag()),
  FutureValue: optional(amount({ minimum: -MAX_PAYMENT_AMOUNT, maximum: MAX_PAYMENT_AMOUNT })),
  InterestType: optional(numericFlag()),
  Precision: optional(count({ minimum: 0, maximum: MAX_PAYMENT_DIGITS })),
}).meta({ id: 'PaymentTerms' });

export const paymentValueRequest = createRequestReader<PaymentValueRequest>({
  fields: paymentValueFields,
  jsonParam: 'Terms of the payment.',
  meaning: {
    placeholders: { InstallmentsNo: 2, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' },
    faultsOf: (request, catalogue) => findPaymentValueFaults(request, catalogue?.periodicities),
    dependsOn,
  },
});

/** FinancedAmount limits FutureValue, InstallmentsNo limits the grace period, and the period limits negative rates. */
function dependsOn({ path, code }: Fault): readonly string[] {
  switch (path) {
    case 'FutureValue':
      return code === 'out-of-range' ? ['FinancedAmount'] : [];
    case 'GracePeriodPrincipal':
      return ['InstallmentsNo'];
    case 'InterestPercent':
      return code === 'rate-too-low' ? ['PeriodicityType', 'InterestCalculationMethod'] : [];
    default:
      return [];
  }
}

const paymentValueReply = z
  .strictObject({
    PMTValue: z.number().describe('Payment of each installment.'),
    PrincipalValue: z.number().describe('Equal part of the principal in each installment.'),
  })
  .describe('Both figures have the decimals of Precision.');

/** Writes exact decimals, 250 as `250.00` (M1). Throws RangeError on a figure that is not finite, which is a bug. */
export function renderPaymentValue({ pmtValue, principalValue, digits }: PaymentValue): string {
  return `{"PMTValue":${figureText(pmtValue, digits)},"PrincipalValue":${figureText(principalValue, digits)}}`;
}

function figureText(figure: Decimal, digits: number): string {
  if (!figure.isFinite()) throw new RangeError('a figure must be a finite number');
  return figure.isZero() ? figure.abs().toFixed(digits) : figure.toFixed(digits);
}

export const CALCULATE_PMT = defineAction<PaymentValueRequest, PaymentValue>({
  name: 'PLAT_BP_CalculatePMT',
  summary: 'Calculates the level payment of a loan or of a savings plan',
  description:
    'Returns the payment and the equal part of the principal, from the terms alone, without dates or a schedule. ' +
    'Without FinancedAmount, the payment is the deposit that reaches FutureValue (P1, P2, M5).',
  requestType: 'CalculatePMTRequest',
  request: paymentValueRequest,
  replyShape: paymentValueReply,
  examples,
  render: renderPaymentValue,
});
