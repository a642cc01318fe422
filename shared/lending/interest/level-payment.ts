/**
 * The level payment (S5): the equal payment that brings a balance to its residual over the rows left, with the rows'
 * own day-count factors. With growth factors g_j (1 + r f_j, or (1 + r)^f_j at an effective rate) and
 * DF_k = 1/(g_1 ... g_k):
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
  sumErrorBound,
  type FactorSeries,
} from './factor-series.ts';
import { growthNumerator, type InterestRule } from './interest-rule.ts';
import { divideRounded } from '../numbers/rounding.ts';

/** What is repaid, in minor units: a balance of which `residual` is left after the last row. */
export interface RepaidBalance {
  readonly balance: number;
  readonly residual: number;
}

/** A payment in minor units that lies between two fractions. */
interface PaymentBounds {
  readonly low: readonly [numerator: bigint, denominator: bigint];
  readonly high: readonly [numerator: bigint, denominator: bigint];
}

/**
 * The level payment in minor units over rows with the given day-count numerators, rounded by the rule's mode. Every
 * growth factor must be positive (R3). `discounts` is the series of the rows' {@link discountOf} where it is at hand.
 */
export function levelPayment(
  rule: InterestRule,
  counts: readonly number[],
  repaid: RepaidBalance,
  discounts?: FactorSeries,
): number {
  if (rule.sign === 0) {
    const repaidPrincipal = BigInt(repaid.balance - repaid.residual);
    return Number(divideRounded(repaidPrincipal, BigInt(counts.length), rule.rounding));
  }
  const bounds =
    rule.sign > 0
      ? boundsByDiscounting(discounts ?? factorSeries(counts, discountOf(rule)), repaid, counts.length)
      : boundsByGrowing(rule, repaid, counts);
  const low = divideRounded(...bounds.low, rule.rounding);
  const high = divideRounded(...bounds.high, rule.rounding);
  return low === high ? Number(low) : exactLevelPayment(rule, counts, repaid);
}

/** 1/g_j by the count of a row, in fixed point, rounded down; of a positive rate. */
export function discountOf(rule: InterestRule): (count: number) => bigint {
  const scaled = rule.denominator << FRACTION_BITS;
  return (count) => scaled / growthNumerator(rule, count);
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
  rule: InterestRule,
  { balance, residual }: RepaidBalance,
  counts: readonly number[],
): PaymentBounds {
  const growthOf = (count: number) => (growthNumerator(rule, count) << FRACTION_BITS) / rule.denominator;
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
function exactLevelPayment(rule: InterestRule, counts: readonly number[], repaid: RepaidBalance): number {
  let growth = 1n;
  let divisor = 0n;
  let power = 1n;
  for (const count of counts) {
    const factor = growthNumerator(rule, count);
    growth *= factor;
    power *= rule.denominator;
    divisor = divisor * factor + power;
  }
  const dividend = BigInt(repaid.balance) * growth - BigInt(repaid.residual) * power;
  return Number(divideRounded(dividend, divisor, rule.rounding));
}
