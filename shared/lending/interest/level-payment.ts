/**
 * The level payment (S5): the equal payment that brings a balance to its residual over the remaining rows, each with
 * its own day-count fraction f_j. With growth factors g_j (1 + r f_j, or (1 + r)^f_j at an effective rate) and
 * DF_k = 1/(g_1 ... g_k):
 *
 *     balance = payment * sum(DF_k) + residual * DF_n
 *
 * The payment is rounded once (M2) and the rounding is proven: an estimate in floating point decides where its greatest
 * error cannot change the rounding; then fixed-point bounds from both sides are rounded, and where these differ (at or
 * very close to a tie) the payment is calculated as an exact fraction.
 */

import { cacheByCount } from './cache-by-count.ts';
import { divideRounded } from '../numbers/rounding.ts';
import { type InterestRule, computeGrowth } from './interest-rule.ts';

/** A balance to be repaid, and the `residual` that is left of it after the last row; in minor units. */
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
 * growth factor must be positive (R3). `discounts` is the series of the rows' {@link createDiscountFactor} if it was
 * already calculated.
 */
export function computeLevelPayment(
  rule: InterestRule,
  counts: readonly number[],
  repaid: RepaidBalance,
  discounts?: FactorSeries,
): number {
  if (rule.sign === 0) {
    const repaidPrincipal = BigInt(repaid.balance - repaid.residual);
    return Number(divideRounded(repaidPrincipal, BigInt(counts.length), rule.rounding));
  }
  const estimate =
    rule.sign > 0 && discounts === undefined ? estimatePayment(rule, counts, repaid) : undefined;
  if (estimate !== undefined) return estimate;
  const bounds =
    rule.sign > 0
      ? boundByDiscounting(discounts ?? sumFactors(counts, createDiscountFactor(rule)), repaid, counts.length)
      : boundByGrowing(rule, repaid, counts);
  const low = divideRounded(...bounds.low, rule.rounding);
  const high = divideRounded(...bounds.high, rule.rounding);
  return low === high ? Number(low) : solveExactly(rule, counts, repaid);
}

/**
 * The payment at a positive rate in binary floating point, rounded; undefined close to a tie. Binary floats may not
 * decide a figure (M1), and they do not here.
 *
 * The bound on the error, with u = 2^-53; first-order terms are doubled to cover those of higher order. A factor 1/g_j
 * has at most 3u, and each of the n rows adds 2u to the sum and u to the product of the factors. The payment itself
 * adds 3u, so that 9n + 3 of them are less than 10n + 10, relative to the sum of both parts of the dividend.
 */
function estimatePayment(
  rule: InterestRule,
  counts: readonly number[],
  { balance, residual }: RepaidBalance,
): number | undefined {
  const denominator = Number(rule.denominator);
  const getFactor = cacheByCount((count) => denominator / Number(computeGrowth(rule, count)));
  let sum = 0;
  let product = 1;
  let lastCount = Number.NaN;
  let factor = 1;
  for (let row = counts.length - 1; row >= 0; row -= 1) {
    const count = counts[row] ?? 0;
    if (count !== lastCount) factor = getFactor(count);
    lastCount = count;
    sum = factor * (1 + sum);
    product *= factor;
  }
  const payment = (balance - residual * product) / sum;
  const error = ((10 * counts.length + 10) * Number.EPSILON * (balance + residual * product)) / sum;
  const rounded = Math.round(payment);
  return payment > 0 && 0.5 - Math.abs(payment - rounded) > error ? rounded : undefined;
}

/** 1/g_j for the day-count numerator of a row at a positive rate, in fixed point, rounded down. */
export function createDiscountFactor(rule: InterestRule): (count: number) => bigint {
  const scaled = rule.denominator << FRACTION_BITS;
  return (count) => scaled / computeGrowth(rule, count);
}

/** Positive rates: the factors 1/g_j are at most 1; payment = (balance - residual DF_n) / sum(DF_k). */
function boundByDiscounting(
  series: FactorSeries,
  { balance, residual }: RepaidBalance,
  n: number,
): PaymentBounds {
  const outstanding = BigInt(balance) << FRACTION_BITS;
  const left = BigInt(residual);
  return {
    low: [outstanding - left * (series.product + productErrorBound(n)), series.sum + sumErrorBound(n)],
    high: [outstanding - left * series.product, series.sum],
  };
}

/**
 * Negative rates: the factors g_j are at most 1; all amounts are compounded to the last due date, where a payment in
 * row k has grown by g_(k+1) ... g_n: payment = (balance G - residual) / (1 + g_n + g_n g_(n-1) + ... + g_n ... g_2).
 */
function boundByGrowing(
  rule: InterestRule,
  { balance, residual }: RepaidBalance,
  counts: readonly number[],
): PaymentBounds {
  const computeFactor = (count: number) => (computeGrowth(rule, count) << FRACTION_BITS) / rule.denominator;
  const series = sumFactors(counts.toReversed(), computeFactor);
  const outstanding = BigInt(balance);
  const left = BigInt(residual) << FRACTION_BITS;
  const n = counts.length;
  const lowest = outstanding * series.product - left;
  const leastDivisor = ONE + series.sum - series.product - productErrorBound(n);
  const greatestDivisor = ONE + series.sum + sumErrorBound(n) - series.product;
  const highest = lowest + outstanding * productErrorBound(n);
  return {
    low: [lowest, lowest < 0n ? leastDivisor : greatestDivisor],
    high: [highest, highest < 0n ? greatestDivisor : leastDivisor],
  };
}

