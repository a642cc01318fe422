/** The answer of `PLAT_BP_CalculatePMT` on the wire (interface section 2.3, rules M5 and P2). */

import type { Decimal } from 'decimal.js';
import { z } from 'zod';
import type { PaymentValue } from '../../lending/request/payment-value-request.ts';

/** The one object that the action answers. */
export const paymentValueReply = z
  .object({
    PMTValue: z.number().describe('Payment of each installment.'),
    PrincipalValue: z.number().describe('Equal part of the principal in each installment.'),
  })
  .strict()
  .describe('Both figures have the number of decimals that Precision says.');

/**
 * The answer as JSON text. The figures never become binary numbers: 250 is written `250.00` (M1). Throws RangeError on
 * one that is no number, which is the fault of whoever made it.
 */
export function renderPaymentValue({ pmtValue, principalValue, digits }: PaymentValue): string {
  return `{"PMTValue":${figureText(pmtValue, digits)},"PrincipalValue":${figureText(principalValue, digits)}}`;
}

function figureText(figure: Decimal, digits: number): string {
  if (!figure.isFinite()) throw new RangeError('a figure must be a finite number');
  return figure.isZero() ? figure.abs().toFixed(digits) : figure.toFixed(digits);
}
