/**
 * Sums of running products of factors, which every level payment rests on: x1 + x1 x2 + ... + x1 x2 ... xn.
 *
 * Fixed point with {@link FRACTION_BITS} bits after the point, every step rounded down, factors in (0, 1].
 * Bounds, in units of the last bit, for n factors that are each at most one unit too small:
 * a product of m factors is at most 2m too small (p(a+b) <= p(a) + p(b) + 1);
 * a sum over m equal factors is at most 2m^2 too small (doubling: 2 * 2m^2 + m(2m - 1) + 1 <= 2 (2m)^2);
 * a whole series at most 4n^2 (a run of m before k others: 2m^2 + 4k^2 + 2mk + 1 <= 4 (m + k)^2).
 */

/** Bits after the point: with at most 1200 rows the bound 4n^2 still leaves more than 100 bits exact. */
export const FRACTION_BITS = 128n;
/** The number one. */
export const ONE = 1n << FRACTION_BITS;

/** A lower bound of the sum and of the product of all factors, with the bounds above. */
export interface FactorSeries {
  readonly sum: bigint;
  readonly product: bigint;
}

/** How far the sum of a series of n factors may lie above its computed value, in units of the last bit. */
export function sumErrorBound(n: number): bigint {
  return 4n * BigInt(n) * BigInt(n);
}

/** How far the product of n factors may lie above its computed value, in units of the last bit. */
export function productErrorBound(n: number): bigint {
  return 2n * BigInt(n);
}

/**
 * The series of the factors of `counts`; `factorOf` gives a count's factor, rounded down. Works from the last factor
 * to the first and takes runs of equal counts, the usual case of equal months, in one go by doubling.
 */
export function factorSeries(counts: readonly number[], factorOf: (count: number) => bigint): FactorSeries {
  let series: FactorSeries = { sum: 0n, product: ONE };
  // Months of actual days come in a few lengths only, and each factor costs a division.
  const factors = new Map<number, bigint>();
  let end = counts.length;
  while (end > 0) {
    const count = counts[end - 1] ?? 0;
    let factor = factors.get(count);
    if (factor === undefined) {
      factor = factorOf(count);
      factors.set(count, factor);
    }
    let start = end - 1;
    while (start > 0 && counts[start - 1] === count) start -= 1;
    const length = end - start;
    series = length === 1 ? prependFactor(factor, series) : prepend(runSeries(factor, length), series);
    end = start;
  }
  return series;
}

/**
 * The series of the factors from each index to the end, and the empty one after the last: for payments that are
 * solved again and again over the rows left. Runs of one, so the same bounds hold.
 */
export function suffixSeries(
  counts: readonly number[],
  factorOf: (count: number) => bigint,
): readonly FactorSeries[] {
  const suffixes: FactorSeries[] = [{ sum: 0n, product: ONE }];
  let suffix: FactorSeries = { sum: 0n, product: ONE };
  let lastCount = Number.NaN;
  let factor = 0n;
  for (const count of counts.toReversed()) {
    if (count !== lastCount) factor = factorOf(count);
    lastCount = count;
    suffix = prependFactor(factor, suffix);
    suffixes.push(suffix);
  }
  return suffixes.toReversed();
}

/** The series with one more factor before its first. */
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
function runSeries(factor: bigint, length: number): FactorSeries {
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
