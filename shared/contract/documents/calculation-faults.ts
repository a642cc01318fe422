/** What the calculation may find wrong with a readable request, in words for the documents. */

import type { FaultCode } from '../../lending/request/refusal.ts';

/** Codes of single faults that the calculation reports. */
export const CALCULATION_FAULTS: Readonly<Record<FaultCode, string>> = {
  'amount-too-large': 'The amount is larger than can be calculated with',
  'bands-overlap': 'Two bands cover the same part of the balance',
  'date-order': 'The dates are not in the order that they need to have',
  exclusive: 'Members contradict each other or exclude one another',
  'formula-failed': 'A formula of the schedule type has no value for this request',
  missing: 'A member that this schedule needs is missing',
  'not-allowed': 'The member is not allowed with this schedule type or beside the other members',
  'one-sign': 'The cash flows hold nothing that is paid out, or nothing that is paid back',
  'out-of-range': 'The number is outside the allowed range, or not whole',
  'outside-bands': 'A balance lies outside all bands',
  'payment-below-interest': 'The locked payment does not cover the interest of an installment',
  'product-type-mismatch': 'The schedule type is not made for this product type',
  'rate-too-low': 'A negative rate takes the whole balance in one period',
  'rates-incomplete': 'The rate ranges leave installments without a rate',
  'rates-overlap': 'Two rate ranges cover the same installment',
  'reply-too-large': 'The explanations do not fit into a reply',
  'too-many-decimals': 'The number has more decimals than allowed',
  'too-many-rows': 'The schedule has more rows than can be answered',
  'unknown-calendar': 'There is no holiday calendar of this name',
  'unknown-currency': 'There is no currency of this code',
  'unknown-day-count': 'There is no day count of this name',
  'unknown-periodicity': 'There is no periodicity of this name',
  'unknown-product': 'There is no approved product of this code or id on the day',
  'unknown-product-type': 'There is no product type of this code or name',
  'unknown-schedule-type': 'There is no active schedule type of this name',
  'unknown-value': 'The text is none of the allowed ones',
  'wrong-unit': 'The schedule type does not take periodicities of this unit',
};