/**
 * The payment as an exact fraction. With g_j = a_j / d:
 * payment = (balance a_1 ... a_n - residual d^n) / sum over k of (d^k a_(k+1) ... a_n).
 */
function solveExactly(rule: InterestRule, counts: readonly number[], repaid: RepaidBalance): number {
  let growth = 1n;
  let divisor = 0n;
  let power = 1n;
  for (const count of counts) {
    const factor = computeGrowth(rule, count);
    growth *= factor;
    power *= rule.denominator;
    divisor = divisor * factor + power;
  }
  const dividend = BigInt(repaid.balance) * growth - BigInt(repaid.residual) * power;
  return Number(divideRounded(dividend, divisor, rule.rounding));
}

// Sums of running products of factors, on which every level payment is based: x1 + x1 x2 + ... + x1 x2 ... xn.
//
// Fixed point with {@link FRACTION_BITS} bits after the point, every step rounded down, factors in (0, 1].
// Error bounds, in units of the last bit, for n factors that are each at most one unit too small:
// a product of m factors is at most 2m too small (p(a+b) <= p(a) + p(b) + 1);
// a sum over m equal factors is at most 2m^2 too small (doubling: 2 * 2m^2 + m(2m - 1) + 1 <= 2 (2m)^2);
// a whole series is at most 4n^2 too small (a run of m before k others: 2m^2 + 4k^2 + 2mk + 1 <= 4 (m + k)^2).

/** Bits after the point: with at most 1200 rows the bound 4n^2 still leaves more than 100 bits exact. */
const FRACTION_BITS = 128n;
/** The number one. */
const ONE = 1n << FRACTION_BITS;

/** Lower bounds of the sum and of the product of all factors, with the error bounds above. */
export interface FactorSeries {
  readonly sum: bigint;
  readonly product: bigint;
}

/** How far the sum of a series of n factors may lie above its computed value, in units of the last bit. */
function sumErrorBound(n: number): bigint {
  return 4n * BigInt(n) * BigInt(n);
}

/** How far the product of n factors may lie above its computed value, in units of the last bit. */
function productErrorBound(n: number): bigint {
  return 2n * BigInt(n);
}

/**
 * The series of the factors of `counts`; `computeFactor` gives a count's factor, rounded down. Processes the factors from
 * last to first; runs of equal counts, such as equal months, are combined by doubling.
 */
function sumFactors(counts: readonly number[], computeFactor: (count: number) => bigint): FactorSeries {
  let series: FactorSeries = { sum: 0n, product: ONE };
  // Cached, because each factor requires a division.
  const getFactor = cacheByCount(computeFactor);
  let end = counts.length;
  while (end > 0) {
    const count = counts[end - 1] ?? 0;
    const factor = getFactor(count);
    let start = end - 1;
    while (start > 0 && counts[start - 1] === count) start -= 1;
    const length = end - start;
    series = length === 1 ? prependFactor(factor, series) : prepend(sumRun(factor, length), series);
    end = start;
  }
  return series;
}

/**
 * The series of the factors from each index to the end, and the empty one after the last: for payments that are
 * recalculated repeatedly over the remaining rows. The factors are added one at a time, so the same bounds hold.
 */
export function sumSuffixes(
  counts: readonly number[],
  computeFactor: (count: number) => bigint,
): readonly FactorSeries[] {
  const suffixes: FactorSeries[] = [{ sum: 0n, product: ONE }];
  let suffix: FactorSeries = { sum: 0n, product: ONE };
  let lastCount = Number.NaN;
  let factor = 0n;
  for (const count of counts.toReversed()) {
    if (count !== lastCount) factor = computeFactor(count);
    lastCount = count;
    suffix = prependFactor(factor, suffix);
    suffixes.push(suffix);
  }
  return suffixes.toReversed();
}

/** The series with one more factor in front. */
export function prependFactor(factor: bigint, rest: FactorSeries): FactorSeries {
  return prepend({ sum: factor, product: factor }, rest);
}

function prepend(first: FactorSeries, rest: FactorSeries): FactorSeries {
  return {
    sum: first.sum + ((first.product * rest.sum) >> FRACTION_BITS),
    product: (first.product * rest.product) >> FRACTION_BITS,
  };
}

/** Series of one factor repeated `length` times, by doubling: sum(2m) = sum(m) (1 + x^m), sum(m+1) = x (1 + sum(m)). */
function sumRun(factor: bigint, length: number): FactorSeries {
  let sum = factor;
  let product = factor;
  for (let bit = 30 - Math.clz32(length); bit >= 0; bit -= 1) {
    sum += (sum * product) >> FRACTION_BITS;
    product = (product * product) >> FRACTION_BITS;
    if (((length >> bit) & 1) === 1) {
      sum = ((sum + ONE) * factor) >> FRACTION_BITS;
      product = (product * factor) >> FRACTION_BITS;
    }
  }
  return { sum, product };
}
