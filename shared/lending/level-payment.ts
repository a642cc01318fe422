/**
 * The level payment (S5): the equal payment that brings a balance to its residual over the rows left, with the rows'
 * own day-count factors. With growth factors g_j = 1 + r f_j and DF_k = 1/(g_1 ... g_k):
 *
 *     balance = payment * sum(DF_k) + residual * DF_n
 *
 * The payment is rounded once (M2) and the rounding is proven: fixed-point bounds from both sides are rounded, and
 * where they disagree (a tie, or a hair's breadth from one) the payment is taken as an exact fraction.
 */

import {
  factorSeries,
  FRACTION_BITS,
  ONE,
  productErrorBound,
  suffixSeries,
  sumErrorBound,
  type FactorSeries,
} from './factor-series.ts';
import { growthNumerator, type InterestAccrual } from './interest-accrual.ts';
import { divideRounded } from './rounding.ts';

/** What is repaid, in minor units: a balance of which `residual` is left after the last row. */
interface RepaidBalance {
  readonly balance: number;
  readonly residual: number;
}

/** A payment in minor units that lies between two fractions. */
interface PaymentBounds {
  readonly low: readonly [numerator: bigint, denominator: bigint];
  readonly high: readonly [numerator: bigint, denominator: bigint];
}

/**
 * The level payment in minor units over the rows `firstRow`.. (index from 0) of the accrual, rounded by its mode.
 * Every growth factor must be positive (R3). `discounts` are the rows' {@link discountSeries} where they are at hand.
 */
export function levelPayment(
  accrual: InterestAccrual,
  repaid: RepaidBalance,
  firstRow: number,
  discounts?: readonly FactorSeries[],
): number {
  const counts = firstRow === 0 ? accrual.counts : accrual.counts.slice(firstRow);
  const perCount = accrual.perCount.numerator;
  if (perCount === 0n) {
    const repaidPrincipal = BigInt(repaid.balance - repaid.residual);
    return Number(divideRounded(repaidPrincipal, BigInt(counts.length), accrual.rounding));
  }
  const bounds =
    perCount > 0n
      ? boundsByDiscounting(
          discounts?.[firstRow] ?? factorSeries(counts, discountOf(accrual)),
          repaid,
          counts.length,
        )
      : boundsByGrowing(accrual, repaid, counts);
  const low = divideRounded(...bounds.low, accrual.rounding);
  const high = divideRounded(...bounds.high, accrual.rounding);
  return low === high ? Number(low) : exactLevelPayment(accrual, repaid, firstRow);
}

/**
 * The discount factors of a positive rate, summed from each row to the end. Worth having when the payment is solved
 * more than once: at high rates over uneven months that may be in every other row (S5).
 */
export function discountSeries(accrual: InterestAccrual): readonly FactorSeries[] {
  return suffixSeries(accrual.counts, discountOf(accrual));
}

/** 1/g_j by the count of a row, in fixed point, rounded down. */
function discountOf(accrual: InterestAccrual): (count: number) => bigint {
  const { numerator, denominator } = accrual.perCount;
  const scaled = denominator << FRACTION_BITS;
  return (count) => scaled / (denominator + numerator * BigInt(count));
}

/** Positive rates: the factors 1/g_j are at most 1; payment = (balance - residual DF_n) / sum(DF_k). */
function boundsByDiscounting(
  series: FactorSeries,
  { balance, residual }: RepaidBalance,
  n: number,
): PaymentBounds {
  const owed = BigInt(balance) << FRACTION_BITS;
  const left = BigInt(residual);
  return {
    low: [owed - left * (series.product + productErrorBound(n)), series.sum + sumErrorBound(n)],
    high: [owed - left * series.product, series.sum],
  };
}

/**
 * Negative rates: the factors g_j are at most 1; everything is carried to the last due date, where a payment in row k
 * has grown by g_(k+1) ... g_n: payment = (balance G - residual) / (1 + g_n + g_n g_(n-1) + ... + g_n ... g_2).
 */
function boundsByGrowing(
  accrual: InterestAccrual,
  { balance, residual }: RepaidBalance,
  counts: readonly number[],
): PaymentBounds {
  const { numerator, denominator } = accrual.perCount;
  const growthOf = (count: number) =>
    ((denominator + numerator * BigInt(count)) << FRACTION_BITS) / denominator;
  const series = factorSeries(counts.toReversed(), growthOf);
  const owed = BigInt(balance);
  const left = BigInt(residual) << FRACTION_BITS;
  const n = counts.length;
  const lowest = owed * series.product - left;
  const leastDivisor = ONE + series.sum - series.product - productErrorBound(n);
  const greatestDivisor = ONE + series.sum + sumErrorBound(n) - series.product;
  const highest = lowest + owed * productErrorBound(n);
  return {
    low: [lowest, lowest < 0n ? leastDivisor : greatestDivisor],
    high: [highest, highest < 0n ? greatestDivisor : leastDivisor],
  };
}

/**
 * The payment as an exact fraction. With g_j = a_j / d:
 * payment = (balance a_1 ... a_n - residual d^n) / sum over k of (d^k a_(k+1) ... a_n).
 */
function exactLevelPayment(accrual: InterestAccrual, repaid: RepaidBalance, firstRow: number): number {
  const { denominator } = accrual.perCount;
  let growth = 1n;
  let divisor = 0n;
  let power = 1n;
  for (let row = firstRow; row < accrual.counts.length; row += 1) {
    const factor = growthNumerator(accrual, row);
    growth *= factor;
    power *= denominator;
    divisor = divisor * factor + power;
  }
  const dividend = BigInt(repaid.balance) * growth - BigInt(repaid.residual) * power;
  return Number(divideRounded(dividend, divisor, accrual.rounding));
}
