/** The checked terms of a payment value: names resolved, amounts in major units, the rate exact (P1, P2). */

import { Decimal } from 'decimal.js';
import { reduceRatio, type ExactRatio } from '../numbers/exact-ratio.ts';
import { MAX_INSTALLMENTS, checkPeriodicity, checkRate, checkWhole } from '../request/field-checks.ts';
import { parseDayCount } from './loan-terms.ts';
import type { PaymentValueRequest } from '../request/payment-value-request.ts';
import type { Periodicity } from '../dates/periodicity.ts';
import { periodFraction } from '../dates/period-fraction.ts';
import type { Validation } from '../request/validation.ts';

/** Largest absolute value of an amount, in major units: ten trillion, as in a schedule with two decimals (M6). */
export const MAX_PAYMENT_AMOUNT = 1e13;
/** As many decimals as a message can contain, and few enough to limit the work with exact fractions. */
const MAX_AMOUNT_DECIMALS = 18;
const DEFAULT_DIGITS = 2;
/** Maximum number of decimals that Precision may request (M5). */
export const MAX_PAYMENT_DIGITS = 10;
const ZERO = new Decimal(0);

export interface PaymentTerms {
  readonly financed: Decimal;
  readonly future: Decimal;
  readonly payments: number;
  /** 1 + i, the growth of a balance over one period; more than zero. */
  readonly growth: ExactRatio;
  readonly isInAdvance: boolean;
  readonly digits: number;
}

/** Undefined after a fault; all faults are reported (E3). `known` are the periodicities of the catalogue (D7). */
export function parsePaymentTerms(
  request: PaymentValueRequest,
  known: readonly Periodicity[],
  validation: Validation,
): PaymentTerms | undefined {
  const range = { min: 1, max: MAX_INSTALLMENTS };
  const installments = checkWhole(validation, 'InstallmentsNo', request.InstallmentsNo, range);
  const field = { path: 'PeriodicityType', name: request.PeriodicityType };
  const periodicity = checkPeriodicity(validation, field, known, ({ unit }) => unit !== 'Once');
  const dayCount = parseDayCount(request.InterestCalculationMethod, validation);
  const fraction = periodicity && dayCount && periodFraction(dayCount, periodicity);
  const { financed, future } = parseAmounts(request, validation);
  const rate = checkRate(validation, 'InterestPercent', request.InterestPercent ?? ZERO);
  const hasGrace = checkChoice(validation, 'GracePeriodPrincipal', request.GracePeriodPrincipal);
  const isInAdvance = checkChoice(validation, 'InterestType', request.InterestType);
  const digits = checkWhole(validation, 'Precision', request.Precision ?? DEFAULT_DIGITS, {
    min: 0,
    max: MAX_PAYMENT_DIGITS,
  });
  if (hasGrace === true && installments === 1) {
    const message = 'must be 0 with one installment: no payment is left';
    validation.reject('GracePeriodPrincipal', 'not-allowed', message);
  }
  const growth = rate && fraction && checkGrowth(rate, fraction, validation);
  if (validation.faults.length > 0 || installments === undefined || growth === undefined) return undefined;
  const payments = hasGrace === true ? installments - 1 : installments;
  return {
    financed,
    future,
    payments,
    growth,
    isInAdvance: isInAdvance === true,
    digits: digits ?? DEFAULT_DIGITS,
  };
}

/** With a financed amount FutureValue may have any sign; else it is the target of a savings plan, zero or more (P2). */
function parseAmounts(
  request: PaymentValueRequest,
  validation: Validation,
): { financed: Decimal; future: Decimal } {
  const financed = request.FinancedAmount ?? ZERO;
  const future = request.FutureValue ?? ZERO;
  const isFinancedReadable = checkSize(validation, 'FinancedAmount', financed);
  const isFutureReadable = checkSize(validation, 'FutureValue', future);
  if (financed.isNegative() && !financed.isZero()) {
    validation.reject('FinancedAmount', 'out-of-range', 'must be zero or more');
  } else if (isFinancedReadable && isFutureReadable && financed.isZero() && future.lessThan(0)) {
    validation.reject('FutureValue', 'out-of-range', 'must be zero or more where FinancedAmount is zero');
  }
  return { financed, future };
}

function checkSize(validation: Validation, path: string, amount: Decimal): boolean {
  if (!amount.isFinite() || amount.abs().greaterThan(MAX_PAYMENT_AMOUNT)) {
    validation.reject(path, 'amount-too-large', `must be at most ${MAX_PAYMENT_AMOUNT} in absolute value`);
    return false;
  }
  if (amount.decimalPlaces() > MAX_AMOUNT_DECIMALS) {
    validation.reject(path, 'too-many-decimals', `must have at most ${MAX_AMOUNT_DECIMALS} decimals`);
    return false;
  }
  return true;
}

/** True for 1, false for 0 or absent; undefined, with a fault, for any other number. */
function checkChoice(validation: Validation, path: string, value: number | undefined): boolean | undefined {
  if (value === undefined || value === 0) return false;
  if (value === 1) return true;
  return validation.reject(path, 'out-of-range', 'must be 0 or 1');
}

/** 1 + i; undefined, with a fault, if a negative rate does not leave it above zero (R3). */
function checkGrowth(rate: ExactRatio, fraction: ExactRatio, validation: Validation): ExactRatio | undefined {
  const denominator = rate.denominator * fraction.denominator;
  const growth = denominator + rate.numerator * fraction.numerator;
  if (growth > 0n) return reduceRatio(growth, denominator);
  const message = 'must leave a positive balance in every period';
  return validation.reject('InterestPercent', 'rate-too-low', message);
}
