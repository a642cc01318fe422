/**
 * The request of `PLAT_BP_CalculatePMT` on the wire: interface section 4.7 and the extension of rule M5. Decides shape
 * (400); what the members mean together (422) is decided by the calculation.
 */

import { z } from 'zod';
import { jsonParamBody } from '../json/json-param-input.ts';
import { amount, count, numericFlag, optional, percent, text, wanted } from '../json/field-kinds.ts';

/** The record of members. Its output is the request as the calculation reads it. */
export const paymentValueMembers = z.object(
  {
    InstallmentsNo: count().describe('Number of installments, 1 to 1200.'),
    PeriodicityType: text().describe('Name of the periodicity, in any case, such as Monthly. Not Once.'),
    InterestCalculationMethod: text().describe(
      'Day count by name, in any case, such as 30/360 or Actual/365.',
    ),
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
  },
  { error: wanted('an object with the members of the request') },
);

/** The body of the call: one member `jsonParam` that holds the record. */
export const paymentValueBody = jsonParamBody(paymentValueMembers, 'Terms of the payment.');
