/**
 * The level payment (S5): it brings a balance to its residual over rows with day-count fractions f_j. With growth
 * factors g_j (1 + r f_j, or (1 + r)^f_j) and DF_k = 1/(g_1 ... g_k): balance = payment * sum(DF_k) + residual * DF_n.
 * The payment is rounded once (M2). The rounding is proven: by a floating-point estimate whose greatest error cannot
 * change it, else by fixed-point bounds from both sides, and at or near a tie by an exact fraction.
 */

import { cacheByCount, computeGrowth, type InterestRule } from './interest-rule.ts';
import { divideRounded } from '../numbers/rounding.ts';

/** A balance, and the `residual` that is left of it after the last row; in minor units. */
export interface RepaidBalance {
  readonly balance: number;
  readonly residual: number;
}

/** In minor units, rounded by the rule's mode. Growth must be above zero (R3). `discounts` are those of `counts`. */
export function computeLevelPayment(
  rule: InterestRule,
  counts: readonly number[],
  repaid: RepaidBalance,
  discounts?: Discounts,
): number {
  if (rule.sign === 0) {
    const repaidPrincipal = BigInt(repaid.balance - repaid.residual);
    return Number(divideRounded(repaidPrincipal, BigInt(counts.length), rule.rounding));
  }
  const estimate = discounts === undefined ? estimatePayment(rule, counts, repaid) : undefined;
  if (estimate !== undefined) return estimate;
  const known = discounts ?? sumDiscounts(rule, counts)[0] ?? NO_ROWS;
  const [low, high] = boundPayment(known, repaid, counts.length).map(([dividend, divisor]) =>
    divideRounded(dividend, divisor, rule.rounding),
  );
  return low === high ? Number(low) : solveExactly(rule, counts, repaid);
}

/**
 * Undefined close to a tie, or if the payment is not above zero: binary floats decide no figure (M1). Relative errors
 * are counted in u = 2^-53 and to first order. A factor 1/g_j has at most 3u, each of the n rows adds 2u to the sum and
 * u to the product, and the payment itself adds 3u: (9n + 3)u in all. The bound is (10n + 10)u, doubled to cover higher
 * orders, times the sum of both parts of the dividend over the divisor.
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
    const count = counts[row] as number;
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

/** Bits after the point. With 1200 rows the error bound 4n^2 of a sum still leaves more than 100 of them exact. */
const FRACTION_BITS = 128n;
const ONE = 1n << FRACTION_BITS;

/** Lower bounds of sum(DF_k) and of DF_n in fixed point. */
export interface Discounts {
  readonly sum: bigint;
  readonly product: bigint;
}

const NO_ROWS: Discounts = { sum: 0n, product: ONE };

/** Element k has the discounts of the rows from index k on, the last element those of no rows. Steps round down. */
export function sumDiscounts(rule: InterestRule, counts: readonly number[]): readonly Discounts[] {
  const getFactor = cacheByCount((count) => computeDiscount(rule, count));
  let discounts = NO_ROWS;
  const ofLastRows = [discounts];
  for (const count of counts.toReversed()) {
    discounts = prependRow(getFactor(count), discounts);
    ofLastRows.push(discounts);
  }
  return ofLastRows.toReversed();
}

/** The discount factor 1/g of one row in fixed point, rounded down. */
export function computeDiscount(rule: InterestRule, count: number): bigint {
  return (rule.denominator << FRACTION_BITS) / computeGrowth(rule, count);
}

export function prependRow(factor: bigint, { sum, product }: Discounts): Discounts {
  return { sum: (factor * (ONE + sum)) >> FRACTION_BITS, product: (factor * product) >> FRACTION_BITS };
}

/**
 * Bounds the payment from below and above. In units of the last bit, the sum for n rows is at most 4n^2 too small and
 * the product at most 4n; each bound is multiplied by the sum or product if that is above one.
 */
function boundPayment(
  { sum, product }: Discounts,
  { balance, residual }: RepaidBalance,
  rows: number,
): readonly (readonly [dividend: bigint, divisor: bigint])[] {
  const n = BigInt(rows);
  const greatestSum = sum + 4n * n * n * ((sum >> FRACTION_BITS) + 1n);
  const greatestProduct = product + 4n * n * ((product >> FRACTION_BITS) + 1n);
  const outstanding = BigInt(balance) << FRACTION_BITS;
  const lowest = outstanding - BigInt(residual) * greatestProduct;
  const highest = outstanding - BigInt(residual) * product;
  return [
    [lowest, lowest < 0n ? sum : greatestSum],
    [highest, highest < 0n ? greatestSum : sum],
  ];
}

/** With g_j = a_j / d: (balance a_1 ... a_n - residual d^n) / sum over k of (d^k a_(k+1) ... a_n). */
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
